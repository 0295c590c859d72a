import { expect, it } from 'vitest'
import type { QuotaHeader } from '../contract/hints.ts'
import { quotaWindow } from './report-entry.ts'

const NOON = Date.UTC(2027, 2, 1, 12)
const WINDOW = { limit: 60, remaining: 12, reset: NOON + 30_000 }
const SECONDS = String(WINDOW.reset / 1000)

it('is read from the usual headers where the document has no others', () => {
  const headers = [
    ['x-ratelimit-limit', '60'],
    ['x-ratelimit-remaining', '12'],
    ['x-ratelimit-reset', SECONDS],
  ] as const

  expect(quotaWindow(headers, NOON)).toEqual(WINDOW)
  expect(quotaWindow(headers.slice(1), NOON)).toBeUndefined()
})

it.each<[unit: QuotaHeader['unit'], sent: string]>([
  ['seconds', '30'],
  ['epoch-seconds', SECONDS],
  ['epoch-milliseconds', String(WINDOW.reset)],
  ['date-time', '2027-03-01T12:00:30Z'],
])('is read from the headers of the document, whose reset is in %s', (unit, sent) => {
  const names: readonly QuotaHeader[] = [
    { name: 'RateLimit-Limit', figure: 'limit' },
    { name: 'RateLimit-Used', figure: 'used' },
    ...(unit ? [{ name: 'RateLimit-Reset', figure: 'reset', unit } as const] : []),
  ]
  const headers = [
    ['ratelimit-limit', '60'],
    ['ratelimit-used', '48'],
    ['ratelimit-reset', sent],
  ] as const

  expect(quotaWindow(headers, NOON, names)).toEqual(WINDOW)
})

it('ends at the same time for all responses whose reset is in seconds from now', () => {
  const names: readonly QuotaHeader[] = [
    { name: 'Limit', figure: 'limit' },
    { name: 'Remaining', figure: 'remaining' },
    { name: 'Reset', figure: 'reset', unit: 'seconds' },
  ]
  const windowAt = (time: number): unknown =>
    quotaWindow(
      [
        ['limit', '60'],
        ['remaining', '12'],
        ['reset', String(Math.ceil((WINDOW.reset - time) / 1000))],
      ],
      time,
      names,
    )

  expect([0, 1, 500, 999, 1000].map((later) => windowAt(NOON + later))).toEqual(
    [0, 1, 2, 3, 4].map(() => WINDOW),
  )
})
