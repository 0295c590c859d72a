import type { Schema } from '../contract/contract.ts'
import { isObject } from '../validation/objects.ts'
import { examplesOf } from './constraints.ts'
import { isMomentName, momentFor } from './named-values.ts'
import { inFormOf, nameOf, slugOf } from './names.ts'
import type { Place } from './place.ts'
import { normalizeName } from './words.ts'

// Values like those of the document's examples. One record shows the example. In the others, what tells records apart differs, and
// what must be valid elsewhere, such as a region, is the same.

/** Names of values that other parts of an API must know: they are as in the example. */
const SHARED =
  /(^|_)(region|zone|datacenter|location|currency|language|lang|locale|country|country_code|time_?zone|tz|type|kind|class|scope|driver|engine|runtime|platform|os|arch(itecture)?|units?|format|mime_type|content_type|media_type|version|plan|tier|model|provider|protocol|method|mode|level|role|visibility|object|environment|env|stage|gateway|network|image|engine|permissions?|events?|features?)(_?(name|code|slug|id))?$/

/** Values of a state that any API may have. */
const USUAL_STATES: ReadonlySet<string> = new Set(['active', 'pending', 'inactive'])

/** Names of what an object is called. */
const CALLED =
  /^(name|title|label|slug|subject|headline|caption|handle|alias|uid|key|identifier|full_name|display_name|code_?name)$|_(slug|uid|key|identifier|title)$/

/** Longer texts are no codes, so other digits would make no sense in them. */
const MAX_VARIED = 60

/** The texts in the examples of a value: those of its schemas, else that of what contains it. */
function textsIn(applied: readonly Schema[], { sample }: Place): readonly string[] {
  const own = applied.flatMap(examplesOf).filter((one) => typeof one === 'string')
  return own.length > 0 || typeof sample !== 'string' ? own : [sample]
}

/** Texts like the examples of a value: `first` before any others, `last` where nothing else fits. */
export function textsLikeExamples(
  applied: readonly Schema[],
  place: Place,
  now: number,
): { readonly first: readonly string[]; readonly last: readonly string[] } {
  const texts = textsIn(applied, place).filter((text) => text !== '')
  const name = normalizeName(place.name)
  const isState = /(status|state)$/.test(name) && texts.some((text) => !USUAL_STATES.has(text))
  if (isState || SHARED.test(name)) return { first: texts, last: [] }
  if (CALLED.test(name)) {
    return { first: texts.map((text) => inFormOf(text, nameOf(place))), last: texts }
  }
  const isCode = (text: string): boolean =>
    /\d/.test(text) && (text.length <= MAX_VARIED || /^[\w:-]+$/.test(text))
  const random = place.random.part('example')
  const other = (digit: string): string => (digit === '0' ? digit : String(random.integer(1, 9)))
  const paths = texts.flatMap((text) => pathLike(text, place) ?? [])
  const varied = texts
    .filter(isCode)
    .map(
      (text) => timeLike(text, place) ?? dateLike(text, place, now) ?? text.replace(/\d/g, other),
    )

  return { first: [...paths, ...varied], last: texts.filter((text) => !isCode(text)) }
}

/** A path, or an address without a query, that ends with another name than its example; `undefined` when the example is none. */
function pathLike(text: string, place: Place): string | undefined {
  const [, start, word] =
    /^((?:https?:\/\/[^/\s]+)?(?:\/[^/?#\s]+)*\/)([A-Za-z_-]+)$/.exec(text) ?? []
  return start && word && `${start}${slugOf(nameOf(place))}`
}

const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d(?=$|:[0-5]\d$)/

/** A time of day in the form of an example, at most two hours and a half from it; `undefined` when the example is none. */
function timeLike(text: string, { random }: Place): string | undefined {
  const [time, hour] = TIME_OF_DAY.exec(text) ?? []
  if (time === undefined) return undefined
  const steps = random.part('time').integer(-10, 10)
  const minutes = Number(hour) * 60 + Number(time.slice(3)) + steps * 15
  const own = Math.min(Math.max(minutes, 0), 24 * 60 - 15)

  return new Date(own * 60_000).toISOString().slice(11, 16) + text.slice(5)
}

/** A date in the form of an example; `undefined` when the example is none. */
function dateLike(text: string, place: Place, now: number): string | undefined {
  if (!/^\d{4}-\d\d-\d\d|^\w{3}, \d/.test(text) || Number.isNaN(Date.parse(text))) return undefined
  const moment = new Date(momentFor(place.name, now, place))
  const [, zone] = MAIL_DATE.exec(text) ?? []
  if (zone !== undefined) return moment.toUTCString().replace('GMT', zone)
  const iso = moment.toISOString()
  if (text.length === 10) return iso.slice(0, 10)

  return /^[\d-]{10}[T ][\d:]{8}(\.\d+)?Z?$/.test(text)
    ? `${iso.slice(0, 10)}${text.charAt(10)}${iso.slice(11, 19)}${text.slice(19)}`
    : undefined
}

/** A date of mail and HTTP, such as `Mon, 02 Jan 2006 15:04:05 +0000`, with its zone. */
const MAIL_DATE = /^\w{3}, \d\d \w{3} \d{4} [\d:]{8} (GMT|UTC|[+-]0000)$/

/** A number of the size of the example of a value; `undefined` when there is none. */
export function numberLikeExample(
  applied: readonly Schema[],
  place: Place,
  now: number,
): number | undefined {
  const { sample, name, random } = place
  const own = applied.flatMap(examplesOf).find((one) => typeof one === 'number')
  const size = own ?? sample
  if (typeof size !== 'number' || !Number.isFinite(size) || size === 0) return undefined
  // In milliseconds; times in seconds have their name's value.
  if (isMomentName(name)) return size > 1e11 ? momentFor(name, now, place) : undefined
  if (SHARED.test(normalizeName(name))) return size
  const [, decimals = ''] = String(size).split('.')

  return Number((size * (0.4 + 1.5 * random.part('size').next())).toFixed(decimals.length))
}

/** Flags of an end are rarely set, and those of a beginning usually are. */
const OFF =
  /(^|_)(archived|deleted|locked|closed|disabled|suspended|banned|blocked|cancell?ed|expired|trashed|revoked|removed|error|failed|limited)$|_error$/
const ON = /(^|_)(enabled|active|visible|verified|confirmed)$/

/** A flag that is usually as in the example, or as its name says. */
export function flagFor(applied: readonly Schema[], { name, sample, random }: Place): boolean {
  const plain = normalizeName(name)
  const own = applied.flatMap(examplesOf).find((one) => typeof one === 'boolean') ?? sample
  const isRare = random.part('boolean').next()
  if (OFF.test(plain)) return isRare < 0.1
  if (ON.test(plain)) return isRare < 0.9

  if (own === true) return isRare < 0.75

  return isRare < (own === false ? 0.25 : 0.5)
}

/** The sample of an object: that of what contains it, else an example of its schemas. */
export function objectSample(applied: readonly Schema[], { sample }: Place): unknown {
  return sample ?? applied.flatMap(examplesOf).find((one) => isObject(one))
}
