import { afterEach, describe, expect, it, vi } from 'vitest'
import { createSandbox } from '../sandbox/sandbox.ts'
import { exampleExchange } from '../testing/example-exchange.ts'
import type { Duration } from '../time/duration.ts'
import { UsageError } from '../validation/usage-error.ts'
import type { Exchange } from './exchange.ts'
import { Journal, type JournalEntry, type JournalListener, RingBuffer } from './journal.ts'

const CREATOR = { name: 'test', version: '1' }

/** Its rows are the exchanges themselves. */
const open = ({ facts }: JournalEntry<Exchange>): Exchange => facts

function exchangeOf(id: number, more: Partial<Exchange> = {}): Exchange {
  return exampleExchange({ id, time: id * 1000, target: '/pets', ...more })
}

function fill(journal: Journal<Exchange>, entries: readonly Partial<Exchange>[]): void {
  for (const entry of entries) {
    journal.add({ numbers: [], facts: exchangeOf(journal.last + 1, entry) })
  }
}

function journalOf(
  size: number,
  entries: readonly Partial<Exchange>[],
  listeners = new Set<JournalListener>(),
): Journal<Exchange> {
  const journal = new Journal(size, listeners, open, CREATOR)
  fill(journal, entries)
  return journal
}

function any(count: number): Partial<Exchange>[] {
  return Array.from({ length: count }, () => ({}))
}

function idsOf(exchanges: readonly Exchange[]): number[] {
  return exchanges.map(({ id }) => id)
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
}

describe('the journal', () => {
  it.each<[size: number, entries: number, ids: readonly number[], dropped: number]>([
    [3, 0, [], 0],
    [3, 2, [1, 2], 0],
    [3, 3, [1, 2, 3], 0],
    [3, 4, [2, 3, 4], 1],
    [3, 5, [3, 4, 5], 2],
    [3, 6, [4, 5, 6], 3],
    [3, 100, [98, 99, 100], 97],
    [1, 5, [5], 4],
    [0, 0, [], 0],
    [0, 5, [], 5],
  ])(
    'with a size of %i keeps the latest of %i exchanges, oldest first',
    (size, entries, ids, dropped) => {
      const journal = journalOf(size, any(entries))

      expect(idsOf(journal.exchanges)).toEqual(ids)
      expect(journal).toMatchObject({ last: entries, dropped })
    },
  )

  it('returns a list that later exchanges do not change', () => {
    const journal = journalOf(3, any(2))
    const { exchanges } = journal

    fill(journal, any(1))

    expect(exchanges).toHaveLength(2)
  })

  it.each([0, 2])('with a size of %i calls every listener with each exchange, in order', (size) => {
    const calls: string[] = []
    const listeners = new Set<JournalListener>([
      (read) => calls.push(`one ${read().id}`),
      (read) => calls.push(`other ${read().id}`),
    ])

    journalOf(size, any(3), listeners)

    expect(calls).toEqual(['one 1', 'other 1', 'one 2', 'other 2', 'one 3', 'other 3'])
  })
})

describe('a listener that throws', () => {
  it('does not stop the others, and its error is reported', async () => {
    const error = new Error('The listener fails')
    const calls: number[] = []
    const reported = new Promise((resolve) => {
      const others = process.listeners('unhandledRejection')
      process.removeAllListeners('unhandledRejection')
      process.once('unhandledRejection', (reason) => {
        for (const other of others) process.on('unhandledRejection', other)
        resolve(reason)
      })
    })
    const listeners = new Set<JournalListener>([
      () => {
        throw error
      },
      (read) => calls.push(read().id),
    ])

    journalOf(1, any(1), listeners)

    expect(calls).toEqual([1])
    expect(await reported).toBe(error)
  })
})

const MIXED: readonly Partial<Exchange>[] = [
  { status: 200 },
  { status: 404, operation: 'getPet', key: '…_pro' },
  { status: 429, key: '…_pro' },
  { status: 0, key: '…' },
  { status: 201, operation: 'createPet' },
]

