import type { Schema } from '../contract/contract.ts'
import { belowHint, countHint, pathHint, SERVICE_VALUES, slugHint } from '../contract/hints.ts'
import {
  depthOf,
  describedValues,
  escapeKey,
  isExpandable,
  isFreeObject,
  isNumeric,
  isObjectSchema,
  itemsOf,
  listedValues,
  nameAt,
  plainName,
  propertiesOf,
  requiredNames,
  typesIn,
  withBranches,
} from '../contract/schema.ts'
import { COPIED_FROM } from './copies.ts'
import { isSameWord, wordsOf } from './id-property.ts'
import { addressesIn } from './own-addresses.ts'
import {
  CHANGED,
  CREATED,
  ENDED_STATE,
  HAPPENED,
  IN_STATE,
  isAboutEnd,
  isLaterTime,
  isMoment,
  isTimeOfEnd,
  START,
  TIME,
} from './time-names.ts'

/** A property of a record that a rule may be about. */
export interface RecordProperty {
  /** The name in lower case, without separators: `createdat` of `created_at`. */
  readonly plain: string
  readonly name: string
  readonly schema: Schema
  /** Whether records must have it. */
  readonly isRequired: boolean
  /** The names of the properties of the same object. */
  readonly beside: Iterable<string>
}

/** The only word that ends with a name: `dns_records` of `records`. */
function onlyEndingWith(name: string, words: readonly string[]): string | undefined {
  const found = words.filter((one) => isSameWord(wordsOf(one).at(-1) ?? '', plainName(name)))
  return found.length === 1 ? found[0] : undefined
}

/** What the examples of a creation show of a property that their requests do not have; `undefined` when they show nothing of it. */
export type ShownValue = (name: string) => unknown

/** What the rules know about the records. */
export interface ValueContext {
  /** The property that contains the id. */
  readonly id: string
  /** The path of one record; absent when no path leads to one. */
  readonly itemPath?: string | undefined
  /** The words of the collections below a record, such as `comments`, with their paths relative to it. */
  readonly below: readonly string[]
  /** The properties that a request which creates a record can contain, by their plain names. */
  readonly sent: ReadonlySet<string>
  /** The values that requests list for properties, by their plain names: as `state=open` of a list. */
  readonly offered?: ReadonlyMap<string, readonly unknown[]> | undefined
  /** What the examples of the creation show. */
  readonly shown?: ShownValue | undefined
}

/** A rule about properties that the service sets. The first one that applies decides. */
interface Rule {
  readonly name: string
  /** The value, or a text of `SERVICE_VALUES`; `undefined` when the rule says nothing about the property. */
  readonly infer: (property: RecordProperty, context: ValueContext) => unknown
}

/** What counts the changes of a record, and what differs after each. */
const REVISION =
  /^(version|revision|(version|revision)(number|no)|(lock|row|record|resource|optimisticlock)version)$/
const ETAG = /^(odata)?etag$|^(row|resource)version$|^changekey$/

/** What counts records: `comment_count`, `numberOfReplies`, `open_issues`. Sizes, limits and remainders are no counts. */
const COUNT =
  /[a-z_]count$|[a-z]Count$|^number_?of_?[a-z]|^numberOf[A-Z]|^num(_[a-z]|[A-Z])|^(open|closed|completed|unread|pending|failed)(_[a-z]\w*s|[A-Z]\w*s)$/
const NO_COUNT =
  /^(max|min|limit|remaining)|(remaining|word|char|character|line|byte|size|max|min|limit|page|retry|attempt|day|seat|total_?)(_?count)?s?$/i

const STATE = /(status|state)$/
/** Values of a state that are a beginning, and those that are an end. */
const BEGINNING =
  /^(open(ed)?|new|pending|draft|created|active|queued|todo|enabled|available|running|scheduled|submitted|initial|live|normal|ok|up|idle)$/i
const ENDING =
  /^(closed|errored|ready|deleted|cancell?ed|expired|archived|failed|completed?|done|finished|revoked|rejected|removed|resolved|error|suspended|inactive|disabled|terminated|refunded|succeeded|paid|void(ed)?|archive|off|delivered|fulfilled|merged|stopped|lost|in[-_ ]?use|attached|occupied|paused)$/i
/** Values of a state that only what has just begun has, and those that wait for something. */
const FIRST =
  /^(draft|pending|created|queued|todo|initial|planned|backlog|un(published|paid|verified|read))$/i
