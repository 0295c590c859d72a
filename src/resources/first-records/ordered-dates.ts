import { heldStateIn } from '../../contract/hints.ts'
import { plainName, propertiesOf, requiredNames, typesIn } from '../../contract/schema.ts'
import {
  CHANGED,
  CREATED,
  eventIn,
  isAboutEnd,
  isEndedTime,
  isTimeOfEnd,
} from '../../inference/time-names.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { once } from '../../validation/objects.ts'
import type { Resource } from '../resource.ts'
import { isValid } from './is-valid.ts'

// Examples of some dates and generated values of others may contradict each other, and the state of the record: what ends begins first, and
// what has not ended has no time of its end.

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** What the ends of a range of times are called, with what else the name says. */
const BEGIN = /^(.*?)(?:starts?|begins?|from|opens?|checkin|since)(.*)$/
const END = /^(.*?)(?:ends?|finish(?:es)?|until|to|closes?|checkout|till)(.*)$/

interface Moment {
  readonly name: string
  readonly plain: string
  readonly value: string
  /** In milliseconds; of a time of day, since midnight. */
  readonly at: number
}

/** A generated record in which what ends or changes is not before what begins or creates it. */
export function withDatesInOrder(record: StoredRecord): StoredRecord {
  const moments = Object.entries(record).flatMap(([name, value]) => momentIn(name, value) ?? [])
  const moved = moments.flatMap((later) => {
    const before = moments.filter((one) => isBefore(one, later) && isSameForm(one, later))
    const start = Math.max(...before.map(({ at }) => at))
    if (before.length === 0 || later.at >= start) return []
    return [[later.name, inForm(later.value, afterStart(start, later))] as const]
  })
  return moved.length === 0 ? record : { ...record, ...Object.fromEntries(moved) }
}

/** Whether the names of two times say that one is not after the other. */
function isBefore(one: Moment, later: Moment): boolean {
  if (CREATED.test(one.plain)) return CHANGED.test(later.plain) || isEndedTime(later.plain)
  const [begin, end] = [BEGIN.exec(one.plain), END.exec(later.plain)]
  return begin !== null && end !== null && begin[1] === end[1] && begin[2] === end[2]
}

const DATE = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d:\d\d(\.\d+)?Z?)?$/
const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/

function momentIn(name: string, value: unknown): Moment | undefined {
  if (typeof value !== 'string') return undefined
  const isTime = TIME_OF_DAY.test(value)
  if (!(isTime || DATE.test(value))) return undefined
  const at = Date.parse(
    isTime ? `1970-01-01T${value}Z` : value.replace(/\d$/, '$&Z').replace(/^(.{10})Z$/, '$1'),
  )
  return Number.isNaN(at) ? undefined : { name, plain: plainName(name), value, at }
}

function isSameForm(one: Moment, other: Moment): boolean {
  return one.value.length === other.value.length
}

/** Some hours or days after the start; of a time of day, before midnight. */
function afterStart(start: number, { value }: Moment): number {
  if (value.length === DAY_LENGTH) return start + DAY
  return TIME_OF_DAY.test(value) ? Math.min(start + 8 * HOUR, DAY - HOUR / 60) : start + HOUR
}

const DAY_LENGTH = '2026-01-01'.length

/** A moment in the form of a text. */
function inForm(text: string, at: number): string {
  const iso = new Date(at).toISOString()
  if (TIME_OF_DAY.test(text)) return iso.slice(11, 11 + text.length)
  if (text.length === DAY_LENGTH) return iso.slice(0, DAY_LENGTH)
  return `${iso.slice(0, DAY_LENGTH)}${text.charAt(DAY_LENGTH)}${iso.slice(11, 19)}${text.slice(19)}`
}

/** A property of records that says when they ended, by whom, or why. */
interface End {
  readonly name: string
  /** How the word for what happened begins: `cance` of `cancelled_at` and of `cancellation_reason`. */
  readonly stem: string
  /** Whether records without such a time have `null`. */
  readonly isNull: boolean
  /** Whether the document shows one, which the record with its examples has. */
  readonly isShown: boolean
}

/** So many letters tell what happened. */
const STEM = 5
/** Ends after which records are hardly shown. */
const GONE =
  /^(delet|remov|trash|archi|cance|revok|suspe|disab|deact|rejec|faile|decli|denie|refun|termi|voide|dismi|locke|banne|block|withd|rever|expir|close)/
/** After these, they are never shown. */
const REMOVED = /^(delet|remov|trash)/
/** Of the records whose state nothing tells, one of so many has ended. */
const ENDED_OF = 5

/**
 * A generated record without the ends that its state does not tell: an open issue has no `closed_at` and no `closed_by`. Where no state and no
 * flag tells it, one of five records has ended, and none is removed. The record stays as it is where it would not be valid.
 */
export function withEndsOfState(
  record: StoredRecord,
  resource: Resource,
  { at, hasExamples }: { readonly at: number; readonly hasExamples: boolean },
): StoredRecord {
  const ends = endsOf(resource).filter(
    (end) => !(end.isShown && hasExamples && at === 0) && !hasEnded(record, end, resource, at),
  )
  if (ends.length === 0) return record
  const values = new Map(ends.map(({ name, isNull }) => [name, isNull]))
  const present = Object.entries(record).flatMap(([name, value]) => {
    const isNull = values.get(name)
    return isNull === false ? [] : [[name, isNull ? null : value] as const]
  })
  const changed = Object.fromEntries(present)
  return isValid(resource, changed) ? changed : record
}

/** The ends that records need not have had. */
const endsOf = once(({ schema }: Resource): readonly End[] => {
  const required = requiredNames(schema)
  return [...propertiesOf(schema)].flatMap(([name, one]) => {
    const plain = plainName(name)
    const isNull = typesIn(one).has('null')
    const isTime = isTimeOfEnd(plain, one)
    const event = (isTime ? eventIn(plain, one) : undefined) ?? plain
    if (!(isTime || isAboutEnd(plain)) || (required.has(name) && !isNull)) return []
    return [{ name, stem: event.slice(0, STEM), isNull, isShown: one.examples !== undefined }]
  })
})

function hasEnded(record: StoredRecord, end: End, resource: Resource, at: number): boolean {
  const held = endsOf(resource)
    .filter(({ stem }) => stem === end.stem)
    .flatMap(({ name }) => heldStateIn(resource.values?.[name]) ?? [])
  for (const { property, value, kept = [] } of held)
    if (record[property] !== undefined) return [value, ...kept].includes(String(record[property]))
  for (const [name, value] of Object.entries(record)) {
    if (typeof value === 'boolean' && stemOf(name.replace(/^is/i, '')) === end.stem) return value
    if (typeof value === 'string' && stemOf(value) === end.stem && /^[a-z]+$/i.test(value))
      return true
  }
  if (REMOVED.test(end.stem)) return false
  return !GONE.test(end.stem) || at % ENDED_OF === ENDED_OF - 1
}

function stemOf(word: string): string {
  return plainName(word).slice(0, STEM)
}
