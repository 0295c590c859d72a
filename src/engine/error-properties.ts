import type { ErrorMeaning } from '../contract/hints.ts'
import { getOwn } from '../validation/objects.ts'
import type { ErrorFacts, ErrorItem } from './error-facts.ts'

/** A name without its spelling: `errorCode`, `error_code` and `error-code` are the same. */
export function normalizedName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** Names of the sentence that says what happened, the most usual first. */
const SENTENCE =
  /^(\w*message|\w*msg|\w*errortext|\w*errordescription|\w*errordetails?|description|details?|text|explanation|cause|info|summary|faultstring|issue|problem|content|hint|reason)$/

export function isSentence(name: string): boolean {
  return SENTENCE.test(name)
}

/** Names of lists and objects with one entry for each error. */
const LIST =
  /^(\w*errors?|\w*errorlist|\w*errormessages|details?|violations|\w*issues|problems|invalid\w+|fields|params|parameters|attributes|\w*messages|causes|faults|failures|exceptions|reasons|\w*notifications|validation\w*)$/

export function isErrorList(name: string): boolean {
  return LIST.test(name)
}

/** Names of what says where the error is. */
const FIELD =
  /^(field|fieldname|fieldpath|fields|param|params|parameter|parametername|property|propertyname|propertypath|attribute|attributename|pointer|jsonpointer|datapath|instancepath|argument)$/

/** Further names of the same in an entry of a list of errors. */
const FIELD_OF_ITEM =
  /^(location|locationtype|name|key|path|target|element|member|source|in|loc|subject)$/

export function isField(name: string, isItem: boolean): boolean {
  return FIELD.test(name) || (isItem && FIELD_OF_ITEM.test(name))
}

type Values = (property: ErrorProperty, facts: ErrorFacts) => readonly unknown[]

/** What the properties of error bodies usually mean, by their names. The first rule that has the name applies. */
const RULES: readonly (readonly [names: RegExp, values: Values])[] = [
  [/^(is)?(success|successful|ok|succeeded|valid)$/, () => [false]],
  [/^(iserror|haserrors?|failed|isfailed|failure|isfailure)$/, () => [true]],
  [/^error$/, errorValues],
  [/^(status|(http)?statuscode|http(status|code)(value)?|response(code|status))$/, statusValues],
  [
    /^(\w*title|reasonphrase|(http)?status(text|message|description|reason)|phrase)$/,
    (_property, { phrase }) => [phrase],
  ],
  [/^type$/, typeValues],
  [/^reason$/, reasonValues],
  [
    /^((error|err|sub|fault|message|internal|problem|reason|exception|api|app|service|result)?code|\w*error(name|key|type|kind|class)|exception|kind|slug|message(key|id))$/,
    codeValues,
  ],
  [/^(name|key)$/, codeValues],
  [/^(error)?(timestamp|time|date|datetime|occurredat)(utc|ms|millis)?$/, timeValues],
  [/^(path|instance|request(path|uri|url)|endpoint|resourcepath)$/, addressValues],
  [/^(http|request)?(method|verb)$/, (_property, { request }) => (request ? [request.method] : [])],
  [
    /^(x?request|trace|correlation|transaction|req)id$/,
    (_property, { request }) => (request?.id === undefined ? [] : [request.id]),
  ],
  [/^(lang|language|locale|culture(name)?)$/, () => ['en', 'en-US', 'EN']],
  [
    /^retry(after|in)(seconds)?$/,
    (_property, { retryAfter }) =>
      retryAfter === undefined ? [] : [retryAfter, String(retryAfter)],
  ],
]

/** The usual name of what the hints say that a property contains. */
const NAMES: Readonly<Record<Exclude<ErrorMeaning, 'none'>, string>> = {
  code: 'code',
  message: 'message',
  title: 'title',
  status: 'status',
  field: 'field',
  time: 'timestamp',
  path: 'path',
  requestId: 'requestid',
  success: 'success',
}

/** The values that a property of an error body could have, the best first; empty when its name says nothing. */
export function knownValues(property: ErrorProperty, facts: ErrorFacts): readonly unknown[] {
  const meaning = getOwn(facts.meanings, property.name)
  if (meaning === 'none') return []
  const name = meaning ? NAMES[meaning] : normalizedName(property.name)
  if (isField(name, property.isItem)) return fieldValues(name, property)
  const rule = RULES.find(([names]) => names.test(name))
  const closest = closestMember(property.members, valuesOfFacts(property, facts))
  if (closest !== undefined) return [closest]
  if (rule) {
    const [, values] = rule
    return [...values(property, facts), ...unspecificMembers(property.members)]
  }

  const isText = (name === 'value' || name === 'text') && isSentence(property.parentName)
  return isText || isSentence(name) ? sentences(property, facts) : []
}

/** The facts of one error in a list, or those of the whole. */
function valuesOfFacts({ isItem, item }: ErrorProperty, facts: ErrorFacts): ErrorFacts {
  return isItem && item ? { ...facts, ...item } : facts
}