const PENDING = /^pending[-_ ]/i
/** Values of a state in which something is missing: a beginning, where no other is. */
const INCOMPLETE =
  /^(requires?|awaiting|waiting|needs|missing|incomplete|not_?started|preparing|processing|provisioning|building|initiali[sz]ing|starting|creating|uploading|validating|verifying)/i

/** What a state says is missing: the `payment_method` of `requires_payment_method`. */
const MISSING = /^(?:requires?|needs?|missing|awaiting|waiting)[-_ ]?(?:for[-_ ])?(.+)$/i

/** States in which nothing can be at its beginning, whatever an example shows. */
const OVER =
  /^(closed|deleted|cancell?ed|expired|archived|failed|completed?|done|finished|revoked|rejected|removed|resolved|error(ed)?|suspended|terminated|refunded|void(ed)?|merged|lost)$/i

function hasState(names: Iterable<string>): boolean {
  return [...names].some((name) => STATE.test(plainName(name)))
}

/** Whether a state is one of an end, after which nothing begins. */
export function isEnd(state: string): boolean {
  return (
    (ENDING.test(state) && !/^(ready|in[-_ ]?use|attached|occupied|paused)$/i.test(state)) ||
    ENDED_STATE.test(plainName(state))
  )
}

/** Flags that are set when something has ended, or one of several is chosen, and those of what begins. */
const OFF =
  /^(is)?(archived|deleted|locked|closed|disabled|suspended|banned|blocked|cancell?ed|expired|trashed|revoked|removed|completed|finished|resolved|default|primary)$/
/** What the caller may do with a record later. */
const LIKED =
  /^(is|has|was)?(liked|hearted|starred|favou?rited|favou?rite|bookmarked|followed|following|subscribed|watched|watching|pinned|voted|upvoted|downvoted|viewed|rated|dismissed|acknowledged)(byme)?$/
const ON = /^(is)?(enabled|active|visible)$/

/** Flags that a new record usually has: it is valid, and can be used. */
const VALID = /^(is)?(valid|available|healthy|success|successful|ok)$/

/** What grows while a record is used: of a new one, nothing was received, redeemed or viewed. */
const USED =
  /^times[a-z]|(amount|total|sum|number|value|units|bytes|credits?)(paid|received|refunded|redeemed|captured|capturable|used|spent|transferred|collected|withdrawn|raised|earned|donated|sold)$|^((total|account|current|available|outstanding|pending|cleared|uncleared)?balance|(total)?(views|likes|dislikes|downloads|clicks|opens|impressions|plays|votes|upvotes|downvotes|stars|favou?rites|followers|shares|hits|visits|reactions))$/

/** What a service says of a record from its beginning, even if it may be null: what identifies, classifies or opens it. */
const IDENTITY =
  /(secret|token|key|password|fingerprint|hash|etag|checksum|signature|url|uri|link|href|slug|path|id|uuid|guid|number|code|name|login|email|type|kind|object|currency|locale|language|timezone|mode|version|scope|role|plan|tier)s?$/

/** References to another record, which a new record does not have unless a request names it. */
const REFERENCE = /[a-z](id|uuid|guid)$/
/** References to somebody whom a service knows from the caller, also when a request names nobody. */
const OF_CALLER =
  /(owner|user|account|org|organi[sz]ation|workspace|tenant|creator|author|company|team|business|merchant)(id|uuid|guid)$/

/** Codes that only what has failed or ended has. */
const OUTCOME =
  /(error|failure|decline|cancel(l?ation)?|rejection|refund|dispute|exit)(code|type|number)$/

/** What a record has when it is on its way. */
const SENT = /^tracking(number|code|id|url)$/

/** What only a record has with which something went wrong. */
const FAULT = /^(last)?(errors?|failures?|warnings?)(messages?|reasons?|details?|info|data)?$/

/** Lists of what a record has from its beginning, though no request names it. */
const GIVEN =
  /(links|actions|operations|permissions|roles|scopes|owners|members|capabilities|features|limits|quotas|headers|nameservers|schemas|fields|properties|columns|values|keys)$/

/** What a service offers with each record. */
const OFFERED = /^(supported|allowed|available|accepted|enabled|required|default|valid)/

/** What things are called, and what addresses have for it. */
const NAME = /^(name|title|displayname|label)$/
const SLUG = /^(slug|permalink|urlkey|handle)$/

/** What people add to a record later. */
const TAGS = /^(tags|labels|topics|keywords)$/

