import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lock } from './lock.ts'
import { StateFile } from './state-file.ts'

let folder = ''
let file: StateFile
const told: string[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
  file = await StateFile.at(join(folder, 'state.json'))
  told.length = 0
})

afterEach(async () => {
  await rm(folder, { recursive: true })
})

function tell(line: string): void {
  told.push(line)
}

test('the lock of a process that has ended gives way', async () => {
  await writeFile(`${file.path}.lock`, '999999999 1')

  const release = await lock(file, tell)
  const holder = await readFile(`${file.path}.lock`, 'utf8')
  release()

  expect(holder).toMatch(new RegExp(`^${process.pid} `))
  expect(told).toEqual([])
})

test('the lock of a process that has ended, and cannot be removed, is no other process', async () => {
  await writeFile(`${file.path}.lock`, '999999999 1')
  // The lock is moved there before it is removed. A folder is in the way, as a read-only disk would be.
  await mkdir(`${file.path}.lock.${process.pid}`)

  await expect(lock(file, tell)).rejects.toMatchObject({
    code: 'unwritable_state',
    message:
      `Cannot save the state to ${file.name}: the lock ${file.path}.lock of a process that has ended cannot be removed, ` +
      'because it is a folder. Make the folder writable, or name another file.',
  })
})

test('a lock that cannot be removed at the end stays, and a line says why', async () => {
  const release = await lock(file, tell)
  await rm(`${file.path}.lock`)
  await mkdir(`${file.path}.lock`)

  release()

  expect(told).toEqual([
    expect.stringMatching(
      /^Cannot remove the lock .*state\.json\.lock: .*\. The next start removes it\.$/,
    ),
  ])
})
