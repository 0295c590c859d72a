import type { Schema } from '../contract/contract.ts'
import { listedValues, plainName, propertiesOf, withBranches } from '../contract/schema.ts'
import { once, onceByText } from '../validation/objects.ts'

/** What names the id of a record: the path parameter that contains it, and the word for the collection. */
export interface IdContext {
  /** Absent when no path leads to one record. */
  readonly parameter?: string | undefined
  /** The last segment of the collection's path, such as `books`. */
  readonly word: string
  /** The path of the collection, such as `/shops/{shopId}/books`. */
  readonly path?: string | undefined
  /** The schema of the path parameter. */
  readonly schema?: Schema | undefined
  /** The names of the properties that the request which creates a record has; absent without such a request. */
  readonly created?: ReadonlySet<string> | undefined
  /** What the document says about the path parameter. */
  readonly said?: string | undefined
  /** The names of the properties that requests which change a record have; absent without such requests. */
  readonly changed?: ReadonlySet<string> | undefined
  /** Whether the records below name these by their `id`, as the `category_id` of products does. Default: no. */
  readonly isReferred?: boolean | undefined
  /** The words that stand before `id` in the ids of a service; default: none. */
  readonly idPrefixes?: ReadonlySet<string> | undefined
}

/** A property that may contain the id. */
export interface IdProperty {
  /** The name of the property; a JSON Pointer such as `/metadata/name` when it is in an object of the record. */
  readonly name: string
  /** How sure it is: 0 is the surest. */
  readonly rank: number
}

/** What ids are called after the word of the collection: `bookNumber`. */
const AFTER_WORD = /^(id|uuid|gid|sid|key|name|number|ref|identifier|slug|code|token)$/
/** What ids are called without it. */
const ALONE = /^(uuid|gid|sid|identifier|ref|key|slug|uid|guid|code|handle|token)$/
/** Objects of a record that contain its id. */
const CONTAINERS = /^(metadata|meta|sys|attributes|info|identity)$/
/** Path parameters that contain no name of the record. */
const NO_NAME = /(id|uuid|guid|number|no|key|code|token)$/
/** The rank of a property that has the name of the path parameter, but for the word of the records. */
const NAMED_BY_PATH = 0.5
/** The rank of a text by which paths name records whose id is a number. */
const NAMED_BY_TEXT = 0.75
/** The rank of a property that is the id by the prefix of all ids. */
const PREFIXED = 1.5
/** The rank of a property that is called after the records by other words than the last one of their path. */
const NAMED_AFTER = 2.5
/** The rank of a property that is a guess. */
const GUESS = 5

/** The property of a record that contains its id; `undefined` when none fits. */
export function idPropertyOf(record: Schema, context: IdContext): IdProperty | undefined {
  return idPropertyIn(record)(context)
}

/** It is asked for the same record and context again and again. */
const idPropertyIn = once((record: Schema) =>
  once(
    (context: IdContext) =>
      [...candidatesIn(record, context)].sort((one, other) => one.rank - other.rank)[0],
  ),
)

/** The properties of a record that may contain its id, the surest first, each once. */
export function idCandidatesOf(record: Schema, context: IdContext): readonly IdProperty[] {
  const sorted = [...candidatesIn(record, context)].sort((one, other) => one.rank - other.rank)
  return sorted.filter(({ name }, at) => sorted.findIndex((one) => one.name === name) === at)
}

function* candidatesIn(schema: Schema, context: IdContext): Generator<IdProperty> {
  yield* candidatesAmong(schema, context)
  yield* keyOfOther(schema, context)
  for (const [name, property] of propertiesOf(schema)) {
    if (!CONTAINERS.test(plainName(name))) continue
    for (const inner of candidatesAmong(property, context))
      if (inner.rank < GUESS || inner.name === 'name')
        yield { name: `/${name}/${inner.name}`, rank: inner.rank + 3 }
  }
}

/**
 * The id of another record by which a path names what belongs to it, where just one object in the record has it: the `user_id` in
 * `public_user_data` of what `/memberships/{user_id}` leads to, which has an `id` besides.
 */