/** A text that addresses have for the name of a record follows the name that a client sends. */
const FOLLOWS_NAME: Rule = {
  name: 'slug',
  infer: ({ plain, schema, beside }, { sent }) => {
    if (!SLUG.test(plain) || !typesIn(schema).has('string')) return undefined
    const name = [...beside].map((one) => [one, plainName(one)] as const)
    const found = name.find(([, one]) => NAME.test(one) && sent.has(one))
    return found && slugHint(found[0])
  },
}

/** Every rule, in the order in which they are asked. */
export const VALUE_RULES: readonly Rule[] = [
  {
    name: 'created',
    infer: ({ plain, schema }) =>
      CREATED.test(plain) && isMoment(schema) ? SERVICE_VALUES.now : undefined,
  },
  {
    name: 'moment',
    infer: ({ plain, schema, beside }, { sent }) => {
      const isStart = START.test(plain) && isMoment(schema) && !allowsNull(schema)
      const isBegun = isStart && ![...beside].some((one) => CREATED.test(plainName(one)))
      const isMomentOfAll =
        /^(timestamp|datetime|date)$/.test(plain) && schema.format === 'date-time'
      const isHappened = HAPPENED.test(plain) && isMoment(schema) && !allowsNull(schema)
      const isSet = isMomentOfAll || (isHappened && (!IN_STATE.test(plain) || !hasState(beside)))
      return (isSet || isBegun) && !sent.has(plain) ? SERVICE_VALUES.now : undefined
    },
  },
  {
    name: 'changed',
    infer: ({ plain, schema }) =>
      CHANGED.test(plain) && isMoment(schema) ? SERVICE_VALUES.changed : undefined,
  },
  {
    name: 'revision',
    infer: ({ plain, schema }, { sent }) => {
      const isCounted = REVISION.test(plain) && isNumeric(schema) && !sent.has(plain)
      const isText = typesIn(schema).has('string') && listedValues(schema).length === 0
      return isCounted || (ETAG.test(plain) && isText) ? SERVICE_VALUES.revision : undefined
    },
  },
  {
    name: 'default',
    infer: ({ schema }) => schema.default ?? undefined,
  },
  FOLLOWS_NAME,
  {
    name: 'end',
    infer: ({ plain, schema, isRequired, beside }, { sent }) => {
      const isInState = IN_STATE.test(plain) && hasState(beside)
      const isLater = isInState && isMoment(schema) && !sent.has(plain)
      const isEndTime = isLater || isTimeOfEnd(plain, schema)
      const isTold =
        !sent.has(plain) && ((isAboutEnd(plain) && !itemsOf(schema)) || isNullTime(plain, schema))
      return (isEndTime || isTold) && (!isRequired || allowsNull(schema))
        ? SERVICE_VALUES.absent
        : undefined
    },
  },
  {
    name: 'children',
    infer: ({ name, schema }, { below, sent }) => {
      const items = Number(schema.minItems) > 0 ? undefined : itemsOf(schema)
      const isOfRecords = items && isObjectSchema(items) && propertiesOf(items).size > 0
      const word =
        below.find((one) => isSameWord(plainName(one), plainName(name))) ??
        (isOfRecords ? onlyEndingWith(name, below) : undefined)
      if (word === undefined || !items) return undefined
      if (isOfRecords) return belowHint(word)
      return sent.has(plainName(name)) ? undefined : []
    },
  },
  {
    name: 'count',
    infer: ({ name, schema }, { below }) => {
      if (!isNumeric(schema) || Number(schema.minimum) > 0) return undefined
      const counted = below.find((word) => countsWord(name, word))
      if (counted !== undefined) return countHint(counted)
      return COUNT.test(name) && !NO_COUNT.test(name) ? 0 : undefined
    },
  },
  {
    name: 'shown',
    infer: ({ plain, name, schema }, { shown }) => {
      const value = shown?.(name)
      const listed = listedValues(schema)
      if (typeof value !== 'string' || OVER.test(value)) return undefined
      const isState = STATE.test(plain) && listed.length === 0 && /^[\w-]{1,40}$/.test(value)
      return isState || listed.includes(value) ? value : undefined
    },
  },
  {
    name: 'beginning',
    infer: ({ plain, schema }, { offered, sent }) => {
      const described = describedValues(schema)
      const own = described.length > 0 ? described : listedValues(schema)
      const example = withBranches(schema).find((one) => one.example !== undefined)?.example
      const inRequests = offered?.get(plain) ?? []
      const isOpen = isFreeText(schema) || (own.length === 0 && inRequests.includes(example))
      const listed = isOpen && inRequests.length > 0 ? inRequests : own
      const values = listed.filter((value) => typeof value === 'string')
      const first =
        values.find((value) => value === example && isFirst(value)) ??
        values.find((value) => value.toLowerCase() === 'idle') ??
        values.find((value) => BEGINNING.test(value) || PENDING.test(value)) ??
        values.find((value) => sent.has(plainName(MISSING.exec(value)?.[1] ?? ''))) ??
        values.find((value) => MISSING.test(value)) ??
        values.find((value) => INCOMPLETE.test(value)) ??
        values.slice(0, 1).find((value) => !ENDING.test(value))
      const isState = values.some((value) => ENDING.test(value) || FIRST.test(value))
      return STATE.test(plain) && isState ? first : undefined
    },
  },
  {
    name: 'any state',
    infer: ({ plain, schema }, { offered }) => {
      const isOpen = /^(status|state)$/.test(plain) && isFreeText(schema) && !hasForm(schema)
      return isOpen && describedValues(schema).length + (offered?.get(plain)?.length ?? 0) === 0
        ? 'active'
        : undefined
    },
  },
  {
    name: 'flag',
    infer: ({ plain, schema }, { sent }) => {
      if (!typesIn(schema).has('boolean')) return undefined
      // What is new has not ended, whatever an example shows.
      if (OFF.test(plain) || (LIKED.test(plain) && !sent.has(plain))) return false
      return ON.test(plain) ? (exampleIn(schema) ?? true) : undefined
    },
  },
  {
    name: 'unset flag',
    infer: ({ plain, schema, isRequired }, { sent }) => {
      const example = isFlag(schema) ? exampleIn(schema) : undefined
      if (!isFlag(schema) || (example && sent.has(plain) && !isRequired)) return undefined
      return example ?? VALID.test(plain)
    },
  },
  {
    name: 'unused',
    infer: ({ plain, schema }) =>
      USED.test(plain) && isNumber(schema) && !(Number(schema.minimum) > 0) ? 0 : undefined,
  },
  {
    name: 'not sent',
    infer: ({ plain, schema, isRequired }, { sent }) => {
      const isNamed = REFERENCE.test(plain) && !OF_CALLER.test(plain)
      const isGiven = IDENTITY.test(plain) && !isNamed
      const isUnset = allowsNull(schema) && sent.has(plain) && !isGiven
      return isUnset && isRequired ? SERVICE_VALUES.absent : undefined
    },
  },
  {
    name: 'empty',
    infer: ({ plain, schema, isRequired }, { sent }) => {
      const isUnset = isRequired && sent.has(plain) && !allowsNull(schema)
      if (!isUnset) return undefined
      if (isFreeObject(schema)) return Number(schema.minProperties) > 0 ? undefined : {}
      return itemsOf(schema) && !(Number(schema.minItems) > 0) ? [] : undefined
    },
  },
  {
    name: 'nothing listed',
    infer: ({ plain, schema, isRequired }, { sent }) => {
      const items = Number(schema.minItems) > 0 ? undefined : itemsOf(schema)
      if (!items || sent.has(plain) || GIVEN.test(plain)) return undefined
      // What people write beside a record, such as `topics`, and no example shows.
      const isWritten = isFreeText(items) && !hasExample(schema) && !OFFERED.test(plain)
      const isNone = isWritten && (!isRequired || TAGS.test(plain))
      return isObjectSchema(items) || isNone ? [] : undefined
    },
  },
  {
    name: 'nothing yet',
    infer: ({ plain, schema, isRequired, beside }, { sent }) => {
      const isReference = !isRequired && isExpandable(withBranches(schema))
      const isLater = [REFERENCE, OUTCOME, SENT].some((one) => one.test(plain))
      const isSet = IDENTITY.test(plain) && !isLater
      const isFault = !isRequired && FAULT.test(plain)
      const isOfOther = COPIED_FROM.test(plain)
        ? !sent.has(plain)
        : isNameOfOther(plain, beside, sent)
      const isSaid = !sent.has(plain) && withBranches(schema).some((one) => one.describedLater)
      if ((isOfOther || isSaid) && (allowsNull(schema) || !isRequired)) return SERVICE_VALUES.absent
      const isEmpty = isReference || isFault || (allowsNull(schema) && !isSet)
      const isShown = isReference ? hasOwnExample(schema) : hasExample(schema)
      return isEmpty && !sent.has(plain) && !isShown ? SERVICE_VALUES.absent : undefined
    },
  },
]

