import { plainName } from '../../contract/schema.ts'
import { CHANGED, CREATED, isEndedTime } from '../../inference/time-names.ts'
import type { StoredRecord } from '../../records/record-table.ts'

// Examples of some dates and generated values of others may contradict each other: what ends then begins first.

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
