import type { Schema } from '../contract/contract.ts'
import {
  type HeldState,
  type MarkHints,
  type OperationHints,
  SERVICE_VALUES,
} from '../contract/hints.ts'
import {
  describedValues,
  isNumeric,
  isObjectSchema,
  itemsOf,
  listedValues,
  plainName,
  propertiesOf,
  requiredNames,
  typesIn,
} from '../contract/schema.ts'
import { isSameWord, wordsOf } from './id-property.ts'
import { escaped } from './path-shape.ts'
import { renewedBy } from './secrets.ts'
import { eventIn, isMoment } from './time-names.ts'
import { PARTS } from './value-rules.ts'

/**
 * What an action and its opposite are called, and the words of the states that they lead to: of values of a status, of dates and of
 * flags, the best one first. All are in lower case, without separators.
 */
interface ActionRule {
  readonly verbs: string
  readonly done: string
  /** What the opposite is called, besides the verbs with `un` before them. */
  readonly opposites?: string
  readonly undone?: string
  /** Whether the state is one of the caller, so that only a flag of the record tells it. */
  readonly isOfCaller?: true
}

/** Every rule. An action may have several; what the first one says counts. */
export const ACTION_RULES: readonly ActionRule[] = [
  { verbs: 'cancel cancellation', done: 'cancelled canceled', opposites: 'reinstate' },
  { verbs: 'abort', done: 'aborted cancelled canceled' },
  { verbs: 'close', done: 'closed', opposites: 'reopen open', undone: 'open opened reopened' },
  { verbs: 'resolve', done: 'resolved', opposites: 'reopen', undone: 'open opened reopened' },
  {
    verbs: 'complete finish',
    done: 'completed complete finished done',
    opposites: 'reopen incomplete',
    undone: 'open reopened active inprogress todo',
  },
  {
    verbs: 'archive',
    done: 'archived',
    opposites: 'restore',
    undone: 'unarchived active open',
  },
  {
    verbs: 'trash softdelete',
    done: 'trashed deleted',
    opposites: 'restore undelete recover',
    undone: 'restored active open',
  },
  { verbs: 'publish publication', done: 'published live active', undone: 'unpublished draft' },
  { verbs: 'hide', done: 'hidden', opposites: 'show', undone: 'visible' },
  { verbs: 'approve approval', done: 'approved accepted', undone: 'unapproved' },
  { verbs: 'reject rejection', done: 'rejected declined denied' },
  { verbs: 'decline', done: 'declined rejected denied' },
  { verbs: 'deny', done: 'denied rejected declined' },
  { verbs: 'accept acceptance', done: 'accepted' },
  { verbs: 'confirm confirmation', done: 'confirmed succeeded' },
  { verbs: 'verify', done: 'verified' },
  { verbs: 'acknowledge ack', done: 'acknowledged acked', undone: 'unacknowledged open' },
  { verbs: 'dismiss', done: 'dismissed' },
  {
    verbs: 'stop',
    done: 'stopped exited',
    opposites: 'start restart',
    undone: 'started running active inprogress',
  },
  {
    verbs: 'shutdown poweroff turnoff halt',
    done: 'shutdown offline off poweredoff stopped halted shuttingdown',
    opposites: 'boot startup poweron turnon',
    undone: 'running online on poweredon active started booted booting',
  },
  {
    verbs: 'pause',
    done: 'paused',
    opposites: 'resume start play',
    undone: 'resumed running playing active started inprogress',
  },
  { verbs: 'play', done: 'playing' },
  {
    verbs: 'suspend suspension',
    done: 'suspended',
    opposites: 'resume reactivate reinstate',
    undone: 'active',
  },
  {
    verbs: 'disable',
    done: 'disabled inactive deactivated',
    opposites: 'enable',
    undone: 'enabled idle active activated',
  },
  {
    verbs: 'deactivate deactivation',
    done: 'deactivated inactive disabled deprovisioned',
    opposites: 'activate activation reactivate',
    undone: 'active activated enabled',
  },
  { verbs: 'terminate', done: 'terminated' },
  { verbs: 'expire', done: 'expired' },
  { verbs: 'revoke', done: 'revoked' },
  { verbs: 'lock', done: 'locked', undone: 'unlocked open' },
  { verbs: 'freeze', done: 'frozen', undone: 'active' },
  { verbs: 'ban', done: 'banned', undone: 'active' },
  { verbs: 'block', done: 'blocked', undone: 'unblocked active' },
  { verbs: 'mute', done: 'muted' },
  { verbs: 'submit submission', done: 'submitted inreview review pending' },
  { verbs: 'schedule', done: 'scheduled schedule', undone: 'unscheduled draft save' },
  { verbs: 'send', done: 'sent' },
  { verbs: 'sign', done: 'signed' },
  { verbs: 'issue', done: 'issued' },
  { verbs: 'post', done: 'posted' },
  { verbs: 'release', done: 'released' },
  { verbs: 'redeem', done: 'redeemed' },
  { verbs: 'claim', done: 'claimed', undone: 'unclaimed open' },
  { verbs: 'settle', done: 'settled' },
  { verbs: 'withdraw', done: 'withdrawn' },
  { verbs: 'skip', done: 'skipped' },
  { verbs: 'escalate', done: 'escalated' },
  { verbs: 'launch', done: 'launched live' },
  { verbs: 'deploy', done: 'deployed', undone: 'undeployed' },
  { verbs: 'win', done: 'won' },
  { verbs: 'lose', done: 'lost' },
  { verbs: 'uncollectible', done: 'uncollectible' },
  { verbs: 'finalize finalise', done: 'finalized finalised final open' },
  { verbs: 'merge', done: 'merged closed' },
  { verbs: 'pay payment', done: 'paid' },
  { verbs: 'capture', done: 'captured succeeded' },
  { verbs: 'refund', done: 'refunded' },
  { verbs: 'void', done: 'voided void' },
  { verbs: 'fulfill fulfil fulfillment', done: 'fulfilled' },
  { verbs: 'ship', done: 'shipped' },
  { verbs: 'dispatch', done: 'dispatched' },
  { verbs: 'deliver', done: 'delivered' },
  { verbs: 'return', done: 'returned' },
  { verbs: 'read seen markasread markread', done: 'read seen', undone: 'unread' },
  { verbs: 'default setdefault makedefault setasdefault', done: 'default primary' },
  { verbs: 'primary setprimary makeprimary setasprimary', done: 'primary default' },
  { verbs: 'star', done: 'starred', isOfCaller: true },
  { verbs: 'pin', done: 'pinned', isOfCaller: true },
  { verbs: 'follow', done: 'following followed', isOfCaller: true },
  { verbs: 'watch', done: 'watching watched', isOfCaller: true },
  { verbs: 'subscribe', done: 'subscribed', isOfCaller: true },
  { verbs: 'like', done: 'liked', isOfCaller: true },
  { verbs: 'bookmark', done: 'bookmarked', isOfCaller: true },
  {
    verbs: 'favourite favorite',
    done: 'favourited favorited favourite favorite',
    isOfCaller: true,
  },
]