/** Whether a time that may be null is that of something that happens later: the example of its schema is of a record to which it has happened. */
function isNullTime(plain: string, schema: Schema): boolean {
  return allowsNull(schema) && isLaterTime(plain) && isMoment(schema)
}

/** Whether a text names what the id beside it refers to, which requests choose: `linode_label` of `linode_id`. */
function isNameOfOther(
  plain: string,
  beside: Iterable<string>,
  sent: ReadonlySet<string>,
): boolean {
  const id = `${/^(.+)(name|label|title)$/.exec(plain)?.[1]}id`
  return sent.has(id) && !sent.has(plain) && [...beside].some((one) => plainName(one) === id)
}

/** Whether only what has just begun is in a state. */
function isFirst(value: string): boolean {
  return FIRST.test(value) || PENDING.test(value) || INCOMPLETE.test(value)
}

/** Whether all values of a schema, but `null`, are flags. */
function isFlag(schema: Schema): boolean {
  const types = [...typesIn(schema)].filter((type) => type !== 'null')
  return types.length === 1 && types[0] === 'boolean' && listedValues(schema).length === 0
}

/** Whether all values of a schema, but `null`, are numbers. */
function isNumber(schema: Schema): boolean {
  const types = [...typesIn(schema)].filter((type) => type !== 'null')
  return types.length === 1 && /^(integer|number)$/.test(types[0] ?? '')
}

