import { describe, expect, test } from 'vitest'
import type { ExchangeSummary } from '../../../journal/exchange.ts'
import { FilteredExchanges, matches, readFilter } from './filter.ts'

function exchange(id: number, rest: Partial<ExchangeSummary> = {}): ExchangeSummary {
  const defaults = {
    method: 'GET',
    target: '/books?limit=2',
    caller: 'valid',
    status: 200,
  } as const
  return { id, time: id, notes: [], milliseconds: 1, ...defaults, ...rest }
}

describe('the filter of the traffic', () => {
  const refused = exchange(1, {
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

  test('compares only new exchanges, and removes those that are no longer kept', () => {
    const filtered = new FilteredExchanges()
    const filter = readFilter({ status: '404' })
    const all = Array.from({ length: 10 }, (_, at) =>
      exchange(at + 1, { status: at % 2 === 0 ? 404 : 200 }),
    )
    const ids = (from: number, to: number, generation = 0): number[] =>
      filtered.read(all.slice(from, to), filter, generation).map(({ id }) => id)

    expect(ids(0, 4)).toEqual([1, 3])
    expect(ids(0, 8)).toEqual([1, 3, 5, 7])
    expect(ids(4, 10)).toEqual([5, 7, 9])
    expect(filtered.read(all, readFilter({}), 0)).toHaveLength(10)
    expect(ids(0, 2, 1)).toEqual([1])
  })
})
