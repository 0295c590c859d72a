import { describe, expect, test } from 'vitest'
import type { ExchangeSummary } from '../journal/exchange.ts'
import { MAX_KEPT, matches, OTHERS, readFilter, Traffic } from './traffic.ts'

function exchange(id: number, rest: Partial<ExchangeSummary> = {}): ExchangeSummary {
  const defaults = { method: 'GET', target: '/books', caller: 'valid', status: 200 } as const
  return { id, time: id, notes: [], milliseconds: 1, ...defaults, ...rest }
}

describe('the traffic', () => {
  test('counts every exchange and keeps the latest ones in bounded memory', () => {
    const traffic = new Traffic()

    // A thousand exchanges per second for one minute.
    for (let id = 1; id <= 60_000; id += 1) traffic.add(exchange(id), id)

    expect(traffic.counted).toBe(60_000)
    expect(traffic.statuses.get('200')).toBe(60_000)
    expect(traffic.exchanges.length).toBeGreaterThanOrEqual(MAX_KEPT)
    expect(traffic.exchanges.length).toBeLessThan(MAX_KEPT + 1000)
    expect(traffic.exchanges.at(-1)?.id).toBe(60_000)
    expect(traffic.perSecond(60_500)).toBe(1000)
  })

  test('counts by operation, status and key', () => {
    const traffic = new Traffic()

    traffic.add(exchange(1, { operation: 'listBooks', key: '…free' }), 0)
    traffic.add(exchange(2, { operation: 'listBooks', status: 429, key: '…free' }), 0)
    traffic.add(exchange(3, { status: 404 }), 0)

    expect(Object.fromEntries(traffic.operations)).toEqual({ listBooks: 2, '': 1 })
    expect(Object.fromEntries(traffic.statuses)).toEqual({ 200: 1, 429: 1, 404: 1 })
    expect(Object.fromEntries(traffic.keys)).toEqual({ '…free': 2, '': 1 })
  })

  test('has a version for each operation, which others do not change', () => {
    const traffic = new Traffic()
    traffic.add(exchange(1, { operation: 'listBooks' }), 0)
    const first = traffic.versionOf('listBooks')

    traffic.add(exchange(2, { operation: 'addBook' }), 0)
    expect(traffic.versionOf('listBooks')).toBe(first)
    traffic.add(exchange(3, { operation: 'listBooks' }), 0)
    expect(traffic.versionOf('listBooks')).not.toBe(first)
    traffic.clear()
    traffic.add(exchange(1, { operation: 'listBooks' }), 0)
    expect(traffic.versionOf('listBooks')).not.toBe(first)
  })

  test('counts what the answers of each operation are made of', () => {
    const traffic = new Traffic()

    traffic.add(exchange(1, { operation: 'listBooks', source: 'record' }), 0)
    traffic.add(exchange(2, { operation: 'listBooks', source: 'handler' }), 0)
    traffic.add(exchange(3, { operation: 'listBooks', source: 'handler' }), 0)
    traffic.add(exchange(4, { operation: 'listBooks', status: 429 }), 0)

    expect([...(traffic.sources.get('listBooks') ?? [])]).toEqual([
      ['record', 1],
      ['handler', 2],
    ])
    traffic.clear()
    expect(traffic.sources.size).toBe(0)
  })

  test('counts keys with the same end by their ids, and names them differently', () => {
    const traffic = new Traffic()

    traffic.add(exchange(1, { key: '…test', client: 'a' }), 0)
    traffic.add(exchange(2, { key: '…test', client: 'b' }), 0)
    traffic.add(exchange(3, { key: '…test', client: 'a' }), 0)

    expect([...traffic.keys].map(([id, count]) => [traffic.keyName(id), count])).toEqual([
      ['…test', 2],
      ['…test (2)', 1],
    ])
  })

  test('starts again when ids start again, as after a reset or a restart of the server', () => {
    const traffic = new Traffic()
    for (let id = 1; id <= 3; id += 1) traffic.add(exchange(id), 0)
    const { generation } = traffic

    traffic.add(exchange(1), 0)

    expect(traffic.exchanges.map(({ id }) => id)).toEqual([1])
    expect(traffic.counted).toBe(1)
    expect(traffic.generation).not.toBe(generation)
  })

  test('counts more than a thousand names together', () => {
    const traffic = new Traffic()

    for (let id = 1; id <= 5000; id += 1) traffic.add(exchange(id, { key: `…${id}` }), 0)

    expect(traffic.keys.size).toBe(1001)
    expect(traffic.keys.get(OTHERS)).toBe(4000)
  })

  test('keeps requests per second for two minutes', () => {
    const traffic = new Traffic()

    for (let id = 1; id <= 1000; id += 1) traffic.add(exchange(id), id * 1000)

    expect(traffic.perSecond(1_001_000)).toBe(1)
    expect(traffic.perSecond(2000)).toBe(0)
  })
})

describe('the filter of the traffic', () => {
  const refused = exchange(1, {
    target: '/books?limit=2',
    operation: 'listBooks',
    key: '…free',
    client: 'one',
    status: 429,
    refusal: { code: 'rate_limited', message: 'Too many requests' },
  })

  test.each([
    [{}, true],
    [{ operation: 'listBooks' }, true],
    [{ operation: 'getBook' }, false],
    [{ status: '429' }, true],
    [{ status: '4xx' }, true],
    [{ status: '5xx' }, false],
    [{ status: '42' }, false],
    [{ key: '…free' }, true],
    [{ key: '…paid' }, false],
    [{ key: 'one' }, true],
    [{ key: 'other' }, false],
    [{ text: 'get /BOOKS' }, true],
    [{ text: 'too many' }, true],
    [{ text: 'rate_limited' }, true],
    [{ text: '/pets' }, false],
    [{ text: '/books', status: '2xx' }, false],
  ])('%j matches a refused request: %j', (query, isMatch) => {
    expect(matches(refused, readFilter(query))).toBe(isMatch)
  })

  test('selects from the exchanges that are kept', () => {
    const traffic = new Traffic()
    const filter = readFilter({ status: '404' })
    const add = (id: number): void =>
      traffic.add(exchange(id, { status: id % 1000 === 1 ? 404 : 200 }))
    const ids = (): number[] => traffic.matching(filter).map(({ id }) => id)

    for (let id = 1; id <= 2001; id += 1) add(id)
    expect(ids()).toEqual([1, 1001, 2001])
    for (let id = 2002; id <= MAX_KEPT + 1000; id += 1) add(id)
    expect(ids()).toEqual([1001, 2001, 3001, 4001, 5001])
    add(1)
    expect(ids()).toEqual([1])
  })

  test('is applied once to an exchange, and to each new one', () => {
    const traffic = new Traffic()
    const text = (typed: string) => readFilter({ text: typed })
    for (let id = 1; id <= 3; id += 1) traffic.add(exchange(id, { target: `/books/${id}` }))

    const found = traffic.matching(text('BOOKS/2'))
    traffic.add(exchange(4, { target: '/books/24' }))
    traffic.add(exchange(5, { target: '/books/5' }))

    expect(traffic.matching(text('BOOKS/2'))).toBe(found)
    expect(found.map(({ id }) => id)).toEqual([2, 4])
    expect(traffic.matching(text('books/5')).map(({ id }) => id)).toEqual([5])
  })
})
