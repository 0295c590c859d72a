import { mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { StateFile } from './state-file.ts'
import { StateWriter } from './state-writer.ts'

let folder = ''
let keeper: StateWriter
/** What is to be kept, and how often it was taken. */
let value = 0
let taken = 0
const told: string[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
  value = 0
  taken = 0
  told.length = 0
  const take = async (): Promise<number> => {
    taken += 1
    return value
  }
  keeper = new StateWriter(await StateFile.at(join(folder, 'state.json')), take, (line) =>
    told.push(line),
  )
})

afterEach(async () => {
  await keeper.close()
  await rm(folder, { recursive: true })
})

function kept(): Promise<string> {
  return readFile(join(folder, 'state.json'), 'utf8')
}

test('a thousand that ask at once cost two writes at most', async () => {
  const first = keeper.flush()
  const others = Array.from({ length: 999 }, () => keeper.flush())

  await Promise.all([first, ...others])

  expect(taken).toBeLessThanOrEqual(2)
})

test('whoever asks during a write has what was there by then on the disk', async () => {
  const first = keeper.flush()
  await vi.waitFor(() => expect(taken).toBe(1), { interval: 0 })
  value = 1

  await keeper.flush()

  expect(await kept()).toBe('1\n')
  await first
})

test('what is touched many times is written once, soon', async () => {
  for (value = 1; value < 100; value += 1) keeper.scheduleWrite()

  await vi.waitFor(async () => expect(await kept()).toBe('100\n'), 5000)

  expect(taken).toBe(1)
})

test('what is settled meanwhile is not written again', async () => {
  keeper.scheduleWrite()
  await keeper.flush()

  await new Promise((resolve) => setTimeout(resolve, 400))

  expect(taken).toBe(1)
})

test('the end writes what was touched', async () => {
  keeper.scheduleWrite()
  value = 5

  const isKept = await keeper.close()

  expect([isKept, await kept()]).toEqual([true, '5\n'])
})

test('all who share a write that fails are told', async () => {
  await rename(folder, `${folder}-away`)

  const settled = await Promise.allSettled([keeper.flush(), keeper.flush()])
  await rename(`${folder}-away`, folder)

  const why = expect.objectContaining({ name: 'UsageError', code: 'unwritable_state' })
  expect(settled).toEqual(Array(2).fill({ status: 'rejected', reason: why }))
  expect(told).toHaveLength(1)
})
