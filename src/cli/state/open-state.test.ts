import { mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { StateWriter } from './open-state.ts'
import { StateFile } from './state-file.ts'

let folder = ''
let writer: StateWriter
/** The value to save, and the number of times that it was read. */
let value = 0
let reads = 0
const lines: string[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
  value = 0
  reads = 0
  lines.length = 0
  const readValue = async (): Promise<number> => {
    reads += 1
    return value
  }
  writer = new StateWriter(await StateFile.at(join(folder, 'state.json')), readValue, (line) =>
    lines.push(line),
  )
})

afterEach(async () => {
  await writer.close()
  await rm(folder, { recursive: true })
})

function savedText(): Promise<string> {
  return readFile(join(folder, 'state.json'), 'utf8')
}

test('writes at most twice for a thousand simultaneous flushes', async () => {
  const first = writer.flush()
  const others = Array.from({ length: 999 }, () => writer.flush())

  await Promise.all([first, ...others])

  expect(reads).toBeLessThanOrEqual(2)
})

test('saves a value that changes during a write when flush is called again', async () => {
  const first = writer.flush()
  await vi.waitFor(() => expect(reads).toBe(1), { interval: 0 })
  value = 1

  await writer.flush()

  expect(await savedText()).toBe('1\n')
  await first
})

test('combines many scheduled writes into one', async () => {
  for (value = 1; value < 100; value += 1) writer.scheduleWrite()

  await vi.waitFor(async () => expect(await savedText()).toBe('100\n'), 5000)

  expect(reads).toBe(1)
})

test('cancels a scheduled write when flush saves the value first', async () => {
  writer.scheduleWrite()
  await writer.flush()

  await new Promise((resolve) => setTimeout(resolve, 400))

  expect(reads).toBe(1)
})

test('performs a scheduled write at close', async () => {
  writer.scheduleWrite()
  value = 5

  const isSaved = await writer.close()

  expect([isSaved, await savedText()]).toEqual([true, '5\n'])
})

test('rejects all flushes that share a failed write', async () => {
  await rename(folder, `${folder}-away`)

  const settled = await Promise.allSettled([writer.flush(), writer.flush()])
  await rename(`${folder}-away`, folder)

  const why = expect.objectContaining({ name: 'UsageError', code: 'unwritable_state' })
  expect(settled).toEqual(Array(2).fill({ status: 'rejected', reason: why }))
  expect(lines).toHaveLength(1)
})