function* keyOfOther(
  schema: Schema,
  { parameter = '', word, path = word }: IdContext,
): Generator<IdProperty> {
  const wanted = plainName(parameter)
  const isId = wordsOf(parameter).length > 1 && wordsOf(parameter).at(-1) === 'id'
  if (!isId || isNamedAfter(parameter, { path, parameter: '' })) return
  const own = propertiesOf(schema)
  if ([...own.keys()].some((name) => plainName(name) === wanted)) return
  const places = [...placesInside(schema, wanted), ...idOfOther(schema, parameter)]
  const [place] = places
  if (place !== undefined && places.length === 1) yield { name: place, rank: NAMED_BY_PATH }
}

/** The `id` of the object that a path parameter is called after, in a record without an id of its own: `/user/id` for `user_id`. */
function idOfOther(schema: Schema, parameter: string): readonly string[] {
  const called = wordsOf(parameter).slice(0, -1).join('')
  const own = [...propertiesOf(schema)]
  if (own.some(([name]) => plainName(name) === 'id')) return []
  return own.flatMap(([name, property]) => {
    const id = propertiesOf(property).get('id')
    return plainName(name) === called && id && isScalar(id) ? `/${name}/id` : []
  })
}

/** The properties of an object that may contain the id. */
function* candidatesAmong(schema: Schema, context: IdContext): Generator<IdProperty> {
  const named = nameByPath(schema, context) ?? nameSent(schema, context)
  const text = named ?? textInPath(schema, context)
  const isStable = !isRenamed(text, schema, context)
  if (named !== undefined && isStable) yield { name: named, rank: NAMED_BY_PATH }
  if (text !== undefined && isStable) yield { name: text, rank: NAMED_BY_TEXT }
  for (const [name, property] of withoutProse(schema)) {
    const named = rankOf(name, context) ?? rankOfNumber(name, property, context)
    const rank = prefixedRank(name, schema, context, named)
    if (rank === undefined || !isScalar(property)) continue
    if (isNameBesideId(name, schema, context)) continue
    yield { name, rank: isCompatible(property, context.schema) ? rank : rank + 3 }
  }
}

/** Whether a property contains what people write, as the `comment` of a comment that has an `id` besides. */
export function isProse(name: string): boolean {
  return PROSE.test(plainName(name))
}

function withoutProse(record: Schema): readonly (readonly [name: string, property: Schema])[] {
  const properties = [...propertiesOf(record)]
  const hasId = properties.some(([name]) => plainName(name) === 'id')
  return hasId ? properties.filter(([name]) => !isProse(name)) : properties
}

const PROSE = /^(comment|message|note|reply|post|review|text|answer|question|quote|content|body)$/

/** Whether a property has the name of the path parameter, such as `slug`, although the records below name its record by its `id`. */
function isNameBesideId(name: string, record: Schema, context: IdContext): boolean {
  const { parameter = 'id', isReferred } = context
  const isName = plainName(name) === plainName(parameter) && !ANY_ID.test(plainName(name))
  return isName && isReferred === true && isRenamed(name, record, context)
}

/**
 * Whether clients can change the property by which a path names the records, which have an `id` besides, or records below name them by that.
 * The id stays when a record is renamed, so that is what records are stored by, and the other is a further key.
 */
function isRenamed(
  name: string | undefined,
  record: Schema,
  { changed, isReferred }: Pick<IdContext, 'changed' | 'isReferred'>,
): boolean {
  if (name === undefined || !(changed?.has(name) || isReferred)) return false
  return [...propertiesOf(record)].some(
    ([other, own]) => plainName(other) === 'id' && other !== name && isScalar(own),
  )
}