function sentences(property: ErrorProperty, facts: ErrorFacts): readonly string[] {
  const { message } = valuesOfFacts(property, facts)
  const texts = [message, facts.phrase]
  const { maxLength } = property

  return maxLength === undefined ? texts : [...texts, message.slice(0, maxLength)]
}

/** The code in the spelling that the value has so far, then in others, for a pattern. */
function codeValues(property: ErrorProperty, facts: ErrorFacts): readonly unknown[] {
  if (facts.keepsCodes) return []
  const { code } = valuesOfFacts(property, facts)
  const words = code.split(/[^A-Za-z0-9]+/)
  const pascal = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('')
  const camel = pascal.slice(0, 1).toLowerCase() + pascal.slice(1)
  const spellings = [code, code.toUpperCase(), words.join('-'), pascal, camel, String(facts.status)]
  const own = STYLES.findIndex((style) => style.test(String(property.value)))

  return [...spellings.slice(own, own + 1), ...spellings, facts.status]
}

/** The spellings of {@link codeValues}. */
const STYLES = [
  /^[a-z0-9]+(_[a-z0-9]+)+$/,
  /^[A-Z0-9]*[A-Z]+[A-Z0-9]*(_[A-Z0-9]+)*$/,
  /^[a-z0-9]+(-[a-z0-9]+)+$/,
  /^([A-Z][a-z0-9]+){2,}$/,
  /^[a-z0-9]+([A-Z][a-z0-9]+)+$/,
  /^\d{3}$/,
]

/** OAuth 2 has the code in `error`, others the phrase beside a message, a flag, or the only sentence. */
function errorValues(property: ErrorProperty, facts: ErrorFacts): readonly unknown[] {
  const others = Object.keys(property.parent).map(normalizedName)
  if (others.includes('errordescription')) return [true, ...codeValues(property, facts)]
  const hasSentence = others.some((name) => name !== 'error' && isSentence(name))

  return [true, ...(hasSentence ? [facts.phrase] : sentences(property, facts)), facts.code]
}

/** A number, its text, or a name as in gRPC, where a number has the status. */
function statusValues(property: ErrorProperty, facts: ErrorFacts): readonly unknown[] {
  const { value, parent } = property
  const isName = /^[A-Z]+(_[A-Z]+)*$/.test(String(value)) || typeof parent.code === 'number'
  const name = facts.code.toUpperCase()

  return [facts.status, ...(isName ? [name] : []), String(facts.status), name]
}

/** RFC 9457 has the URI of a kind of problem in `type`, others a code. */
function typeValues(property: ErrorProperty, facts: ErrorFacts): readonly unknown[] {
  const { parent, format = '' } = property
  const isProblem = 'title' in parent || 'instance' in parent || /^ur[il]/.test(format)

  return isProblem ? ['about:blank'] : codeValues(property, facts)
}

/** The sentence, or a code beside it. */
function reasonValues(property: ErrorProperty, facts: ErrorFacts): readonly unknown[] {
  const hasMessage = Object.keys(property.parent).some((name) => /message|msg/i.test(name))
  return hasMessage ? codeValues(property, facts) : sentences(property, facts)
}

function timeValues({ name, format }: ErrorProperty, { now }: ErrorFacts): readonly unknown[] {
  const text = new Date(now).toISOString()
  const seconds = Math.floor(now / 1000)
  const isMilliseconds = format === 'int64' || /ms|milli/i.test(name)

  return [text, text.slice(0, 10), ...(isMilliseconds ? [now, seconds] : [seconds, now])]
}

function addressValues({ format = '' }: ErrorProperty, { request }: ErrorFacts): readonly string[] {
  if (!request) return []
  return /^(uri|url|iri)$/.test(format) ? [request.url] : [request.path, request.url]
}

/** Words that documents use for the errors of each status, besides its phrase. */
const WORDS: Readonly<Record<number, readonly string[]>> = {
  400: ['invalid', 'validation', 'malformed', 'badinput', 'parameter'],
  401: ['unauthenticated', 'unauthori', 'authenti', 'invalidtoken', 'invalidkey', 'token', 'auth'],
  403: ['forbidden', 'permission', 'accessdenied', 'notallowed', 'denied'],
  404: ['notfound', 'missing', 'unknown', 'nosuch', 'doesnotexist'],
  405: ['method', 'notallowed', 'notsupported'],
  406: ['accept'],
  408: ['timeout', 'timedout'],
  409: ['conflict', 'exists', 'duplicate', 'taken', 'unique', 'inuse'],
  410: ['gone', 'removed', 'deleted'],
  413: ['toolarge', 'toolong', 'size'],
  415: ['unsupportedmedia', 'mediatype', 'contenttype'],
  422: ['unprocessable', 'validation', 'invalid'],
  429: ['ratelimit', 'toomany', 'throttl', 'limitexceeded', 'quota'],
  500: ['internal', 'servererror', 'unexpected', 'unknown'],
  503: ['unavailable', 'maintenance', 'overload', 'tryagain'],
}

