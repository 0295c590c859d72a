import { mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { loadContract } from '../../document/load-contract.ts'
import { createSandbox, type Snapshot } from '../../index.ts'
import { openState, StateWriter } from './open-state.ts'
import { StateFile } from './state-file.ts'

/** A loaded machine takes many times as long as an idle one. */
const SOON = { timeout: 20_000 }

let folder = ''
let writer: StateWriter
/** The value to save, and the number of times that it was read. */
let value = 0
let reads = 0
/** Called while the value is read. */
let onRead = (): void => undefined
const lines: string[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
  value = 0
  reads = 0
  onRead = () => undefined
  lines.length = 0
  const readValue = async (): Promise<number> => {
    reads += 1
    onRead()
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
  await vi.waitFor(() => expect(reads).toBe(1), { ...SOON, interval: 0 })
  value = 1

  await writer.flush()

  expect(await savedText()).toBe('1\n')
  await first
})

test('combines many scheduled writes into one', async () => {
  for (value = 1; value < 100; value += 1) writer.scheduleWrite()

  await vi.waitFor(async () => expect(await savedText()).toBe('100\n'), SOON)

  expect(reads).toBe(1)
})

test('cancels a scheduled write when flush saves the value first', async () => {
  writer.scheduleWrite()
  await writer.flush()

  await new Promise((resolve) => setTimeout(resolve, 400))

  expect(reads).toBe(1)
})

test('delays scheduled writes when two of them took long, not when the machine was paused during one', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  onRead = () => void vi.advanceTimersByTime(60_000)
  const writesSoon = (): boolean => {
    writer.scheduleWrite()
    vi.advanceTimersByTime(250)
    return vi.getTimerCount() === 0
  }

  await writer.flush()
  const afterOne = writesSoon()
  await writer.flush()
  const afterTwo = writesSoon()

  expect([afterOne, afterTwo]).toEqual([true, false])
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

describe('what changes without a request is saved', () => {
  /** A sandbox whose receiver answers always with the same status. */
  async function open(document: string, status: number) {
    const contract = await loadContract(document)
    const deliver = async (): Promise<Response> => new Response('', { status })
    const events = { to: 'http://app.test/hooks', deliver, retries: [] }
    const sandbox = createSandbox({ contract, events })
    sandbox.clock.freeze()
    const state = await openState(join(folder, 'events.json'), sandbox, {})
    const send = async (path: string, body: object): Promise<void> => {
      const headers = { 'Content-Type': 'application/json' }
      const request = { method: 'POST', headers, body: JSON.stringify(body) }
      await sandbox.fetch(new Request(`http://localhost/v1${path}`, request))
    }
    const saved = async (): Promise<Snapshot['state']> => {
      const text = await readFile(join(folder, 'events.json'), 'utf8')
      return JSON.parse(text).state
    }
    return { sandbox, state, send, saved }
  }

  test('a delivery that was accepted, and a subscription that was given up', async () => {
    const { sandbox, state, send, saved } = await open('src/testing/shop-events.yaml', 500)
    const config = { url: 'http://127.0.0.1:3000/hooks' }
    await send('/hooks', { events: ['order.created'], config })
    await send('/orders', { item: 'book' })
    await state.flush()
    await sandbox.events.settled()

    await vi.waitFor(async () => {
      const { records, events } = await saved()
      expect(records.hooks?.rows).toMatchObject([...Array(25).fill({}), { active: false }])
      expect(events?.deliveries).toEqual([])
    }, SOON)
    await state.close()
  })

  test('a change that the clock has made', async () => {
    const { sandbox, state, send, saved } = await open('src/testing/later-events.yaml', 200)
    await send('/orders/1/pack', {})
    await state.flush()
    sandbox.clock.advance('1d')
    await sandbox.events.settled()

    await vi.waitFor(async () => {
      const { records } = await saved()
      expect(records.orders?.rows.find(({ id }) => id === 1)).toMatchObject({ status: 'delivered' })
    }, SOON)
    await state.close()
  })
})
