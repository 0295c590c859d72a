import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lock } from './lock.ts'
import { StateFile } from './state-file.ts'

let folder = ''
let file: StateFile
const lines: string[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
  file = await StateFile.at(join(folder, 'state.json'))
  lines.length = 0
})

afterEach(async () => {
  await rm(folder, { recursive: true })
})

function print(line: string): void {
  lines.push(line)
}

test('replaces the lock of a process that has ended', async () => {
  await writeFile(`${file.path}.lock`, '999999999 1')

  const release = await lock(file, print)
  const holder = await readFile(`${file.path}.lock`, 'utf8')
  release()

  expect(holder).toMatch(new RegExp(`^${process.pid} `))
  expect(lines).toEqual([])
})

test('names the lock that it cannot remove when its process has ended', async () => {
  await writeFile(`${file.path}.lock`, '999999999 1')
  // The lock is renamed to this path before it is removed. A folder at this path prevents that, like a read-only disk.
  await mkdir(`${file.path}.lock.${process.pid}`)

  await expect(lock(file, print)).rejects.toMatchObject({
    code: 'unwritable_state',
    message:
      `Cannot save the state to ${file.name}: the lock ${file.path}.lock of a process that has ended cannot be removed, ` +
      'because it is a folder. Make the folder writable, or name another file.',
  })
})

test('prints a line when it cannot remove the lock at the end', async () => {
  const release = await lock(file, print)
  await rm(`${file.path}.lock`)
  await mkdir(`${file.path}.lock`)

  release()

  expect(lines).toEqual([
    expect.stringMatching(
      /^Cannot remove the lock .*state\.json\.lock: .*\. The next start removes it\.$/,
    ),
  ])
})