/** Whether a number counts the records of a collection: `comments`, `comments_count` and `commentCount` those of `comments`. */
export function countsWord(name: string, word: string): boolean {
  const plain = plainName(name)
  const counted =
    /^(?:total|numberof|num|nb|noof|countof)?(.+?)(?:count|total)?$/.exec(plain)?.[1] ?? plain

  return isSameWord(counted, word)
}

/** Whether a schema is of any texts, and shows none. */
function isFreeText(schema: Schema): boolean {
  const isText = typesIn(schema).has('string') && listedValues(schema).length === 0
  return isText && !hasExample(schema)
}

function hasForm(schema: Schema): boolean {
  return withBranches(schema).some(
    ({ format, pattern, maxLength = 6 }) =>
      format !== undefined || pattern !== undefined || maxLength < 6,
  )
}

function hasExample(schema: Schema): boolean {
  return withBranches(schema).some((one) => (one.example ?? one.examples) !== undefined)
}

/** Whether a reference has an example, and not only the record to which it may be expanded. */
function hasOwnExample(schema: Schema): boolean {
  return withBranches(schema).some(
    (one) => !isObjectSchema(one) && (one.example ?? one.examples) !== undefined,
  )
}

function exampleIn(schema: Schema): boolean | undefined {
  return withBranches(schema)
    .flatMap(({ example, examples }) => example ?? examples)
    .find((one) => typeof one === 'boolean')
}

function allowsNull(schema: Schema): boolean {
  return typesIn(schema).has('null')
}

/** Objects in a record whose properties are those of the record. */
export const PARTS: RegExp =
  /^(attributes|metadata|meta|properties|timestamps?|dates|audit|auditinfo|system|sys|details|info|changeinfo|systemfields|lifecycle)$/

/** How deep the parts of a record are. */
const MAX_DEPTH = 3

/**
 * The properties of records that the service sets, by their names; those in a part of the record by their places, such as
 * `/attributes/created_at`. `schemas` are those of the records in responses. `undefined` when there are none.
 */
export function inferValues(
  schemas: readonly Schema[],
  context: ValueContext,
): Readonly<Record<string, unknown>> | undefined {
  const found = new Map<string, unknown>()
  for (const schema of schemas) {
    for (const [place, rule] of [...addressesIn(schema, context), ...rulesIn(schema, context)])
      if (!found.has(place)) found.set(place, rule)
  }
  return found.size > 0 ? Object.fromEntries(found) : undefined
}

