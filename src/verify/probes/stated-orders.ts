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
import { escaped, spaced } from '../session/stated-rules.ts'
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
}

/** What values can be compared with each other: days and times, times of a day such as `09:30`, and numbers. */
type Kind = 'date' | 'clock' | 'number'

type Properties = ReadonlyMap<string, Schema>

/**
 * Values in an order that the document forbids in words, as in "422 if the end is not after the start" and "must not be greater than
 * `maximum`": both of them in a new record and in a replacement, and each of them alone in a change.
 */
export function statedOrderProbes(group: BoundResource, texts: DocumentTexts): Probe[] {
  return sendersIn(group).flatMap((sender) =>
    ordersOf(sender, texts).flatMap((order) =>
      isWhole(sender) ? wholeProbe(sender, order) : partProbes(sender, order),
    ),
  )
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
  const byNames = new Map(stated.map((one) => [`${one.least} ${one.greatest}`, one]))
  const usual = usualOrder(properties, about)
  if (usual) byNames.set(`${usual.least} ${usual.greatest}`, usual)
  const all = [...byNames.values()]
  const isFirst = (one: StatedOrder, at: number): boolean =>
    all.findIndex((o) => o.least === one.least || o.greatest === one.greatest) === at
  return all.filter(isFirst)
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
  return isRuled ? { least, greatest, kind: 'date' } : undefined
}

const LESS = '(?:before|(?:earlier|less|lower|smaller|fewer) than|at most|below)'
const MORE = '(?:after|(?:later|greater|more|higher|larger) than|at least|above|exceeds?)'
const COMPARISON = new RegExp(
  `\\b(?:(${LESS})|${MORE})\\b(?: or (?:equal to|on|at|the same as))?`,
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
): Pick<StatedOrder, 'least' | 'greatest'> | undefined {
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
    return isLess ? { least: own, greatest: other } : { least: other, greatest: own }
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

/** A value after (`sign` 1) or before another one. */
function beyond(value: unknown, sign: 1 | -1, { kind }: StatedOrder, schema: Schema = {}): unknown {
  if (kind === 'number') return typeof value === 'number' ? value + sign : undefined
  if (kind === 'clock') {
    const limit = sign > 0 ? CLOCK[3] : CLOCK[0]
    return typeof value === 'string' && value !== limit ? limit : undefined
  }
  const time = Date.parse(String(value))
  if (Number.isNaN(time)) return undefined
  return dateText(time + sign * 2 * DAY, schema)
}

function dateText(time: number, schema: Schema): string {
  const text = new Date(time).toISOString()
  return keyword(schema, 'format') === 'date' ? text.slice(0, 10) : text
}

/** Two values in the right order, or in the wrong one. */
function valuesFor(
  order: StatedOrder,
  sent: JsonObject,
  properties: Properties,
  isRight: boolean,
): JsonObject {
  const { least, greatest, kind } = order
  if (kind === 'clock') {
    const [, first, second] = CLOCK
    return isRight ? { [least]: first, [greatest]: second } : { [least]: second, [greatest]: first }
  }
  if (kind === 'number') {
    const value = Number(sent[greatest] ?? keyword(properties.get(greatest) ?? {}, 'minimum') ?? 5)
    return { [least]: isRight ? value : value + 1, [greatest]: value }
  }
  const own = properties.get(least)
  const start = Date.parse(String(sent[least] ?? new Date().toISOString()))
  const end = start + (isRight ? 2 : -2) * DAY
  return {
    [least]: dateText(start, own ?? {}),
    [greatest]: dateText(end, properties.get(greatest) ?? {}),
  }
}

function wholeProbe({ create, binding }: Sender, order: StatedOrder): Probe[] {
  const { least, greatest } = order
  const properties = propertiesIn(binding)
  if (!properties.has(least) || !properties.has(greatest)) return []
  const step = change(create, binding, (_session, sent) =>
    isObject(sent) ? valuesFor(order, sent, properties, false) : undefined,
  )
  const text = `refuses a ${greatest} ${order.kind === 'number' ? 'less than' : 'before'} the ${least}`
  // A service that refuses the right order, too, has another rule.
  const [, next = step] = binding === create ? referred(create, step) : [undefined, step]
  const steps = [orderedFirst(create, order), next]
  return statedProbe({ id: `stated/${greatest}/order`, text }, binding.operation, steps)
}

function partProbes({ create, binding }: Sender, order: StatedOrder): Probe[] {
  const { least, greatest, kind } = order
  const [below, above] = kind === 'number' ? ['less than', 'greater than'] : ['before', 'after']
  const properties = propertiesIn(binding)
  const first = orderedFirst(create, order)
  const alone = (name: string, other: string, sign: 1 | -1): Step =>
    change(create, binding, (_session, _sent, record) => {
      const limit = isObject(record) ? record[other] : undefined
      const value = beyond(limit, sign, order, properties.get(name))
      return value === undefined ? undefined : { [name]: value }
    })
  const probeOf = (name: string, text: string, step: Step): Probe[] =>
    properties.has(name)
      ? statedProbe({ id: `stated/${name}/order`, text }, binding.operation, [first, step])
      : []
  return [
    ...probeOf(greatest, `refuses a ${greatest} ${below} the ${least}`, alone(greatest, least, -1)),
    ...probeOf(least, `refuses a ${least} ${above} the ${greatest}`, alone(least, greatest, 1)),
  ]
}

/** A new record with both values in their order, where it has both. */
function orderedFirst(create: ResourceBinding, order: StatedOrder): Step {
  const given = propertiesIn(create)
  if (!given.has(order.least) || !given.has(order.greatest)) return creation(create)
  return creation(create, (request) => {
    const sent = valueAt(parseJsonText(request.body ?? ''), sentPlace(create))
    return isObject(sent)
      ? withValues(request, create, valuesFor(order, sent, given, true))
      : request
  })
}
