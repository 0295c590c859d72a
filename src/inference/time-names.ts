import type { Schema } from '../contract/contract.ts'
import { typesIn, withBranches } from '../contract/schema.ts'

// What the times in records are called, and what happens then. Names are in lower case, without separators.

/** What follows a word for an event in the name of its time. */
export const TIME = '(at|on|date|time|datetime|timestamp|utc)'

export const CREATED: RegExp = new RegExp(
  `^((created|inserted|added|registered|opened|submitted|posted|uploaded)${TIME}?|(date|time)(created|added)|creation(date|time|timestamp)|create(date|time|timestamp)|inserttime)$`,
)
export const CHANGED: RegExp = new RegExp(
  `^((updated|modified|changed|lastmodified|lastupdated|lastchanged|lastedited)${TIME}?|(date|time)(updated|modified|changed)|(last)?(update|modify|change)(date|time|timestamp)|(last)?modification(date|time|timestamp)|lastupdate)$`,
)
/** The times of what a response is about. */
export const PRESENT: RegExp =
  /^(date|time|datetime|timestamp|issuedat|acceptedat|queuedat|requestedat)$/
/** The times until which something is valid. */
export const EXPIRES: RegExp = new RegExp(
  `^((expires?|expiry|expiration|valid(until|to|thru|through))${TIME}?|(date|time)expires)$`,
)
/** The times at which happens what a record is about. */
export const HAPPENED: RegExp = new RegExp(
  `^(occurred|happened|recorded|logged|reported|placed|ordered|requested|joined|sent|received|issued)${TIME}$`,
)
/** Those of them that records with a state have when they are in it. */
export const IN_STATE: RegExp = new RegExp(`^(sent|received|issued)${TIME}$`)
/** The time at which something begins that shows no time of its creation. */
export const START: RegExp = new RegExp(`^started${TIME}$`)
const ENDED =
  'closed|deleted|ended|finished|completed|cancell?ed|archived|expired|revoked|merged|resolved|removed|suspended|disabled|rejected|failed|approved|declined|denied|accepted|confirmed|verified|captured|settled|processed|reviewed|fulfilled|released|published|signed|answered|redeemed|withdrawn|reversed|shipped|delivered|refunded|returned|terminated|stopped|voided|dismissed|locked|banned|blocked|trashed|paid|last([a-z]+ed|seen|login|success|failure|error|attempt|run|sync|use|access|delivery)'
const ENDING =
  'cancell?ation|termination|deletion|closing|closure|completion|resolution|rejection|suspension|deactivation|revocation'
const END = new RegExp(`^((${ENDED}|${ENDING})${TIME}|(date|time)(${ENDED}))$`)
const ENDER = new RegExp(`^(${ENDED}|declined|deactivated)by(id|uuid|gid|user|userid|name|email)?$`)
const REASON = new RegExp(
  `^(${ENDED}|${ENDING}|cancel|close|reject|failure|decline|refusal|denial|deactivated|ban)(reason|cause|note|notes|comment|message|explanation|description|details)(code|id|text)?$`,
)
const PAST_TIME = new RegExp(`^[a-z]{3,}ed${TIME}$`)

/** Whether a name in lower case is that of who ended a record, or why: `cancelledby`, `rejectionreason`. */
export function isAboutEnd(plain: string): boolean {
  return !/^last/.test(plain) && (ENDER.test(plain) || REASON.test(plain))
}

/** Whether a name in lower case is that of the time of something that has happened to a record since its creation, such as `activatedat`. */
export function isLaterTime(plain: string): boolean {
  return (
    PAST_TIME.test(plain) && !(CREATED.test(plain) || CHANGED.test(plain) || HAPPENED.test(plain))
  )
}

/** Whether a name in lower case is that of the time of an end, such as `closedat`. */
export function isEndedTime(plain: string): boolean {
  return END.test(plain)
}

/** What has ended, as a state. */
export const ENDED_STATE: RegExp = new RegExp(`^(${ENDED})$`)

/** Whether a property is the time of an end: `closed_at`, and `closed` with the form of a time. */
export function isTimeOfEnd(plain: string, schema: Schema): boolean {
  const isTime = END.test(plain) && isMoment(schema)
  return isTime || (ENDED_STATE.test(plain) && /^date/.test(schema.format ?? ''))
}

/** Whether the values of a schema may be moments. */
export function isMoment(schema: Schema): boolean {
  const types = typesIn(schema)
  if (types.size === 0) return withBranches(schema).some(({ format }) => /date/.test(format ?? ''))
  return types.has('string') || types.has('integer') || types.has('number')
}

const EVENT = new RegExp(`^(?:(.+?)${TIME}|(?:date|time)(.+))$`)

/** The word of the event that a time is about: `closed` of `closed_at`, of `date_closed`, and of `closed` with the form of a time. */
export function eventIn(plain: string, schema: Schema): string | undefined {
  const [, before, , after] = EVENT.exec(plain) ?? []
  return before ?? after ?? (/^date/.test(schema.format ?? '') ? plain : undefined)
}