/** The rules for the properties of a record and of its parts. `place` is that of the part. */
function rulesIn(
  schema: Schema,
  context: ValueContext,
  place = '',
): readonly (readonly [place: string, rule: unknown])[] {
  const required = requiredNames(schema)
  const beside = [...propertiesOf(schema).keys()]
  return [...propertiesOf(schema)].flatMap(([name, property]) => {
    if (isFixed(property)) return []
    const isRequired = required.has(name)
    const own = { plain: plainName(name), name, schema: property, isRequired, beside }
    const rule = ruleAt(place, own, context)
    const inner = `${place}/${escapeKey(name)}`
    if (rule !== undefined) return [[place === '' ? name : inner, rule] as const]
    if (isPart(own, context) && depthOf(inner) <= MAX_DEPTH)
      return rulesIn(property, context, inner)
    const below = context.below.find((one) => isSameWord(plainName(one), own.plain))
    const emptied = context.sent.has(own.plain) ? [] : pageOf(property, below)
    return emptied.map(([figure, value]) => [`${inner}/${escapeKey(figure)}`, value] as const)
  })
}

/** What a page of other records is called in a record, and the figures about it. */
const PAGE_RECORDS = /^(entries|items|data|values|results|nodes|records|rows)$/
const PAGE_TOTAL = /^(total|count|size|total(count|items|results|size)?)$/
const PAGE_MORE = /^has(more|next|nextpage)$/

/**
 * The values that make an object with a page of related records an empty one, or one of the records in the collection below with this word;
 * none for another object.
 */
function pageOf(
  schema: Schema,
  below: string | undefined,
): readonly (readonly [name: string, value: unknown])[] {
  const properties = [...propertiesOf(schema)]
  const isPage = properties.some(
    ([name, own]) => PAGE_RECORDS.test(plainName(name)) && isObjectSchema(itemsOf(own) ?? {}),
  )
  const figures = properties.flatMap(([name, own]): readonly (readonly [string, unknown])[] => {
    const plain = plainName(name)
    if (PAGE_TOTAL.test(plain) && isNumeric(own))
      return [[name, below === undefined ? 0 : countHint(below)]]
    return PAGE_MORE.test(plain) && typesIn(own).has('boolean') ? [[name, false]] : []
  })
  const records = properties.flatMap(([name, own]): readonly (readonly [string, unknown])[] =>
    PAGE_RECORDS.test(plainName(name)) && itemsOf(own) && !(Number(own.minItems) > 0)
      ? [[name, below === undefined ? [] : belowHint(below)]]
      : [],
  )
  return isPage && figures.length > 0 ? [...records, ...figures] : []
}

/** Whether the service sets properties of an object in the record. */
function isPart({ plain, schema }: RecordProperty, { sent }: ValueContext): boolean {
  const isOfService = (FIGURES.test(plain) || /^(state|status)$/.test(plain)) && !sent.has(plain)
  return isObjectSchema(schema) && (PARTS.test(plain) || isOfService)
}

/** Objects with figures about what has happened to a record. Nothing has happened to a new one. */
const FIGURES = /^(stats|statistics|counts|counters|metrics|totals|tallies|reactions|votes)$/

const ENDS_WITH_TIME = new RegExp(`${TIME}$`)

/** The rule for a number or a time among the figures about a record: none yet. */
function figureRule(
  { plain, schema, isRequired }: RecordProperty,
  place: string,
): 0 | typeof SERVICE_VALUES.absent | undefined {
  if (!FIGURES.test(plainName(nameAt(place) ?? ''))) return undefined
  const isTime = ENDS_WITH_TIME.test(plain) || /date/.test(schema.format ?? '')
  if (isNumeric(schema) && !isTime) return 0

  return isTime && !isRequired ? SERVICE_VALUES.absent : undefined
}

/** The rule for a text in a part of the record that is called as a parameter above: `metadata.namespace` below `/namespaces/{namespace}`. */
function parentRule(
  { plain, schema }: RecordProperty,
  place: string,
  { itemPath = '' }: ValueContext,
): string | undefined {
  if (place === '' || !typesIn(schema).has('string')) return undefined
  const names = [...itemPath.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name)
  const parent = names.slice(0, -1).find((name) => plainName(name) === plain)

  return parent === undefined ? undefined : pathHint(parent)
}

function ruleAt(place: string, property: RecordProperty, context: ValueContext): unknown {
  if (property.name === context.id) return FOLLOWS_NAME.infer(property, context)
  return (
    parentRule(property, place, context) ??
    ruleFor(property, context) ??
    figureRule(property, place)
  )
}

function ruleFor(property: RecordProperty, context: ValueContext): unknown {
  for (const { infer } of VALUE_RULES) {
    const rule = infer(property, context)
    if (rule !== undefined) return rule
  }
  return undefined
}

/** Whether a property has one value only, or no response shows it. */
function isFixed(schema: Schema): boolean {
  return schema.writeOnly === true || schema.const !== undefined || schema.enum?.length === 1
}