/** What an action does: the words of the states that it leads to, and of those that it ends. */
interface Meaning {
  readonly done: readonly string[]
  readonly ended: readonly string[]
  /** Whether it is the opposite of an action, whose date it takes back. */
  readonly isOpposite: boolean
  readonly isOfCaller: boolean
  /** Whether it begins again what has begun before, such as `reopen`. Default: no. */
  readonly isAgain?: boolean
}

/** What begins again, and the dates that stay. */
const AGAIN = /^re(open|sume|instate|activate)/
const FIRST = /^(opened|started|activated)$/

/** The meanings by the plain form of each word, in the order of the rules. */
const MEANINGS: ReadonlyMap<string, readonly Meaning[]> = meaningsByWord()

function meaningsByWord(): ReadonlyMap<string, readonly Meaning[]> {
  const known = new Map<string, Meaning[]>()
  for (const { verbs, done, opposites = '', undone = '', isOfCaller = false } of ACTION_RULES) {
    const [doing, ended] = [listed(done), listed(undone)]
    const own = new Set([...listed(verbs), ...doing])
    const meaning = { done: doing, ended, isOpposite: false, isOfCaller }
    for (const word of own) known.set(word, [...(known.get(word) ?? []), meaning])
    const opposite = { done: ended, ended: doing, isOpposite: true, isOfCaller }
    for (const word of new Set([...listed(opposites), ...[...own].map((one) => `un${one}`)])) {
      const undoing = { ...opposite, isAgain: AGAIN.test(word) }
      if (!own.has(word)) known.set(word, [...(known.get(word) ?? []), undoing])
    }
  }
  return known
}

