import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startCommand } from '../testing/command.ts'

test('a scenario file with "rehearses" is loaded with one line on standard error', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'old.yaml'), 'rehearses: An old scenario.\nrecords: 0\n')
  const { base, stop } = await startCommand(['--scenarios', folder, '--scenario', 'old'])

  const headers = { Authorization: 'Bearer sk_sandbox_free' }
  const response = await fetch(`${base}/pets`, { headers })
  const { stderr } = await stop()

  expect(await response.json()).toEqual([])
  expect(stderr).toBe(
    'The scenario "old" has "rehearses", which is deprecated. Rename it to "description".\n',
  )
})