function rankOf(
  name: string,
  { parameter = 'id', word, path = word }: IdContext,
): number | undefined {
  const plain = plainName(name)
  const wanted = plainName(parameter)
  if (plain === wanted) return 0
  if (withoutRecords(parameter, word) === plain) return NAMED_BY_PATH
  if (plain === 'id') return 1
  if (isEndOfParameter(name, parameter)) return PREFIXED
  const rest = formsOf(word).flatMap((form) =>
    plain.startsWith(form) ? plain.slice(form.length) : [],
  )
  if (rest.some((one) => AFTER_WORD.test(one))) return 2
  if (isNamedAfter(name, { path, parameter })) return NAMED_AFTER
  if (ALONE.test(plain)) return 3
  if (plain.length > 1 && wanted.endsWith(plain)) return 4

  return plain === 'name' && !NO_NAME.test(wanted) ? GUESS : undefined
}

/** Whether a property is the id that a path parameter says more of, such as the `user_id` of `{client_user_id}`. */
function isEndOfParameter(name: string, parameter: string): boolean {
  const words = wordsOf(name)
  const isId = words.length > 1 && ANY_ID.test(words.at(-1) ?? '')
  return isId && wordsOf(parameter).slice(1).join('').endsWith(words.join(''))
}

/**
 * The plain name of a path parameter without the word of the records, where more than that of an id is left: `externalid` of the
 * `external_customer_id` of customers.
 */
function withoutRecords(parameter: string, word: string): string | undefined {
  const words = wordsOf(parameter)
  const rest = words.filter((one) => !isSameWord(one, word))
  return rest.length > 1 && rest.length < words.length ? rest.join('') : undefined
}

/** So many collections with ids of the same prefix tell that it is that of the service. */
const MIN_PREFIXED = 2

/** The words that stand before `id` in the ids of a service: `acme` of `/wallets/{acme_id}` and `/invoices/{acme_id}`. */
export function idPrefixesOf(
  groups: readonly { readonly word: string; readonly parameter?: string }[],
): ReadonlySet<string> {
  const words = new Map<string, Set<string>>()
  for (const { word, parameter = '' } of groups) {
    const prefix = prefixOf(parameter)
    if (prefix !== undefined) words.set(prefix, (words.get(prefix) ?? new Set()).add(word))
  }
  const isOfRecords = (prefix: string): boolean =>
    groups.some(({ word }) => isSameWord(word, prefix))
  return new Set(
    [...words].flatMap(([prefix, own]) =>
      own.size >= MIN_PREFIXED && !isOfRecords(prefix) ? prefix : [],
    ),
  )
}

function prefixOf(name: string): string | undefined {
  const words = wordsOf(name)
  return words.length === 2 && words[1] === 'id' ? words[0] : undefined
}

/**
 * Whether a property is the id by a prefix that all ids have: `acme_id`, where others are called `acme_coupon_id` and `acme_user_id`. What the
 * path calls records above is none: below `/accounts`, the `account_id` is that of the account, also beside an `account_holding_id`.
 */
function isPrefixedId(name: string, record: Schema, { idPrefixes, path }: IdContext): boolean {
  const prefix = prefixOf(name)
  if (prefix === undefined || isAmong(prefix, wordsAbove(path))) return false
  if (idPrefixes?.has(prefix) === true) return true
  return [...propertiesOf(record).keys()].some((other) => {
    const words = wordsOf(other)
    return words.length > 2 && words[0] === prefix && words.at(-1) === 'id'
  })
}

/** The rank of a property, where the path names records by an id and its prefix tells that it is one. */
function prefixedRank(
  name: string,
  record: Schema,
  context: IdContext,
  rank: number | undefined,
): number | undefined {
  const isId = wordsOf(context.parameter ?? '').at(-1) === 'id'
  return isId && isPrefixedId(name, record, context) ? Math.min(rank ?? PREFIXED, PREFIXED) : rank
}

/** The last words of path parameters that name any record by its id. */
const ANY_ID = /^(ids?|uuid|guid|gid|sid|identifier)$/
/** The last words of path parameters that say which record is meant, whatever the other words are. */
const DISTINCT = /^(e?mail|username|login|slug|handle|iid|hash|sha|mac|isbn|serial|fingerprint)$/
/** Path parameters that count the records in the one above. */
const POSITION = /^(index|number|no|num)$/

