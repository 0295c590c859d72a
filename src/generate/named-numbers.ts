import { momentFor } from './moments.ts'
import { normalizeName } from './name-words.ts'
import { cityOf } from './people.ts'
import type { Place } from './place.ts'
import type { RandomSource } from './random-source.ts'

interface Limits {
  readonly min: number | undefined
  readonly max: number | undefined
}

type Make = (place: Place, random: RandomSource, now: number) => number | undefined

/** A number that fits a name, such as a latitude; `undefined` when the name says nothing, or the limits allow no such number. */
export function namedNumber(place: Place, now: number, { min, max }: Limits): number | undefined {
  const name = normalizeName(place.name)
  const random = place.random.part('named')
  const [, make] = RULES.find(([rule]) => rule.test(name)) ?? []
  const value = make?.(place, random, now) ?? halfRange(name, random, { min, max })
  if (value === undefined || value < (min ?? value) || value > (max ?? value)) return undefined

  return value
}

/** Of a pair such as `min_price` and `max_price`, the first is the smaller one. */
function halfRange(name: string, random: RandomSource, { min, max }: Limits): number | undefined {
  const low = min ?? 1
  const high = Math.min(max ?? low + 1000, low + 1000)
  const middle = (low + high) / 2
  if (/^(min|minimum|from|lower)(_|$)|_(min|minimum|from)$/.test(name)) {
    return low + random.next() * (middle - low)
  }
  if (/^(max|maximum|upper)(_|$)|_(max|maximum|to)$/.test(name)) {
    return middle + random.next() * (high - middle)
  }
  return undefined
}

const between =
  (min: number, max: number): Make =>
  (_, random) =>
    random.integer(min, max)

/** What names say, the most specific first. */
const RULES: readonly (readonly [name: RegExp, make: Make])[] = [
  [/(^|_)lat(itude)?$/, (place) => cityOf(place.subject)?.latitude],
  [/(^|_)(lon|lng|long|longitude)$/, (place) => cityOf(place.subject)?.longitude],
  [
    /(_at|_?timestamp|_on|(^|_)(date|created|updated|modified|expires|expiry))$|_time$/,
    (place, _, now) => Math.floor(momentFor(place.name, now, place) / 1000),
  ],
  [/(_ms|_millis|epoch_ms)$/, between(10, 900)],
  [/^age$|_age$/, between(18, 80)],
  [/^year$|_year$/, (_, random, now) => new Date(now).getUTCFullYear() - random.integer(0, 8)],
  [/^month$|_month$/, between(1, 12)],
  [/^day$|_day$/, between(1, 28)],
  [/^hours?$/, between(0, 23)],
  [/^(minutes?|seconds?)$/, between(0, 59)],
  [/percent(age)?$|_pct$|^progress$/, between(0, 100)],
  [/rating$|stars$/, between(1, 5)],
  [
    /(price|amount|total|cost|fee|balance|subtotal|tax|salary|budget)$/,
    (_, random) => random.integer(500, 50_000) / 100,
  ],
  [/(quantity|qty)$/, between(1, 10)],
  [/^page$|_page$|^current_page$|page_number$/, () => 1],
  [/(per_page|page_size|^limit)$/, () => 20],
  [/^offset$/, () => 0],
  [/(count|num_.*|size)$/, between(1, 100)],
  [/^port$|_port$/, between(1024, 9999)],
  [/^(status|status_code|http_status)$/, () => undefined],
  [/^(width|height)$|_(width|height)$/, between(100, 1200)],
]