/** What a word for an action means, such as `cancel`, `cancelOrder` or `mark-as-paid`. `word` is that of the collection. */
function meaningsOf(action: string, word: string): readonly Meaning[] {
  const names = wordsOf(action).filter((one, at) => at === 0 || !isSameWord(one, word))
  const verb = names.join('').replace(/^mark(?:edas|as|ed)?(?=.)/, '')
  return (MEANINGS.get(verb) ?? []).map((meaning) => ownFirst(meaning, verb))
}

/** A meaning in which the words of the verb's own stem come first: `finished` of `finish`, before `completed`. */
function ownFirst(meaning: Meaning, verb: string): Meaning {
  const stem = verb.replace(/[ey]?(?:d|ed)?$/, '')
  const isOwn = (one: string): boolean => one.startsWith(stem)
  if (meaning.isOpposite || stem.length < MIN_STEM) return meaning
  const { done } = meaning
  return { ...meaning, done: [...done.filter(isOwn), ...done.filter((one) => !isOwn(one))] }
}

const MIN_STEM = 4

/** The words for what an action has done, such as `cancelled` and `canceled` of `cancel`; none of an unknown action. */
export function doneWords(action: string): readonly string[] {
  return meaningsOf(action, '').flatMap(({ done }) => done)
}

/** The words for what has been done to a record which is in no such state as `open`: `closed`, and others. */
export function doneInstead(word: string): readonly string[] {
  return ACTION_RULES.flatMap(({ done, undone = '' }) =>
    listed(undone).includes(word) ? listed(done) : [],
  )
}

/** A mark that a word such as `star`, `unstar`, `starred` or `stars` says the caller puts on a record, or takes back. */
export function callerMark(
  word: string,
  record: Schema,
): { readonly mark: MarkHints; readonly isOpposite: boolean } | undefined {
  const [meaning] = [word, word.replace(/s$/, '')]
    .flatMap((one) => meaningsOf(one, ''))
    .filter(({ isOfCaller }) => isOfCaller)
  if (!meaning) return undefined
  const [name = '', ...forms] = [...meaning.done, ...meaning.ended]
  const rule = ACTION_RULES.find(({ done }) => listed(done).includes(name))
  if (!rule) return undefined
  const counted = listed(rule.verbs).join('|')
  const counts = new RegExp(
    `^(?:total|num|numberof)?(?:${counted})(?:s|rs?|ers?|gazers?|d|red)?(?:count|total)?$`,
  )
  const properties = [...propertiesOf(record)].map(
    ([one, own]) => [one, plainName(one), own] as const,
  )
  const done = { ...meaning, done: [name, ...forms], ended: [] }
  const [flag] = properties.find(([, plain, own]) => flagOf(plain, own, done)) ?? []
  const [count] = properties.find(([, plain, own]) => counts.test(plain) && isNumeric(own)) ?? []

  const shown = { ...(flag !== undefined && { flag }), ...(count !== undefined && { count }) }

  return { mark: { name, ...shown }, isOpposite: meaning.isOpposite }
}