/**
 * The property that has the name of the path parameter, but for the word of the records: `number` of `/issues/{issue_number}`, where the
 * `id` is another number.
 */
function nameByPath(
  record: Schema,
  { parameter, word, path = word, schema }: IdContext,
): string | undefined {
  if (parameter === undefined || (schema && listedValues(schema).length > 0)) return undefined
  const words = wordsOf(parameter)
  const last = words.at(-1) ?? ''
  if (ANY_ID.test(last)) return undefined
  const fits = (property: Schema): boolean =>
    isScalar(property) && listedValues(property).length === 0 && isSameKind(property, schema)
  const properties = [...propertiesOf(record)].filter(([, property]) => fits(property))
  if (POSITION.test(plainName(parameter)) && schema && isCounted(typesOf(schema)))
    return properties.find(
      ([name, own]) => plainName(name) === 'number' && isCounted(typesOf(own)),
    )?.[0]
  const inPath = wordsInPath(path)
  const ends = words.flatMap((_, at) => {
    const isOfRecords =
      DISTINCT.test(last) ||
      words.slice(0, at).every((one) => isAmong(one, inPath)) ||
      // The records may have a longer name than their path: `key` of `/roles/{customRoleKey}`.
      (at === words.length - 1 && isAmong(words[at - 1] ?? '', inPath))
    return at > 0 && isOfRecords ? words.slice(at).join('') : []
  })
  const found = ends.flatMap((end) => properties.filter(([name]) => plainName(name) === end))

  return found[0]?.[0]
}

/**
 * The `name` of records that paths do not name by an id, where the request that creates one has it as `tag_name` or `new_tag_name`, or where
 * the description of the path says that it has the name, and the records have no id.
 */
function nameSent(
  record: Schema,
  { parameter, word, created = new Set(), said = '' }: IdContext,
): string | undefined {
  if (parameter === undefined) return undefined
  const names = [...propertiesOf(record).keys()]
  const hasId = names.some((one) => ['id', plainName(parameter)].includes(plainName(one)))
  const isSaid = !hasId && created.has('name') && SAYS_NAME.test(said)
  const isSent = [...created].some((one) => isNameOf(one, 'name', word))
  const isNamed = isSaid || (isSent && !NO_NAME.test(plainName(parameter)))
  return isNamed ? names.find((one) => one === 'name') : undefined
}

/** A description of a path parameter that has the name of the record, whatever it is called. */
const SAYS_NAME = /^(?:the |an? )?(?:unique )?name of (?:the|an?|this)\b/i

/** Whether a property of a request is called as the name of a new record: `branch_name` and `new_branch_name` for the `name` of branches. */
export function isNameOf(property: string, id: string, word: string): boolean {
  const [plain, name] = [plainName(property), plainName(id)]
  if (!/^(name|slug|login|username)$/.test(name)) return false
  return formsOf(word).some((form) => plain === form + name || plain === `new${form}${name}`)
}

/** Texts that name a record for people, the most usual first. */
const TEXT_KEYS = ['username', 'login', 'slug', 'handle', 'key', 'name', 'code']
/** Those that are often no more than a description, unless clients choose them. */
const LOOSE = /^(name|code)$/

/**
 * The text by which a path names the records, where the path parameter is a text that is not called an id: `tag_name` of `/releases/{tag}`, and,
 * where their `id` is a number, `username` of `/orgs/{org}`.
 */
