import type { Schema } from '../../contract/contract.ts'
import { parseJsonText } from '../../contract/json.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { JsonObject } from '../../document/json-value.ts'
import { surelyMatches } from '../../generate/matches.ts'
import { ENDS, STARTS } from '../../requests/operation-input.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import { sentPlace, valueAt } from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { escaped, sentencesOf, spaced } from '../session/stated-rules.ts'
import { withValues } from '../test-data/full-body.ts'
import { isDate, keyword, typeOf } from '../test-data/values.ts'
import type { Probe } from './probe.ts'
import {
  change,
  propertiesIn,
  referred,
  type Sender,
  sendersIn,
  sentencesAbout,
  statedProbe,
} from './stated-inputs.ts'
import { creation, type Step } from './steps.ts'

/** Two properties of a record: the value of the first one must not be greater than that of the second one. */
interface StatedOrder {
  readonly least: string
  readonly greatest: string
  readonly kind: Kind
  /** Whether both must not be equal. */
  readonly isStrict: boolean
  /** How many days the last one may be after the first one; absent without such a limit. */
  readonly longest?: number
}

/** What values can be compared with each other: days and times, times of a day such as `09:30`, and numbers. */
type Kind = 'date' | 'clock' | 'number'

type Properties = ReadonlyMap<string, Schema>

/**
 * Values in an order that the document forbids in words, as in "422 if the end is not after the start" and "must not be greater than
 * `maximum`", equal ones, and too long a time between them: both of them in a new record and in a replacement, and each of them alone in a
 * change.
 */
export function statedOrderProbes(group: BoundResource, texts: DocumentTexts): Probe[] {
  return sendersIn(group).flatMap((sender) =>
    ordersOf(sender, texts).flatMap((order) =>
      breachesOf(order).flatMap((breach) =>
        isWhole(sender) ? wholeProbe(sender, order, breach) : partProbes(sender, order, breach),
      ),
    ),
  )
}

/** How far the last value is from the first one, in days, or as a number: too little, or too much. */
interface Breach {
  readonly id: 'order' | 'equal' | 'longest'
  readonly difference: number
}

function breachesOf({ isStrict, longest }: StatedOrder): readonly Breach[] {
  return [
    { id: 'order', difference: -2 },
    ...(isStrict ? [{ id: 'equal', difference: 0 } as const] : []),
    ...(longest === undefined ? [] : [{ id: 'longest', difference: longest + 1 } as const]),
  ]
}

function isWhole({ create, binding }: Sender): boolean {
  return binding === create || binding.action === 'replace'
}

function ordersOf({ create, binding }: Sender, texts: DocumentTexts): readonly StatedOrder[] {
  const properties = propertiesIn(binding)
  const kinds = new Map<string, Kind>()
  for (const [name, schema] of new Map([...propertiesIn(create), ...properties])) {
    const kind = kindOf(schema)
    if (kind) kinds.set(name, kind)
  }
  const names = [...kinds.keys()]
  const about = (name: string): readonly string[] => sentencesAbout(name, binding.operation, texts)
  const stated = names.flatMap((name) =>
    about(name).flatMap((sentence) => {
      const found = orderIn(sentence, name, names)
      const kind = kinds.get(name)
      const isAlike = found && kind === kinds.get(found.least) && kind === kinds.get(found.greatest)
      return found && kind && isAlike ? [{ ...found, kind }] : []
    }),
  )
  const usual = usualOrder(properties, about)
  const operation = sentencesOf(texts.operation(binding.operation.id))
  const byNames = new Map<string, StatedOrder>()
  for (const one of [...(usual ? [usual] : []), ...stated]) {
    const key = `${one.least} ${one.greatest}`
    const isStrict =
      byNames.get(key)?.isStrict || (one.isStrict && !mayBeEqual(one, about, operation))
    byNames.set(key, { ...one, isStrict, ...longestOf(one, operation) })
  }
  const all = [...byNames.values()]
  const isFirst = (one: StatedOrder, at: number): boolean =>
    all.findIndex((o) => o.least === one.least || o.greatest === one.greatest) === at
  return all.filter(isFirst)
}

