import type { Operation, Schema } from '../contract/contract.ts'
import { chooseResponse, mainContentOf } from '../contract/documented-response.ts'
import { isObjectSchema, itemsOf, plainName, propertiesOf } from '../contract/schema.ts'
import { formsOf } from './id-property.ts'
import { shapeOf, UNNAMED, withoutNames, withoutWatch, wordOf } from './path-shape.ts'
import { RENEW, SECRET } from './secrets.ts'

/** What a word in a path says that the operation does: `watch` tells of changes, and `renew` replaces a secret. */
export type Verb = 'create' | 'list' | 'read' | 'update' | 'remove' | 'watch' | 'act' | 'renew'

/** A path that ends with such a word: `/books` and `create` of `/books/create`. */
export interface VerbPath {
  /** The path without the word. */
  readonly path: string
  readonly verb: Verb
  /** Whether the request names the record, because no path leads to one: `GET /books/details?id=1`. Default: the path names it. */
  readonly isNamed?: true
  /** What a list calls its records, where paths call them otherwise: `channels` in the response of `GET /conversations.list`. */
  readonly word?: string
}

/** A rule about words at the end of a path. The first one that fits decides. */
interface VerbRule {
  readonly verb: Verb
  readonly words: RegExp
  readonly methods: RegExp
  /** Whether the word follows the path of a collection or that of one of its records. */
  readonly after: 'collection' | 'record'
  /** Whether a POST does the same where all that can be done with the records is said in words, and their ids are in bodies. Default: no. */
  readonly isPosted?: true
  /** Whether the body must be a form with files. Default: no. */
  readonly hasFiles?: true
  /** The methods that do the same without the word. Where the path has one of them, the word is a thing of its own. */
  readonly without: readonly string[]
}

const VERB_RULES: readonly VerbRule[] = [
  {
    verb: 'create',
    words: /^(create|new|add|insert)$/i,
    methods: /^POST$/,
    after: 'collection',
    without: ['POST'],
  },
  {
    verb: 'create',
    words: /^(upload|content|media)$/i,
    methods: /^POST$/,
    hasFiles: true,
    after: 'collection',
    without: ['POST'],
  },
  {
    verb: 'list',
    words: /^(list|all|json)$/i,
    methods: /^GET$/,
    isPosted: true,
    after: 'collection',
    without: ['GET'],
  },
  {
    verb: 'read',
    words: /^(json|read|get|show|view|details?|info(rmation)?)$/i,
    methods: /^GET$/,
    isPosted: true,
    after: 'record',
    without: ['GET'],
  },
  {
    verb: 'update',
    words: /^(update|edit|modify)$/i,
    methods: /^(POST|PUT|PATCH)$/,
    after: 'record',
    without: ['PUT', 'PATCH', 'POST'],
  },
  {
    verb: 'remove',
    words: /^(delete|remove|destroy)$/i,
    methods: /^(POST|DELETE)$/,
    after: 'record',
    without: ['DELETE'],
  },
]

/**
 * The operations whose paths end with a word for what they do, such as `POST /books/create` and `GET /books/{id}/json`. The word belongs
 * to no collection or record of its own where other paths lead to the record, and none does the same without it.
 */
export function verbPaths(operations: readonly Operation[]): ReadonlyMap<Operation, VerbPath> {
  const known = knownPaths(operations)
  const inWords = verbsInWords(operations, known)
  return new Map(
    operations.flatMap((operation) => {
      const last = lastWordOf(operation)
      const { before, word } = last
      const watched = watchedBy(operation, last, known)
      if (watched !== undefined) return [[operation, { path: watched, verb: 'watch' }] as const]
      if (renewsSecret(operation, last, known))
        return [[operation, { path: before, verb: 'renew' }] as const]
      const named = inWords.get(before)?.get(operation)
      if (named) return [[operation, named] as const]
      const rule = VERB_RULES.find((one) => fits(one, operation, before, word))
      if (!rule || !isSupported(rule, before, known)) return []
      return [[operation, { path: before, verb: rule.verb }] as const]
    }),
  )
}

/** Whether an operation replaces the secret at the path before its last word, such as `POST /apps/{id}/secret/rotate`. */
function renewsSecret(
  { method }: Operation,
  { before, word, isCall }: LastWord,
  { records }: KnownPaths,
): boolean {
  const isRenewed = RENEW.test(word) && /^(POST|PUT|PATCH)$/.test(method) && !isCall
  const noun = plainName(before.slice(before.lastIndexOf('/') + 1))
  const isSecret = SECRET.test(noun) && !before.endsWith('}') && !SIGN_IN.test(before)

  return isRenewed && isSecret && !records.has(`${withoutNames(before)}/${UNNAMED}`)
}

/** Paths of the tokens with which callers sign in. */
const SIGN_IN = /(auth|login|session|signin|sign-in)/i

/**
 * The path whose changes an operation tells of: `/v1/pods` of `GET /v1/watch/pods`, which answers with an event, an `object` and its `type`;
 * `undefined` for another operation.
 */
function watchedBy(
  operation: Operation,
  { before, word }: LastWord,
  { operations }: KnownPaths,
): string | undefined {
  const own = `${before}/${word}`
  const path = withoutWatch(own)
  if (operation.method !== 'GET' || path === own) return undefined

  return operations.has(`GET ${withoutNames(path)}`) && showsEvent(operation) ? path : undefined
}

function showsEvent(operation: Operation): boolean {
  const properties = propertiesOf(bodyOf(operation))
  const object = properties.get('object')

  return properties.size === 2 && properties.has('type') && object ? isObjectSchema(object) : false
}