/** What another verb means: its own form for what is done, such as `mailed` of `mail`. */
function regularMeaning(action: string): Meaning {
  const plain = plainName(action)
  const stem = plain.replace(/e$/, '')
  const done = [`${stem}ed`, `${plain.replace(/y$/, 'i')}ed`, `${plain}${plain.at(-1)}ed`]
  const [, undone] = /^un(\w{3,})$/.exec(plain) ?? []
  const ended = undone === undefined ? [] : regularMeaning(undone).done
  return { done: [...new Set(done)], ended, isOpposite: ended.length > 0, isOfCaller: false }
}

function listed(words: string): readonly string[] {
  return words.split(' ').filter((word) => word !== '')
}

function oppositeOf({ done, ended, isOpposite, isOfCaller }: Meaning): Meaning {
  return { done: ended, ended: done, isOpposite: !isOpposite, isOfCaller }
}

/** An action on a record. */
export interface NamedAction {
  /** The last segment of its path, such as `cancel`. */
  readonly name: string
  /** The word for the records, such as `orders`. */
  readonly word: string
  /** Whether the request undoes the action: a DELETE on its path. */
  readonly isUndone: boolean
  /** Whether the request has no values. Default: it may have some. */
  readonly isBare?: boolean
  /** The values that requests list for properties of the records. Default: none. */
  readonly offered?: OfferedValues
}

/** The values that requests list for properties, by their plain names: `open` and `closed` of `state`. */
export type OfferedValues = ReadonlyMap<string, readonly unknown[]>

/**
 * The property that tells whether a record is in a state with a word, such as `closed`, and its value then: a flag such as `completed`, or a
 * status such as `state`. `undefined` when it has none.
 */
export function heldStateOf(
  word: string,
  record: Schema,
  offered?: OfferedValues,
): HeldState | undefined {
  const rules = ACTION_RULES.map(({ done }) => listed(done)).filter((done) => done.includes(word))
  const meaning = { ...REMOVAL, done: [word, ...rules.flat()] }
  for (const [property, schema] of propertiesOf(record))
    if (flagOf(plainName(property), schema, meaning)) return { property, value: true }
  const [state] = Object.entries(stateIn(record, meaning))
  if (!state) return anyStateOf(meaning.done, record, offered)

  return { property: state[0], value: state[1] }
}

/** The value of a status of any texts with one of the words: as requests list it, else the first word. */
function anyStateOf(
  [first = '', ...others]: readonly string[],
  record: Schema,
  offered: OfferedValues = new Map(),
): HeldState | undefined {
  const property = [...propertiesOf(record)].find(
    ([name, schema]) => /^(status|state)$/.test(plainName(name)) && isAnyText(schema),
  )?.[0]
  if (property === undefined) return undefined
  const listed = offered.get(plainName(property)) ?? [first]
  const value = listed.find((one) => [first, ...others].includes(plainName(String(one))))

  return value === undefined ? undefined : { property, value }
}

/** The values that an action sets in records of a schema, by its name; `undefined` when the name or the records do not tell. */
export function inferEffect(
  { name, word, isUndone, isBare = false, offered }: NamedAction,
  record: Schema,
): OperationHints['set'] {
  const renewed = isUndone ? undefined : renewedBy(name, record, isBare)
  if (renewed !== undefined) return { [renewed]: SERVICE_VALUES.revision }
  const named = meaningsOf(name, word)
  const meanings = isUndone ? named.map(oppositeOf) : named
  const other = named.length > 0 || isUndone ? [] : [regularMeaning(name)]
  const effects = [...meanings, ...other].map((meaning) => effectIn(record, meaning))
  const known = Object.assign({}, ...effects.reverse())
  const set = { ...freeStateIn(record, known, meanings[0], offered), ...known }

  return Object.keys(set).length > 0 ? set : undefined
}

/** A condition, or what is so before. */
const IF = /\b(if|when|unless|only|must|already|while|until|once|not)\b/i