/** Whether a sentence about one of two values, or one about days, says that they may be equal. */
function mayBeEqual(
  { least, greatest, kind }: StatedOrder,
  about: (name: string) => readonly string[],
  operation: readonly string[],
): boolean {
  const isAllowed = operation.some((one) => SAME_DAY.test(one))
  return (
    (kind === 'date' && isAllowed) ||
    [...about(least), ...about(greatest)].some((one) => EQUAL.test(one))
  )
}

const EQUAL = /\b(equal|the same|same (day|date|time)|identical)\b/i
const SAME_DAY = /\bsame (day|date|time)\b.*\b(allowed|permitted|possible|valid|fine)\b/i

/** "A stay is at most 30 nights long": how many days are between two dates at most. */
const LONGEST =
  /\b(?:longer than|more than|exceeds?|at most|up to|maximum(?: of)?|no longer than|not exceed)\s+(\d+)\s+(nights?|days?|weeks?)\b/i

/** What such a sentence is about: a length of time, with a refusal. */
const LENGTH = /\b(long|longer|lasts?|length|duration|spans?|nights?|period)\b/i
const RULED = /\b(4\d\d|must|cannot|can ?not|at most|refused|rejected)\b/i

/** Lengths that a price, or another time than that of the record, depends on. */
const OF_OTHERS =
  /\b(discount|fees?|prices?|free|costs?|charged?|per cent|percent|rates?|advance|ahead|ago|old|future|past|per (day|week|month|year)|from today)\b|%/i

function longestOf(
  { kind }: StatedOrder,
  operation: readonly string[],
): Pick<StatedOrder, 'longest'> {
  if (kind !== 'date') return {}
  // Several rules may stand in one sentence.
  const parts = operation.flatMap((one) => one.split(/, and /))
  for (const part of parts) {
    const [, count = '', unit = ''] = LONGEST.exec(part) ?? []
    const isRule = LENGTH.test(part) && RULED.test(part) && !OF_OTHERS.test(part)
    if (count !== '' && isRule) return { longest: Number(count) * (/^week/i.test(unit) ? 7 : 1) }
  }
  return {}
}

/** How the values of a property are compared. */
export function kindOf(schema: Schema): Kind | undefined {
  const type = typeOf(schema) ?? ''
  if (isDate(schema)) return 'date'
  if (type === 'integer' || type === 'number') return 'number'
  const isClock = type === 'string' && keyword(schema, 'pattern') !== undefined
  return isClock && CLOCK.every((one) => surelyMatches(schema, one)) ? 'clock' : undefined
}

/** Times of a day: the first and the last one, and two between. */
const CLOCK = ['00:00', '11:00', '12:00', '23:59'] as const

/** A start and an end by their names, where a sentence compares one of them with anything. */
function usualOrder(
  properties: Properties,
  about: (name: string) => readonly string[],
): StatedOrder | undefined {
  const named = (names: RegExp): string | undefined =>
    [...properties].find(
      ([name, schema]) =>
        names.test(name.replace(/([a-z])([A-Z])/g, '$1_$2')) && kindOf(schema) === 'date',
    )?.[0]
  const [least, greatest] = [named(STARTS), named(ENDS)]
  if (least === undefined || greatest === undefined) return undefined
  const isRuled = [...about(least), ...about(greatest)].some((one) =>
    /\b(before|after|later|earlier)\b/i.test(one),
  )
  return isRuled ? { least, greatest, kind: 'date', isStrict: false } : undefined
}