function textInPath(
  record: Schema,
  { parameter, word, path = word, schema, created }: IdContext,
): string | undefined {
  if (parameter === undefined || !schema || !isPlainText(schema)) return undefined
  const words = wordsOf(parameter)
  const plain = plainName(parameter)
  const properties = [...propertiesOf(record)]
  const id = properties.find(([name]) => plainName(name) === 'id')
  if (!id || NO_NAME.test(plain)) return undefined
  const isKey = (name: string): boolean =>
    created === undefined || !LOOSE.test(plainName(name)) || created.has(name)
  const texts = properties.flatMap(([name, own]) => (isPlainText(own) && isKey(name) ? name : []))
  const find = (wanted: readonly string[]): string | undefined =>
    wanted.flatMap((one) => texts.find((name) => plainName(name) === one) ?? [])[0]
  const named = find(['name', 'slug', 'key', 'code'].map((one) => plain + one))
  if (!isOnlyNumber(id[1])) return named !== undefined && created?.has(named) ? named : undefined
  const isOfRecords = words.some((one) => isAmong(one, wordsInPath(path)))
  const isOfPeople = /(user|login|owner|member)(name)?$/.test(plain)

  return named ?? (isOfRecords || isOfPeople ? find(TEXT_KEYS) : undefined)
}

/**
 * The properties besides the id by which a path may name a record: the `id` where the id is a text such as `username`, those that the name
 * of the parameter offers (`{projectIdOrKey}`), and a text that clients choose where the path may be such a text.
 */
export function furtherKeysOf(record: Schema, id: string, context: IdContext): readonly string[] {
  const { parameter, schema, created = new Set(), said = '' } = context
  if (parameter === undefined || (schema && !mayBeText(schema))) return []
  const others = [...propertiesOf(record)].filter(
    ([name, own]) => name !== id && isScalar(own) && listedValues(own).length === 0,
  )
  const own = propertiesOf(record).get(id)
  const isCalledId = NO_NAME.test(plainName(parameter))
  const isLoose = own !== undefined && (isOnlyNumber(own) || !isCalledId)
  const inWords = saidKeys(said, context.word)
  const offered = [...offeredKeys(parameter), ...inWords]
  const inPath = nameByPath(record, context) ?? textInPath(record, context)
  const renamed = isRenamed(inPath, record, context) ? inPath : undefined
  const keys = others.flatMap(([name, property]) => {
    const plain = plainName(name)
    const isChosen = CHOSEN_KEY.test(plain) && created.has(name) && isPlainText(property)
    const isOwnId = !created.has(name) && isPrefixedId(name, record, context)
    const isKey =
      isOwnId ||
      (context.isReferred && plain === plainName(parameter)) ||
      (plain === 'id' && !isCalledId) ||
      offered.includes(plain) ||
      (isLoose && schema && isChosen)
    return isKey || name === renamed ? name : []
  })
  return own === undefined ? [] : [...keys, ...keysInside(record, inWords)]
}

/** The places of those keys that no property of the record has, but just one object in it: `/profile/login`. */
function keysInside(record: Schema, wanted: readonly string[]): readonly string[] {
  const properties = [...propertiesOf(record)]
  const missing = new Set(
    wanted.filter((one) => !properties.some(([name]) => plainName(name) === one)),
  )
  return [...missing].flatMap((one) => {
    const places = placesInside(record, one)
    return places.length === 1 ? places : []
  })
}

/** Where the objects of a record have a text or a number of this plain name. */
function placesInside(record: Schema, wanted: string): readonly string[] {
  return [...propertiesOf(record)].flatMap(([name, property]) =>
    [...propertiesOf(property)].flatMap(([inner, value]) =>
      plainName(inner) === wanted && isScalar(value) ? `/${name}/${inner}` : [],
    ),
  )
}

/** The properties that other names of the parameter at the end of a path name: `ContactNumber`, beside `/contacts/{ContactId}`. */
export function keysNamedInPaths(
  record: Schema,
  id: string,
  parameters: readonly string[],
): readonly string[] {
  const named = new Set(parameters.map(plainName))
  return [...propertiesOf(record)].flatMap(([name, own]) =>
    name !== id && isScalar(own) && named.has(plainName(name)) ? name : [],
  )
}

/** Texts that clients choose, and by which they later name a record. */
const CHOSEN_KEY = /^(username|login|slug|handle|key|identifier)$/

/** The keys that the name of a parameter offers: `projectid`, `id` and `key` of `projectIdOrKey`. */
function offeredKeys(parameter: string): readonly string[] {
  const words = wordsOf(parameter)
  const at = words.indexOf('or')
  if (at < 1) return []
  const [before, after] = [words.slice(0, at), words.slice(at + 1)]

  return [before, after].flatMap((some) => [some.join(''), some.at(-1) ?? ''])
}