/** The path of an operation without its last segment, and this segment. */
interface LastWord {
  readonly before: string
  readonly word: string
  /** Whether a dot is before the word. */
  readonly isCall: boolean
}

export function lastWordOf({ path: template }: Operation): LastWord {
  const { path } = shapeOf(template)
  const isCall = CALL.test(path)
  const at = path.lastIndexOf(isCall ? '.' : '/')

  return { before: path.slice(0, at), word: path.slice(at + 1), isCall }
}

/** A call by its name: `/channels.create` is `create` of `/channels`. */
const CALL = /\/[A-Za-z][\w-]*(\.[A-Za-z][\w-]*)+$/

/** Operations that search for records. */
export const SEARCH: RegExp = /(^|[/:._-])(search|query|find|lookup|filter)$/i

/** So many verbs after one path say that all that can be done with its records is said in words. */
const MIN_VERBS = 3

/**
 * The operations on collections without paths of records, where everything is said in words: `/books/list`, `/books/new`, `/books/details`
 * and `/books/delete`. By the path of the collection.
 */
function verbsInWords(
  operations: readonly Operation[],
  known: KnownPaths,
): ReadonlyMap<string, ReadonlyMap<Operation, VerbPath>> {
  const found = new Map<string, Map<Operation, VerbPath>>()
  for (const operation of operations) {
    const { before, word, isCall } = lastWordOf(operation)
    if (before === '' || before.endsWith('}') || hasRecords(before, known)) continue
    const rule = VERB_RULES.find(
      ({ words, methods, isPosted }) =>
        words.test(word) &&
        (methods.test(operation.method) || (isPosted && operation.method === 'POST')),
    )
    if (!(rule || isCall || SEARCH.test(word) || isSentTo(operation, before))) continue
    const own = found.get(before) ?? new Map<Operation, VerbPath>()
    found.set(before, own)
    const isNamed = rule?.after !== 'collection'
    const listed = isCall && rule?.verb === 'list' ? wordInList(operation) : undefined
    own.set(operation, {
      ...{ path: before, verb: rule?.verb ?? 'act' },
      ...(isNamed && { isNamed }),
      ...(listed !== undefined && { word: listed }),
    })
  }
  return new Map([...found].filter(([, own]) => isWhole([...own.values()])))
}

/** Whether a POST has the id of a record in its body, such as the `transfer_id` of `POST /transfer/cancel`. */
function isSentTo({ method, body }: Operation, before: string): boolean {
  const called = formsOf(wordOf(before))
  const isId = (name: string): boolean =>
    ID_NAMES.some(
      (id) => name === id || (name.endsWith(id) && called.some((word) => name.includes(word))),
    )

  return method === 'POST' && [...propertiesOf(body?.schema ?? {}).keys()].map(plainName).some(isId)
}

const ID_NAMES = ['id', 'uuid']

/** The only property of a response that lists objects; `undefined` where it says nothing of these. */
function wordInList(operation: Operation): string | undefined {
  const properties = propertiesOf(bodyOf(operation))
  const lists = [...properties].flatMap(([name, schema]) => (itemsOf(schema) ? name : []))
  const [only, ...others] = lists

  return only === undefined || others.length > 0 || ANY_LIST.test(only) ? undefined : only
}

/** What lists of any records are called. */
const ANY_LIST = /^(data|items|results?|records|values|entries|list|rows)$/i

/** Whether paths lead to the records of a collection, or operations are on the collection itself. */
function hasRecords(collection: string, { operations, records }: KnownPaths): boolean {
  const path = withoutNames(collection)
  return (
    records.has(`${path}/${UNNAMED}`) ||
    ['GET', 'POST'].some((one) => operations.has(`${one} ${path}`))
  )
}

/** Whether the verbs list records, and do two things more with them, each by one operation. Other words are actions. */
function isWhole(paths: readonly VerbPath[]): boolean {
  const known = paths.filter(({ verb }) => verb !== 'act')
  const verbs = new Set(known.map(({ verb }) => verb))
  return verbs.has('list') && verbs.size >= MIN_VERBS && verbs.size === known.length
}

function bodyOf(operation: Operation): Schema {
  const { documented } = chooseResponse(operation)
  return (documented && mainContentOf(documented)?.schema) ?? {}
}

function fits(
  { words, methods, after, hasFiles }: VerbRule,
  { method, body }: Operation,
  before: string,
  word: string,
): boolean {
  if (hasFiles && !body?.mediaTypes.includes('multipart/form-data')) return false
  if (before === '' || !words.test(word) || !methods.test(method)) return false
  return before.endsWith('}') === (after === 'record')
}

/** The paths of a document, without the names of their parameters. */
interface KnownPaths {
  /** Each with its method before it, such as `GET /books/{}`. */
  readonly operations: ReadonlySet<string>
  /** The templates that lead to records, with how many operations are on them or below. */
  readonly records: ReadonlyMap<string, number>
}

function knownPaths(operations: readonly Operation[]): KnownPaths {
  const records = new Map<string, number>()
  const targets = operations.map(({ method, path }) => {
    const segments = withoutNames(shapeOf(path).path).split('/')
    for (const [at, segment] of segments.entries()) {
      const record = segments.slice(0, at + 1).join('/')
      if (segment === UNNAMED) records.set(record, (records.get(record) ?? 0) + 1)
    }
    return `${method} ${segments.join('/')}`
  })
  return { operations: new Set(targets), records }
}

function isSupported({ after, without }: VerbRule, before: string, known: KnownPaths): boolean {
  const path = withoutNames(before)
  if (without.some((method) => known.operations.has(`${method} ${path}`))) return false
  const operations = known.records.get(after === 'record' ? path : `${path}/${UNNAMED}`) ?? 0

  return operations > (after === 'record' ? 1 : 0)
}
