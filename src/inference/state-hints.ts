import type { Schema } from '../contract/contract.ts'
import { countHint, type HeldState, SERVICE_VALUES, whileHint } from '../contract/hints.ts'
import {
  describedValues,
  escapeKey,
  listedValues,
  parsePointer,
  plainName,
  propertiesOf,
  schemaAt,
} from '../contract/schema.ts'
import { doneInstead, heldStateOf, type OfferedValues } from './action-effects.ts'
import type { Target } from './targets.ts'
import { eventIn, isMoment } from './time-names.ts'
import { isEnd } from './value-rules.ts'

type Values = Readonly<Record<string, unknown>>

const EVENT_ACTOR = /^(.+)by(?:id|uuid|gid|sid)?$/

/** The state in which a record has a time, such as `closed_at` beside `state`; `undefined` when it has no such state. */
function stateOfTime(
  name: string,
  record: Schema,
  offered: OfferedValues | undefined,
): HeldState | undefined {
  const word = eventIn(plainName(name), propertiesOf(record).get(name) ?? {})
  return word === undefined ? undefined : lastingState(word, record, offered)
}

/** The state of a record with a word, and the ends after which what began in it stays: what is `paid` has been `shipped`. */
function lastingState(
  word: string,
  record: Schema,
  offered?: OfferedValues,
): HeldState | undefined {
  const held = heldStateOf(word, record, offered)
  const own = propertiesOf(record).get(held?.property ?? '') ?? {}
  const listed = listedValues(own)
  const states = (listed.length > 0 ? listed : describedValues(own)).filter(
    (one): one is string => typeof one === 'string' && one !== held?.value && isEnd(one),
  )
  return held && states.length > 0 ? { ...held, kept: states } : held
}

/** The state that somebody has begun, such as `completed_by` beside `completed`; `undefined` when the record has no such state. */
export function stateOfActor(
  name: string,
  record: Schema,
  offered?: OfferedValues,
): HeldState | undefined {
  const [, word] = EVENT_ACTOR.exec(plainName(name)) ?? []
  return word === undefined ? undefined : lastingState(word, record, offered)
}

/** The opposite of a word, such as `approved` of `unapproved`. */
const OPPOSITE = /^(?:un|not|non|in)(?=[a-z]{4})/
const NOT_TRUE = { not: true }

/**
 * What records have that a word such as `unapproved`, `closed` or `unassigned` is about, by the places of their properties: a flag, a state, a
 * time, or a reference. `undefined` when nothing of them tells it.
 */
export function selectedBy(word: string, targets: readonly Target[]): Values | undefined {
  const plain = plainName(word)
  // The properties of a part of the record are called as those of the record.
  const record: Schema = {
    properties: Object.fromEntries(targets.map((one) => [one.plain, one.schema])),
  }
  const placeOf = (name: string): string => targets.find((one) => one.plain === name)?.place ?? name
  const own = heldStateOf(plain, record)
  if (own) return { [placeOf(own.property)]: own.value }
  const [flag] = doneInstead(plain).flatMap((one) => flagIn(one, record) ?? [])
  if (flag !== undefined) return { [placeOf(flag)]: NOT_TRUE }
  const time = timeOf(plain, targets)
  if (time !== undefined) return { [time]: { exists: true } }
  const base = plain.replace(OPPOSITE, '')
  if (base === plain) return undefined
  const ended = flagIn(base, record)
  const without = timeOf(base, targets) ?? referenceOf(base, targets)
  if (ended !== undefined) return { [placeOf(ended)]: NOT_TRUE }
  return without === undefined ? undefined : { [without]: SERVICE_VALUES.absent }
}

/** The flag of a record that is set in a state, such as `approved`. */
function flagIn(word: string, record: Schema): string | undefined {
  const held = heldStateOf(word, record)
  return held?.value === true ? held.property : undefined
}

function timeOf(word: string, targets: readonly Target[]): string | undefined {
  return targets.find((one) => eventIn(one.plain, one.schema) === word && isMoment(one.schema))
    ?.place
}

/** What a record refers to when it is `assigned` or `categorized`: its `assignee`, or its `category_id`. */
function referenceOf(word: string, targets: readonly Target[]): string | undefined {
  const stem = word.replace(/(?:i[sz])?ed$/, '')
  const stems = stem === word ? [] : [stem, stem.replace(/(.)\1$/, '$1')]
  return stems
    .filter((one) => one.length >= 3)
    .flatMap((one) => targets.find(({ plain }) => REFERRED.test(plain.replace(one, '='))) ?? [])
    .map(({ place }) => place)[0]
}

/** The end of a name that begins with such a word. */
const REFERRED = /^=(e|y|ies|ees?|ers?|e?s|(ed)?to)?(id|uuid|gid)?s?$/

/** The values of a new record, in which times of an end follow the state that they are about. */
export function withStateTimes(
  values: Values,
  schemas: readonly Schema[],
  offered?: OfferedValues,
): Values {
  const all = Object.entries(values).map(([place, value]) => {
    if (value !== SERVICE_VALUES.absent) return [place, value] as const
    const path = place.startsWith('/') ? parsePointer(place) : [place]
    const above = path.slice(0, -1).map((name) => `/${escapeKey(name)}`)
    const states = schemas.flatMap((schema) => {
      const owner = schemaAt(schema, above.join(''))
      return (owner && stateOfTime(path.at(-1) ?? '', owner, offered)) ?? []
    })
    return [place, states[0] ? whileHint(SERVICE_VALUES.now, states[0]) : value] as const
  })
  return Object.fromEntries(all)
}

/** The name of a count of records in a state: `open_issues_count`. */
export const STATE_COUNT: RegExp =
  /^(?:num|numberof)?(open|closed|active|completed?|done|pending|failed|resolved|unread|paid|unpaid|overdue|finished|archived)(.+?)(?:count|total)?$/

/** Records that others count. */
interface CountedRecords {
  readonly word: string
  readonly schema: Schema
  readonly offered?: OfferedValues | undefined
}

/**
 * The values of new records, in which counts such as `open_issues_count` say how many records below are in that state. `below` finds the
 * schema of these, and the word of their collection.
 */
export function withStateCounts(
  values: Values,
  below: (word: string) => CountedRecords | undefined,
): Values {
  const all = Object.entries(values).map(([name, value]) => {
    const [, state = '', word = ''] = (value === 0 && STATE_COUNT.exec(plainName(name))) || []
    const counted = word === '' ? undefined : below(word)
    const held = counted && heldStateOf(state, counted.schema, counted.offered)
    return [name, counted && held ? whileHint(countHint(counted.word), held) : value] as const
  })
  return Object.fromEntries(all)
}