/**
 * The values that the description of an action says it sets: of a property with a list of values, true or false of a flag, and null.
 * `undefined` when it says none.
 */
export function describedEffect(description: string, record: Schema): Values | undefined {
  const sentences = description
    .replace(/<\/?code>|[`"']/g, '')
    .split(/[.;:]\s|\n\s*(?:\n|[-*]\s)/)
    .map((one) => one.replace(/\s+/g, ' '))
    .filter((one) => !IF.test(one))
  const set = [...propertiesOf(record)].flatMap(([name, schema]): readonly Effect[] => {
    const states = listedValues(schema).filter((one) => typeof one === 'string')
    const values = typesIn(schema).has('boolean') ? [true, false] : states
    const value = values.find((one) => says(sentences, name, String(one)))
    const isEmptied =
      value === undefined && typesIn(schema).has('null') && saysNull(sentences, name)
    if (isEmptied) return [[name, null]]
    return value === undefined ? [] : [[name, value]]
  })
  return set.length > 0 ? Object.fromEntries(set) : undefined
}

type Effect = readonly [name: string, value: unknown]

/** "Sets `status` to `closed`", "sets the status closed", "its status becomes closed". */
function says(sentences: readonly string[], name: string, value: string): boolean {
  const own = wordsOf(name).map(escaped).join('[\\s_-]*')
  const forms = [
    `sets? (?:the |its )?${own}(?: of (?:the|an?) [\\w-]+)?(?: to)? ${escaped(value)}`,
    `${own} (?:is set to|changes to|becomes) ${escaped(value)}`,
    `becomes [\\w-]+ and (?:the |its )?${own} ${escaped(value)}`,
  ]
  const pattern = new RegExp(`\\b(?:${forms.join('|')})\\b`, 'i')
  return sentences.some((one) => pattern.test(one))
}

/** "closed_at and resolution become null", "sets the borrower to null", "clears `borrower`". */
function saysNull(sentences: readonly string[], name: string): boolean {
  const pattern = new RegExp(
    `\\b${escaped(name)}\\b(?:,? (?:and )?[\\w.]+){0,2} (?:becomes?|is|is set to|to) null\\b|\\bclears (?:the |its )?${escaped(name)}\\b|\\bbecomes [\\w-]+ and (?:the |its )?${escaped(name)} null\\b`,
    'i',
  )
  return sentences.some((one) => pattern.test(one))
}

/**
 * What the response of a removal says about it: `deleted: true`, `status: canceled`, `deleted: 1` or `deleted_id` for instance; `undefined`
 * when it says nothing. `id` is the property that contains the id, and `said` what the document says of the operation: "Terminate a
 * subscription" tells which of several words for an end is meant.
 */
export function inferRemoval(shown: Schema, id: string, said = ''): OperationHints['set'] {
  const figures = [...propertiesOf(shown)].flatMap(([name, schema]): readonly Figure[] => {
    const plain = plainName(name)
    if (REMOVED_COUNT.test(plain) && isNumeric(schema)) return [[name, 1] as const]
    const items = itemsOf(schema)
    const isNamed = (items ? REMOVED_IDS : REMOVED_ID).test(plain) && isNamable(items ?? schema)
    const own = `{record.${id}}`
    return isNamed && !id.startsWith('$') ? [[name, items ? [own] : own] as const] : []
  })
  const [verb = ''] = wordsOf(said)
  const removal = { ...REMOVAL, done: [...doneWords(verb), ...REMOVAL.done] }
  const set = { ...effectIn(shown, removal), ...Object.fromEntries(figures) }
  return Object.keys(set).length > 0 ? set : undefined
}

type Figure = readonly [name: string, value: unknown]

/** How many records were removed, and which. */
const REMOVED_COUNT =
  /^(deleted|removed|affected)(count|rows|records|items)?$|^(num|numberof|rows)(deleted|removed|affected)$/
const REMOVED_ID = /^(deleted|removed)(id|uuid|key)?$/
const REMOVED_IDS = /^(deleted|removed)\w*ids$/

/** Whether a value may be an id: a number or a text without a form. */
function isNamable(schema: Schema): boolean {
  const isText = typesIn(schema).has('string') && schema.format === undefined
  return (isText || isNumeric(schema)) && listedValues(schema).length === 0
}

const REMOVAL: Meaning = {
  done: listed(
    'deleted removed cancelled canceled terminated revoked archived closed success successful ok',
  ),
  ended: [],
  isOpposite: false,
  isOfCaller: false,
}

/**
 * The values of its status that a record may have before an action, by the description of the 409 that the action has: those that it
 * names as needed, or all but those that it names. `undefined` when it names none.
 */
export function inferTransition(
  set: Values,
  record: Schema,
  conflict: string,
): OperationHints['from'] {
  for (const [name, target] of Object.entries(set)) {
    const values = listedValues(propertiesOf(record).get(name) ?? {})
    const states = values.filter((value) => typeof value === 'string')
    if (!states.includes(String(target)) || !SAYS_STATE.test(conflict)) continue
    const needed = states.filter((one) => one !== target && isNamed(one, conflict, NEEDED))
    const others = states.filter((one) => !isNamed(one, conflict))
    const allowed = needed.length > 0 ? needed : others
    if (allowed.length > 0 && allowed.length < states.length) return { [name]: allowed }
  }
  return undefined
}

const SAYS_STATE = /\b(already|only|must|not|cannot|can't|is|are|was|been|status|state)\b/i

/** What a description has before a state that the record must have, such as "is neither in status `new` nor". */
const NEEDED =
  '\\b(?:not|neither|only|must be|unless|other than)\\s+(?:(?:it|in|is|an?|the|stat(?:us|e)|stage|phase)\\s+)*' +
  // "Unless the order is open".
  '(?:[\\w-]+\\s+(?:is|are)\\s+)?' +
  '(?:["\'`]?[\\w-]+["\'`]?(?:,|,?\\s+n?or)\\s+)*["\'`]?'

/** Whether a text names a state, in which separators may be spaces. */
function isNamed(state: string, text: string, before = '\\b'): boolean {
  const words = wordsOf(state).join('[\\s_-]*')
  return words !== '' && new RegExp(`${before}${words}\\b`, 'i').test(text)
}

type Values = Readonly<Record<string, unknown>>

/** Objects in a record that tell its state. */
const STATE_PARTS = /^(state|status)$/

/** The parts of a record have no parts with a state. */
const MAX_DEPTH = 2

function effectIn(record: Schema, meaning: Meaning, depth = 1): Values {
  const properties = [...propertiesOf(record)]
  const required = requiredNames(record)
  const set: Record<string, unknown> = meaning.isOfCaller ? {} : stateIn(record, meaning)
  for (const [name, schema] of properties) {
    const plain = plainName(name)
    const value = meaning.isOfCaller
      ? flagOf(plain, schema, meaning)
      : (flagOf(plain, schema, meaning) ??
        dateOf(plain, schema, { ...meaning, isRequired: required.has(name) }))
    if (value !== undefined) set[name] = value
    const isPart = (PARTS.test(plain) || STATE_PARTS.test(plain)) && isObjectSchema(schema)
    const isOpen = (isPart || isAboutEvent(schema)) && depth < MAX_DEPTH
    const all = Object.entries(isOpen ? effectIn(schema, meaning, depth + 1) : {})
    const inner = Object.fromEntries(all.filter(([, one]) => isPart || one === SERVICE_VALUES.now))
    if (Object.keys(inner).length > 0) set[name] = inner
  }
  return set
}

/** Whether an object may be what is known of an event once it has happened, and is null before: `approval: { approved_at, approved_by }`. */
function isAboutEvent(schema: Schema): boolean {
  return isObjectSchema(schema) && typesIn(schema).has('null') && !propertiesOf(schema).has('id')
}

/** The status of a record, as far as it has one with the word of the state. */
function stateIn(record: Schema, { done }: Meaning): Record<string, unknown> {
  const states = [...propertiesOf(record)]
    .filter(([name]) => /(status|state|stage|phase|lastevent)$/.test(plainName(name)))
    .sort(([one], [other]) => plainName(one).length - plainName(other).length)
  for (const [name, schema] of states) {
    const value = stateOf(schema, done)
    if (value !== undefined) return { [name]: value }
  }
  return {}
}

/**
 * The status of a record as a word that its schema does not list, as its status may be any text: one that requests list, else the word itself,
 * unless a flag or another status tells the state.
 */
function freeStateIn(
  record: Schema,
  known: Values,
  meaning: Meaning | undefined,
  offered: OfferedValues | undefined,
): Values {
  // Of a status that may be any text, `active` is likelier than `unarchived`.
  const word = meaning?.done.find((one) => !UNDONE.test(one)) ?? meaning?.done[0]
  const isTold = Object.values(known).some((value) => !TIMES.has(value))
  const [name, schema] =
    [...propertiesOf(record)].find(([one]) => /^(status|state)$/.test(plainName(one))) ?? []
  if (word === undefined || meaning?.isOfCaller || name === undefined || !schema) return {}
  if (!isAnyText(schema)) return {}
  const value = stateOf({ enum: offered?.get(plainName(name)) ?? [] }, meaning?.done ?? [])
  if (value !== undefined) return { [name]: value }
  if (isTold) return {}
  const { example } = schema
  const isUpper = typeof example === 'string' && example === example.toUpperCase()

  return { [name]: isUpper ? word.toUpperCase() : word }
}

const UNDONE = /^(un|re)(archived|published|deleted|stored|activated|suspended)$/

function isAnyText(schema: Schema): boolean {
  const { format, pattern } = schema
  const values = [...listedValues(schema), ...describedValues(schema)]
  return typesIn(schema).has('string') && values.length === 0 && !format && !pattern
}

/** What an action sets in dates. */
const TIMES: ReadonlySet<unknown> = new Set([SERVICE_VALUES.now, SERVICE_VALUES.absent])

/** The value of a status with the first of the words that it has. Values may begin with the same words, such as `ORDER_STATUS_OPEN`. */
function stateOf(schema: Schema, words: readonly string[]): string | undefined {
  const listed = listedValues(schema)
  const all = listed.length > 0 ? listed : describedValues(schema)
  const values = all.filter((value) => typeof value === 'string')
  const shared = sharedBeginning(values)
  for (const word of words) {
    const found = values.find(
      (value) => plainName(value) === word || plainName(value.slice(shared)) === word,
    )
    if (found !== undefined) return found
  }
  return undefined
}

/** How many characters all values begin with, up to a separator. */
function sharedBeginning([first = '', ...others]: readonly string[]): number {
  const length = [...first].findIndex((character, at) =>
    others.some((other) => other[at] !== character),
  )
  return others.length === 0 ? 0 : first.slice(0, Math.max(length, 0)).lastIndexOf('_') + 1
}

function flagOf(plain: string, schema: Schema, { done, ended }: Meaning): boolean | undefined {
  if (!typesIn(schema).has('boolean')) return undefined
  const word = plain.replace(/^(is|has|was|been)+(?=.)/, '')
  if (done.includes(word)) return true

  return ended.includes(word) ? false : undefined
}

function dateOf(
  plain: string,
  schema: Schema,
  {
    done,
    ended,
    isOpposite,
    isRequired,
    isAgain = false,
  }: Meaning & { readonly isRequired: boolean },
): string | undefined {
  const word = eventIn(plain, schema)
  if (word === undefined || !isMoment(schema) || (isAgain && FIRST.test(word))) return undefined
  if (done.includes(word)) return SERVICE_VALUES.now
  const isCleared = isOpposite && ended.includes(word)

  return isCleared && (!isRequired || typesIn(schema).has('null'))
    ? SERVICE_VALUES.absent
    : undefined
}