/** Words for a value that another record has. */
const TAKEN = ['exists', 'duplicate', 'taken', 'unique', 'inuse']

/** Members for every error that the request causes, and for every other. */
const OF_REQUEST = ['invalidrequest', 'badrequest', 'clienterror', 'requesterror']
const OF_SERVICE = ['internal', 'servererror', 'apierror', 'systemerror', 'serviceerror']

/** Members that fit any error, as in `status: success | error`. */
const ANY_ERROR = ['error', 'errors', 'err', 'fail', 'failed', 'failure', 'ko', 'nok']

/** Members for errors that have none of their own. */
const UNSPECIFIC = /other|unspecified|general|generic|badrequest/

/** The members that may mean any error, then those that mean none with a status of its own. */
function unspecificMembers(members: readonly unknown[]): readonly unknown[] {
  const names = members.filter((member) => typeof member === 'string')
  const words = Object.values(WORDS).flat()
  const isOfStatus = (name: string): boolean => words.some((word) => name.includes(word))

  return [
    ...names.filter((name) => UNSPECIFIC.test(normalizedName(name))),
    ...names.filter((name) => !isOfStatus(normalizedName(name))),
  ]
}

/** A shorter code can be a part of words that mean something else. */
const MIN_PART_LENGTH = 7

/** The member of an enumeration that fits an error best; `undefined` when none does. */
export function closestMember(
  members: readonly unknown[],
  { status, phrase, code, isTaken }: Pick<ErrorFacts, 'status' | 'phrase' | 'code' | 'isTaken'>,
): unknown {
  const isStatus = members.find((member) => member === status || member === String(status))
  if (isStatus !== undefined) return isStatus
  const names = members.flatMap((member) =>
    typeof member === 'string' ? [{ member, name: normalizedName(member) }] : [],
  )
  const exact = [normalizedName(code), normalizedName(phrase)]
  const words = [
    ...(isTaken ? TAKEN : []),
    ...exact.filter((word) => word.length >= MIN_PART_LENGTH),
    // Some documents have a conflict among the errors of the input.
    ...(code === 'conflict' ? (WORDS[409] ?? []) : []),
    ...(WORDS[status] ?? WORDS[status < 500 ? 400 : 500] ?? []),
  ]
  const found =
    find(exact, names, (name, word) => name === word) ??
    find(words, names, (name, word) => name.includes(word)) ??
    find(status < 500 ? OF_REQUEST : OF_SERVICE, names, (name, word) => name.includes(word)) ??
    find(ANY_ERROR, names, (name, word) => name === word)

  return found?.member
}

interface Named {
  readonly member: string
  readonly name: string
}

function find(
  words: readonly string[],
  names: readonly Named[],
  fits: (name: string, word: string) => boolean,
): Named | undefined {
  for (const word of words) {
    const found = names.find(({ name }) => fits(name, word))
    if (found) return found
  }
  return undefined
}

/** A property of an error body. */
export interface ErrorProperty {
  readonly name: string
  /** Its value so far. */
  readonly value: unknown
  /** The object that has it. */
  readonly parent: Readonly<Record<string, unknown>>
  /** The name of the property that has that object; empty at the top. */
  readonly parentName: string
  /** The values of its enumeration, if it has one. */
  readonly members: readonly unknown[]
  readonly format: string | undefined
  readonly maxLength: number | undefined
  /** Whether the object is an entry of a list of errors. */
  readonly isItem: boolean
  /** What is wrong with the input, where one thing is. */
  readonly item: ErrorItem | undefined
}

/** The value of a property that does not apply and should not be sent. */
export const OMITTED: unique symbol = Symbol('omitted')

/** The values of a property that says where an error is. Where no input is wrong, it is left out. */
function fieldValues(name: string, { item, parentName, value }: ErrorProperty): readonly unknown[] {
  if (!item) return [OMITTED, null]
  if (Array.isArray(value)) return [[item.part, ...item.names], [fieldOf(item)]]
  if (parentName === 'source') return sourceValues(name, item)
  if (name.endsWith('pointer')) return item.part === 'body' ? [`#${pointerOf(item)}`] : [OMITTED]
  if (name === 'in' || name === 'locationtype') return [item.part]

  return [fieldOf(item), item.part]
}

/** JSON:API has the place of an error in `source`, with one of these names. */
function sourceValues(name: string, item: ErrorItem): readonly unknown[] {
  if (name === 'pointer') return item.part === 'body' ? [pointerOf(item)] : [OMITTED]
  const isPart = name === (item.part === 'header' ? 'header' : 'parameter')

  return isPart && item.part !== 'body' ? [fieldOf(item)] : [OMITTED]
}

/** The place as in JavaScript, such as `author.born` or `tags[0]`. */
export function fieldOf({ part, names }: ErrorItem): string {
  if (names.length === 0) return part
  return names
    .map((name) => (/^\d+$/.test(name) ? `[${name}]` : `.${name}`))
    .join('')
    .replace(/^\./, '')
}

function pointerOf({ names }: ErrorItem): string {
  return names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
