import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { RedisClient } from './redis-client.ts'
import { RedisConnection, StoreClock } from './redis-connection.ts'
import { storeScript } from './scripts/store-script.ts'

/** What the clock of the store shows at the start of a test. */
const START = 1_800_000_000_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})

afterEach(() => {
  vi.useRealTimers()
})

/** Notes a reply that told a time, and was read some milliseconds after its command was sent. */
function read(clock: StoreClock, time: number, milliseconds: number): void {
  const sentAt = performance.now()
  vi.advanceTimersByTime(milliseconds)
  clock.set('world', time, sentAt)
}

test('the time of the store is estimated from the reply that was read soonest', () => {
  const clock = new StoreClock(false)

  read(clock, START, 1)
  // The store had this time when a second of the three was over.
  read(clock, START + 1001, 3000)

  expect(clock.estimate('world')).toBe(START + 3000)
})

test('the estimate becomes later with a reply that was read sooner', () => {
  const clock = new StoreClock(false)

  read(clock, START, 3000)
  read(clock, START + 3001, 1)

  expect(clock.estimate('world')).toBe(START + 3001)
})

test('the estimate follows a clock of the store that is set back', () => {
  const clock = new StoreClock(false)

  read(clock, START, 1)
  read(clock, START - 60_000, 1)

  expect(clock.estimate('world')).toBe(START - 60_000)
})

/** A connection to a store that answers each command with these replies, and the arguments of its commands. */
async function openConnection(replies: readonly unknown[] = [[]]) {
  const commands: (readonly (string | number)[])[] = []
  const sends: (() => void)[] = []
  const client: RedisClient = {
    call: async (_command, _sha, ...args) => {
      commands.push(args)
      return [START, ...replies]
    },
    atEndOfTurn: (send) => {
      sends.push(send)
      if (sends.length === 1) setImmediate(() => sends.splice(0).forEach((one) => void one()))
    },
    awakeTime: () => 0,
    connect: async () => undefined,
    servers: async () => [],
    forWaiting: () => client,
    close: () => undefined,
  }
  const connection = new RedisConnection(client, false, () => undefined)
  // The first call asks for the time, too.
  await connection.run(SCRIPT, 'pets')
  commands.length = 0
  return { commands, connection }
}

const SCRIPT = storeScript('add', 'writes', '')

test('the calls of a script in one turn are one command, and each has its own reply or error', async () => {
  const { commands, connection } = await openConnection([['one'], new Error('CORRUPT key')])

  const calls = [connection.run(SCRIPT, 'pets', ['a', 7]), connection.run(SCRIPT, 'pets', ['b'])]
  const [first, second] = await Promise.allSettled(calls)

  expect(commands.map((args) => args.slice(3))).toEqual([[2, 'a', 7, 1, 'b']])
  expect(first).toMatchObject({ value: ['one'] })
  expect(second).toMatchObject({ status: 'rejected', reason: { name: 'StoreUnavailableError' } })
})

test('calls on other keys are commands of their own', async () => {
  const { commands, connection } = await openConnection()

  await Promise.all([connection.run(SCRIPT, 'pets', [1]), connection.run(SCRIPT, 'toys', [2])])

  expect(commands.map(([, key]) => key)).toEqual(['pets', 'toys'])
})