const LESS = '(?:before|(?:earlier|less|lower|smaller|fewer) than|at most|below)'
const MORE = '(?:after|(?:later|greater|more|higher|larger) than|at least|above|exceeds?)'
const COMPARISON = new RegExp(
  `\\b(?:(${LESS})|${MORE})\\b( or (?:equal to|on|at|the same as))?`,
  'g',
)

/** What a sentence says of a refusal, and not of what is allowed: "422 if", "is refused when", and "an end before the start is refused". */
const REFUSED_IF = /\b(?:4\d\d|refused|rejected|invalid|error)\b.*\b(if|when|where|unless)\b/
const IS_REFUSED = /^(?!.*\b(else|otherwise)\b).*\b(4\d\d|refused|rejected|invalid|not allowed)\b/
const ALLOWED = /\b(must|has to|have to|needs? to|should)\b/

function isOfRefusal(before: string, after: string): boolean {
  const [, word] = REFUSED_IF.exec(before) ?? []
  if (word !== undefined) return word !== 'unless'
  return IS_REFUSED.test(after) && !ALLOWED.test(before)
}

/** What says more of the second value than its name: "after the start of the season". */
const MORE_WORDS = /^ (of|and|if|when|while|for|plus|minus|times|in|on|by|as|than)\b/

/** What a sentence says of two properties. `subject` is the one whose description it is, or which it names. */
function orderIn(
  text: string,
  subject: string,
  names: readonly string[],
): Omit<StatedOrder, 'kind'> | undefined {
  const sentence = spaced(text)
  for (const match of sentence.matchAll(COMPARISON)) {
    const [before, after] = [
      sentence.slice(0, match.index),
      sentence.slice(match.index + match[0].length),
    ]
    const other = names.find((name) => startsWith(after, name))
    const rest = other && after.slice(after.indexOf(spaced(other)) + spaced(other).length)
    if (other === undefined || rest === undefined || MORE_WORDS.test(rest)) continue
    const own = lastIn(before, names) ?? subject
    if (own === other) continue
    // "422 if it is not after the start" and "must be after the start" say the same.
    const isDenied = /\b(not|never|no|cannot|can't)( \w+)?\s*$/.test(before)
    const isForbidden = isOfRefusal(before, rest)
    const isLess = ((match[1] !== undefined) !== isDenied) !== isForbidden
    // "Must be after", and "422 if it is not after", but neither "422 if it is before" nor "at most".
    const isStrict = isDenied === isForbidden && !match[2] && !/^at /.test(match[0])
    const [least, greatest] = isLess ? [own, other] : [other, own]
    return { least, greatest, isStrict }
  }
  return undefined
}

function startsWith(text: string, name: string): boolean {
  return new RegExp(`^ (?:the |its |their )?${escaped(spaced(name))}(?!\\w)`).test(text)
}

/** The property that is named last in a text. */
function lastIn(text: string, names: readonly string[]): string | undefined {
  const places = names.map((name) => {
    const words = spaced(name)
    const all = [...text.matchAll(new RegExp(`(?<!\\w)${escaped(words)}(?!\\w)`, 'g'))]
    const at = all.at(-1)?.index
    return { name, end: at === undefined ? -1 : at + words.length }
  })
  const last = places.toSorted((one, next) => next.end - one.end).at(0)
  return last && last.end >= 0 ? last.name : undefined
}

const DAY = 24 * 3_600_000

/** A value that is so far from another one, in days, or as a number. */
function beyond(
  value: unknown,
  difference: number,
  { kind }: StatedOrder,
  schema: Schema = {},
): unknown {
  if (kind === 'number')
    return typeof value === 'number' ? value + Math.sign(difference) : undefined
  if (kind === 'clock') {
    const limit = difference > 0 ? CLOCK[3] : CLOCK[0]
    if (difference === 0) return value
    return typeof value === 'string' && value !== limit ? limit : undefined
  }
  const time = Date.parse(String(value))
  return Number.isNaN(time) ? undefined : dateText(time + difference * DAY, schema)
}

function dateText(time: number, schema: Schema): string {
  const text = new Date(time).toISOString()
  return keyword(schema, 'format') === 'date' ? text.slice(0, 10) : text
}

/** How far two values in the right order are from each other. */
const RIGHT = 2

/** Two values that are so far from each other. */
function valuesFor(
  order: StatedOrder,
  sent: JsonObject,
  properties: Properties,
  difference: number,
): JsonObject {
  const { least, greatest, kind, isStrict } = order
  if (kind === 'clock') {
    const [, first, second] = CLOCK
    const start = difference > 0 ? first : second
    return { [least]: start, [greatest]: difference < 0 ? first : second }
  }
  if (kind === 'number') {
    const value = Number(sent[greatest] ?? keyword(properties.get(greatest) ?? {}, 'minimum') ?? 5)
    const step = difference > 0 ? Number(isStrict) : Math.sign(difference)
    return { [least]: value - step, [greatest]: value }
  }
  const own = properties.get(least)
  const start = Date.parse(String(sent[least] ?? new Date().toISOString()))
  return {
    [least]: dateText(start, own ?? {}),
    [greatest]: dateText(start + difference * DAY, properties.get(greatest) ?? {}),
  }
}

/** What the values of a breach are called: "before the start", "equal to the start". */
function told({ id, difference }: Breach, kind: Kind, sign: 1 | -1): string {
  if (id === 'equal') return 'equal to'
  if (id === 'longest') return `${difference} days ${sign < 0 ? 'after' : 'before'}`
  const [below, above] = kind === 'number' ? ['less than', 'greater than'] : ['before', 'after']
  return sign < 0 ? below : above
}

function wholeProbe({ create, binding }: Sender, order: StatedOrder, breach: Breach): Probe[] {
  const { least, greatest, kind } = order
  const properties = propertiesIn(binding)
  if (!properties.has(least) || !properties.has(greatest)) return []
  const step = change(create, binding, (_session, sent) =>
    isObject(sent) ? valuesFor(order, sent, properties, breach.difference) : undefined,
  )
  const text = `refuses a ${greatest} ${told(breach, kind, -1)} the ${least}`
  // A service that refuses the right order, too, has another rule.
  const [, next = step] = binding === create ? referred(create, step) : [undefined, step]
  const steps = [orderedFirst(create, order), next]
  return statedProbe({ id: `stated/${greatest}/${breach.id}`, text }, binding.operation, steps)
}

function partProbes({ create, binding }: Sender, order: StatedOrder, breach: Breach): Probe[] {
  const { least, greatest, kind } = order
  const properties = propertiesIn(binding)
  const first = orderedFirst(create, order)
  const alone = (name: string, other: string, sign: 1 | -1): Step =>
    change(create, binding, (_session, _sent, record) => {
      const limit = isObject(record) ? record[other] : undefined
      const value = beyond(limit, -sign * breach.difference, order, properties.get(name))
      return value === undefined ? undefined : { [name]: value }
    })
  const probeOf = (name: string, other: string, sign: 1 | -1): Probe[] => {
    const text = `refuses a ${name} ${told(breach, kind, sign)} the ${other}`
    const id = `stated/${name}/${breach.id}`
    return properties.has(name)
      ? statedProbe({ id, text }, binding.operation, [first, alone(name, other, sign)])
      : []
  }
  return [...probeOf(greatest, least, -1), ...probeOf(least, greatest, 1)]
}

/** A new record with both values in their order, where it has both. */
function orderedFirst(create: ResourceBinding, order: StatedOrder): Step {
  const given = propertiesIn(create)
  if (!given.has(order.least) || !given.has(order.greatest)) return creation(create)
  return creation(create, (request) => {
    const sent = valueAt(parseJsonText(request.body ?? ''), sentPlace(create))
    return isObject(sent)
      ? withValues(request, create, valuesFor(order, sent, given, RIGHT))
      : request
  })
}