/** Names between commas and `or`, and those after it: `ID, slug or the email address`. */
const ALTERNATIVES =
  /((?:[\w-]+\s*,\s*)*[\w-]+)\s*,?\s+or\s+(?:(?:the|its|an?|url-encoded)\s+)*([\w-]+)/gi

/** A property in quotes that a path may have as well: "Can also be the `unique_name` of the room". */
const QUOTED_KEY =
  /\b(?:also|or|instead|alternatively)\s+(?:(?:be|use|pass|the|its|an?)\s+)*[`'"]([a-z][\w-]*)[`'"]/gi

/** What a description has beside an id, which is no other key: `The ID (UUID) or name`. */
const KIND_OF_ID = /\s*\((uuid|guid|ulid|string|text|number|numeric|integer|int\d*|v\d)\)/gi

/**
 * The keys that the description of a parameter offers besides an id: `uid` of "The application's ID or UID", `name` of "The event ID or event
 * name" for the records of `events`, and what is in quotes.
 */
function saidKeys(description: string, word: string): readonly string[] {
  const forms = formsOf(word)
  const called = new RegExp(`\\b(?:${forms.join('|')})\\s+(?!or\\b|and\\b|of\\b)(?=\\w)`, 'gi')
  const said = description.replaceAll(KIND_OF_ID, '').replaceAll(forms.length > 0 ? called : '', '')
  const inWords = [...said.matchAll(ALTERNATIVES)].flatMap(([, before = '', after = '']) => {
    const names = [...before.split(','), after].map(plainName)
    return names.some((name) => ANY_ID.test(name)) ? names.filter((name) => name !== 'id') : []
  })
  const inQuotes = [...description.matchAll(QUOTED_KEY)].map(([, name = '']) => plainName(name))
  return [...inWords, ...inQuotes.filter((name) => name !== 'id')]
}

/** Whether a schema is of texts, and says no more about their form. */
export function isPlainText(schema: Schema): boolean {
  const types = typesOf(schema).filter((type) => type !== 'null')
  const isText = types.length > 0 && types.every((type) => type === 'string')
  return isText && schema.format === undefined && listedValues(schema).length === 0
}

/** Whether a schema is of plain texts, besides others. */
function mayBeText(schema: Schema): boolean {
  return isPlainText(schema) || withBranches(schema).some(isPlainText)
}

function isOnlyNumber(schema: Schema): boolean {
  const types = typesOf(schema)
  return isCounted(types) && !types.includes('string')
}

/** Whether both are numbers, or neither is. */
function isSameKind(property: Schema, parameter: Schema | undefined): boolean {
  if (!parameter || typesOf(parameter).length === 0 || typesOf(property).length === 0) return true
  return isCounted(typesOf(parameter)) === isCounted(typesOf(property))
}

/** A number that counts the records is their id when the path contains a number. */
function rankOfNumber(name: string, property: Schema, { schema }: IdContext): number | undefined {
  const isCount = plainName(name) === 'number' && isCounted(typesOf(property))
  return isCount && schema && isCounted(typesOf(schema)) ? GUESS : undefined
}

function isScalar(schema: Schema): boolean {
  const types = typesOf(schema)
  return types.length === 0
    ? propertiesOf(schema).size === 0 && schema.items === undefined
    : types.some((type) => type === 'string' || type === 'integer' || type === 'number')
}

/** Whether an id in the path can be an id in the record: a number in the path is no text that is a date or a UUID. */
function isCompatible(property: Schema, parameter: Schema | undefined): boolean {
  if (!parameter) return true
  const types = typesOf(parameter)
  const own = typesOf(property)
  if (types.length === 0 || own.length === 0) return true
  if (isCounted(types) && !isCounted(own)) return property.format === undefined && !property.enum
  // Most documents declare path parameters as strings.
  return true
}

function isCounted(types: readonly string[]): boolean {
  return types.includes('integer') || types.includes('number')
}

const typesOf: (schema: Schema) => readonly string[] = once((schema) =>
  withBranches(schema).flatMap(({ type = [] }) => type),
)

/** What the records of a collection are called by. */
interface RecordNames {
  /** The path of the collection, such as `/accounts/{accountId}/holdings`. */
  readonly path: string
  /** The path parameter that contains the id. */
  readonly parameter: string
}

/** The words that say that a name is that of an id. */
const ID_WORD = /^(id|uuid|gid|guid|sid|key|name|number|ref|identifier|slug|code|token)$/

/**
 * Whether a property is called an id of the records, by words of their path: `policyId` below `/life-insurance-policies`, `accountHoldingId`
 * below `/accounts/{accountId}/holdings`, `receiptRuleId` of `/receipts/{ruleId}`, and `branchName` of `/branch-rules/{name}`. Another
 * property without the last word of the collection or the parameter, such as `accountId`, contains the id of another record.
 */
export function isNamedAfter(property: string, { path, parameter }: RecordNames): boolean {
  const words = wordsOf(property)
  const ids = words.filter((word) => ID_WORD.test(word))
  const names = words.filter((word) => !ID_WORD.test(word))
  if (ids.length !== 1 || names.length === 0) return false
  const inPath = wordsInPath(path)
  const inParameter = wordsOf(parameter).filter((word) => !ID_WORD.test(word))
  const own = [inPath.at(-1) ?? '', inParameter.at(-1) ?? '']
  // Every record has an id, but not every record has a name or a code in its path.
  if (parameter !== 'id' && ids[0] === wordsOf(parameter).join('')) {
    const last = wordsOf(path.split('/').at(-1) ?? '')
    return names.every((name) => isAmong(name, last))
  }
  return (
    names.every((name) => isAmong(name, [...inPath, ...inParameter])) &&
    names.some((name) => isAmong(name, own))
  )
}

/** The words of the collections above in a path: those before a parameter. */
function wordsAbove(path = ''): readonly string[] {
  const parts = path.split('/')
  return parts.flatMap((part, at) => (parts[at + 1]?.startsWith('{') ? wordsOf(part) : []))
}

/** The words of a path, without those of its parameters. */
function wordsInPath(path: string): readonly string[] {
  return path.split('/').flatMap((part) => (part.includes('{') ? [] : wordsOf(part)))
}

function isAmong(name: string, words: readonly string[]): boolean {
  return words.some((word) => isSameWord(word, name))
}

/** The plain forms of a word: as it is, and without the endings of a plural. */
export const formsOf: (word: string) => readonly string[] = onceByText((word) => {
  const plain = plainName(word)
  const forms = [plain]
  if (plain.endsWith('ies')) forms.push(`${plain.slice(0, -3)}y`)
  if (plain.endsWith('es')) forms.push(plain.slice(0, -2))
  if (plain.endsWith('s') && !plain.endsWith('ss')) forms.push(plain.slice(0, -1))
  else forms.push(`${plain}s`)
  const others = forms.flatMap((form) => SHORT_FORMS.get(form) ?? [])

  return [...forms, ...others].filter((form) => form.length > 1)
})

/** Words that paths often shorten, and what they are short for. */
const SHORT_FORMS: ReadonlyMap<string, string> = new Map(
  [
    ['org', 'organization'],
    ['repo', 'repository'],
    ['env', 'environment'],
  ].flatMap(([short = '', long = '']) => [
    [short, long],
    [long, short],
  ]),
)

/** Whether two words are the same, one of them in the plural perhaps. */
export function isSameWord(one: string, other: string): boolean {
  const forms = formsOf(one)
  return formsOf(other).some((form) => forms.includes(form))
}

/** The words of a name in lower case: `state`, `province` and `id` of `stateProvinceId` and of `state-province_id`. */
export const wordsOf: (name: string) => readonly string[] = onceByText((name) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .flatMap((word) => (word === '' ? [] : word.toLowerCase())),
)