describe('a search', () => {
  it.each<[name: string, query: object, ids: readonly number[]]>([
    ['without conditions', {}, [1, 2, 3, 4, 5]],
    ['by an undefined value', { operation: undefined }, [1, 2, 3, 4, 5]],
    ['by operation', { operation: 'createPet' }, [5]],
    ['by status', { status: 404 }, [2]],
    ['by a class of statuses', { status: '4xx' }, [2, 3]],
    ['by a missing response', { status: 0 }, [4]],
    ['by a complete key', { key: 'sk_sandbox_pro' }, [2, 3]],
    ['by the end of a key', { key: 'pro' }, [2, 3]],
    ['by a key as the journal shows it', { key: '…free' }, [1, 5]],
    ['since a time, inclusive', { since: 3000 }, [3, 4, 5]],
    ['until a time, inclusive', { until: new Date(3000) }, [1, 2, 3]],
    ['between two times', { since: '1970-01-01T00:00:02Z', until: 3000 }, [2, 3]],
    ['after an id', { after: 3 }, [4, 5]],
    ['after a future id', { after: 9 }, []],
    ['with a limit, the latest ones,', { limit: 2 }, [4, 5]],
    ['with a limit from the start', { limit: 2, from: 'start' }, [1, 2]],
    ['by a status, with a limit', { status: '4xx', limit: 1, from: 'start' }, [2]],
    ['after an id, with a limit', { after: 1, limit: 2 }, [2, 3]],
    ['after an id, with a limit from the end', { after: 1, limit: 2, from: 'end' }, [4, 5]],
    [
      'by all conditions together',
      { operation: 'listPets', status: '4xx', key: 'pro', after: 2 },
      [3],
    ],
  ])('%s finds the matching exchanges, oldest first', (_name, query, ids) => {
    const journal = journalOf(10, MIXED)

    expect(idsOf(journal.find(query))).toEqual(ids)
  })

  it('does not find dropped exchanges', () => {
    const journal = journalOf(2, MIXED)

    expect(idsOf(journal.find({ status: '4xx' }))).toEqual([])
    expect(idsOf(journal.find({ after: 1, limit: 1 }))).toEqual([4])
    expect(journal.dropped).toBe(3)
  })

  it.each<[query: object, code: string, reason: string]>([
    [{ oparation: 'listPets' }, 'unknown_option', 'unknown field "oparation"'],
    [
      { status: '4x' },
      'invalid_query',
      `status must be a status such as 404, or a class such as '4xx' (got "4x")`,
    ],
    [{ status: 4.5 }, 'invalid_option', 'the value must be an integer ≥ 0 (got 4.5)'],
    [{ key: '' }, 'invalid_query', 'key must be an API key, or the end of one (got "")'],
    [{ since: 'noon' }, 'invalid_instant', 'it is not a date, or a time with its time zone'],
    [{ after: -1 }, 'invalid_option', 'the value must be an integer ≥ 0 (got -1)'],
    [{ from: 'middle' }, 'invalid_query', "from must be 'start' or 'end' (got \"middle\")"],
    [{ limit: 0 }, 'invalid_option', 'the value must be an integer ≥ 1 (got 0)'],
  ])('by %j is rejected', async (query, code, reason) => {
    const journal = journalOf(2, [])

    expect(() => journal.find(query)).toThrow(expect.objectContaining({ code, reason }))
    expect(await rejection(journal.waitFor(query))).toMatchObject({ code, reason })
  })
})

describe('a search for an unknown operation', () => {
  it('is rejected where the operations are known', async () => {
    const operations = [{ id: 'listPets' }, { id: 'getPet' }]
    const journal = new Journal(5, new Set(), open, CREATOR, operations)
    const mistake = expect.objectContaining({
      code: 'invalid_query',
      reason: 'unknown operation "listPet"',
      suggestion: 'listPets',
    })

    expect(() => journal.find({ operation: 'listPet' })).toThrow(mistake)
    await expect(journal.waitFor({ operation: 'listPet' })).rejects.toThrow(mistake)
    await expect(journal.toHar({ operation: 'listPet' })).rejects.toThrow(mistake)
    expect(journal.find({ operation: 'getPet' })).toEqual([])
  })

  it('is rejected by a sandbox', () => {
    expect(() => createSandbox().journal.find({ operation: 'listPet' })).toThrow('"listPets"?')
  })
})

describe('a wait', () => {
  it.each<Duration>(['-5ms', -5])('of %s is rejected', async (timeout) => {
    await expect(journalOf(1, MIXED).waitFor({}, { timeout })).rejects.toThrow(
      'Cannot use the option timeout: the value must be an integer ≥ 0 (got -5).',
    )
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  it('resolves with the first exchange that exists already', async () => {
    const journal = journalOf(10, MIXED)

    expect(await journal.waitFor({ status: '4xx' })).toMatchObject({ id: 2 })
  })

  it('resolves with the first matching exchange that ends later', async () => {
    const listeners = new Set<JournalListener>()
    const journal = journalOf(0, MIXED, listeners)

    const waiting = journal.waitFor({ operation: 'createPet', after: journal.last })
    fill(journal, [{}, { operation: 'createPet', status: 400 }, { operation: 'createPet' }])

    expect(await waiting).toMatchObject({ id: 7, status: 400 })
    expect(listeners.size).toBe(0)
  })

  it('continues in the next journal after a reset', async () => {
    const listeners = new Set<JournalListener>()
    const journal = journalOf(10, any(5), listeners)

    const waiting = journal.waitFor({ after: journal.last })
    journalOf(10, [{ status: 201 }], listeners)

    expect(await waiting).toMatchObject({ id: 1, status: 201 })
  })

  it('without a match rejects in time, and lists the latest exchanges', async () => {
    const listeners = new Set<JournalListener>()
    const journal = journalOf(10, MIXED, listeners)

    const waiting = rejection(journal.waitFor({ status: '5xx' }, { timeout: '20ms' }))
    fill(journal, [{ target: '/pets?limit=2' }])
    const error = await waiting

    expect(error).toEqual(
      new Error(
        'No exchange matched {"status":"5xx"} within 20ms. Latest exchanges: ' +
          '#2 GET /pets 404 (getPet), #3 GET /pets 429 (listPets), #4 GET /pets 0 (listPets), ' +
          '#5 GET /pets 201 (createPet), #6 GET /pets?limit=2 200 (listPets).',
      ),
    )
    expect(listeners.size).toBe(0)
  })

  it('without any exchange says so', async () => {
    const error = await rejection(journalOf(10, []).waitFor({}, { timeout: 1 }))

    expect(error).toEqual(new Error('No exchange matched {} within 1 ms. Latest exchanges: none.'))
  })

  it('ends in real time, also with fake timers', async () => {
    vi.useFakeTimers()

    const error = await rejection(journalOf(10, []).waitFor({}, { timeout: 1 }))

    expect(error).toBeInstanceOf(Error)
  })

  it.each<object>([{ timeout: 'soon' }, { timeuot: 5 }])('with %j is rejected', async (options) => {
    const error = await rejection(journalOf(10, any(1)).waitFor({}, options))

    expect(error).toBeInstanceOf(UsageError)
  })
})

function filled(size: number, count: number): RingBuffer<string> {
  const ring = new RingBuffer<string>(size)
  for (let at = 0; at < count; at += 1) ring.add({ numbers: [at, at / 8, NaN], facts: `f${at}` })
  return ring
}

describe('a ring buffer', () => {
  it.each<[size: number, count: number, there: number[]]>([
    [3, 0, []],
    [3, 2, [0, 1]],
    [3, 3, [0, 1, 2]],
    [3, 7, [4, 5, 6]],
    [1, 4, [3]],
    [0, 4, []],
  ])('of size %i keeps, of %i entries, those after %j', (size, count, there) => {
    const ring = filled(size, count)

    const { dropped } = ring

    const rows = Array.from({ length: count - dropped }, (_, at) => ring.at(dropped + at))

    expect(rows.map(({ facts }) => facts)).toEqual(there.map((at) => `f${at}`))
    expect(ring.count).toBe(count)
  })

  it('returns numbers exactly, after any number of entries', () => {
    const ring = filled(1000, 1730)

    for (let at = 730; at < 1730; at += 1) {
      expect(ring.at(at)).toEqual({ numbers: [at, at / 8, NaN], facts: `f${at}` })
    }
  })

  it('returns entries that later entries do not change', () => {
    const ring = filled(2, 2)
    const row = ring.at(0)

    ring.add({ numbers: [7, 7, 7], facts: 'new' })

    expect(row).toEqual({ numbers: [0, 0, NaN], facts: 'f0' })
  })

  it('takes no memory in advance', () => {
    const ring = new RingBuffer<string>(2 ** 50)

    ring.add({ numbers: [1], facts: 'one' })

    expect(ring.at(0)).toEqual({ numbers: [1], facts: 'one' })
  })
})
