import type { Schema } from '../../contract/contract.ts'
import { isObject, setOwn } from '../../validation/objects.ts'
import { asArray, asObject, asString, type JsonObject, refOf } from '../json-value.ts'
import { isPattern, toRegExp } from './ajv.ts'
import { toEcmaPattern } from './ecma-pattern.ts'
import { withNull } from './schema-dialect.ts'
import { isSchemaList, isSchemaMap, isSingleSchema } from './subschemas.ts'
import { patternLength } from './time-limit.ts'

/** A schema that is being built. */
export type Draft = Record<string, unknown>

/** How {@link readKeywords} builds the parts of a schema. */
interface KeywordReader {
  /** Builds a subschema. */
  readonly build: (schema: unknown) => Draft
  /** Builds a branch (`allOf`, `anyOf`, `oneOf`), which describes the same value. */
  readonly buildBranch: (schema: unknown) => Draft
  /** Whether the schema describes requests. */
  readonly isRequest: boolean
  /** Whether a value of the keyword `nullable` adds `null` to the values. */
  readonly isNullable: (nullable: unknown) => boolean
  /** Whether the messages of this direction do not have the property. */
  readonly isRemoved: (name: string, schema?: unknown) => boolean
  /** Gets each keyword whose value means nothing. */
  readonly onInvalid: (keyword: string, value: unknown, expected: string) => void
  /** Gets each key of `patternProperties` that is no regular expression. */
  readonly onInvalidPattern: (pattern: string) => void
}

/** The keywords of a schema that the sandbox uses, with their subschemas built. Branches come last. */
export function readKeywords(given: JsonObject, reader: KeywordReader): Draft {
  const schema = withItemsEnum(given)
  if (schema !== given) reader.onInvalid('enum', given.enum, 'a list of lists beside "type: array"')
  const kept: Draft = {}
  const branches: Draft = {}
  for (const [keyword, value] of Object.entries(schema)) {
    const read = isHint(keyword) ? value : readKnown(keyword, value, reader)
    if (read !== undefined) (BRANCHES.has(keyword) ? branches : kept)[keyword] = read
  }
  const members = membersWithoutType(kept.type, kept.enum)
  if (members) {
    reader.onInvalid('type', kept.type, 'a type that a member of "enum" has')
    delete kept.type
    kept.enum = members
  }
  dropContradicted(kept, schema, reader)
  noteDescribed(kept, schema)
  const named = reader.isRequest ? withIgnoredNames(kept, removedNames(schema, reader)) : kept
  const complete: Draft = { ...withBranchValues({ ...named, ...branches }, schema) }
  if (reader.isRequest) dropImplied(complete)

  return reader.isNullable(schema.nullable) ? { ...withNull(complete) } : complete
}

/** Adds what only the description of a schema says. */
function noteDescribed(kept: Draft, schema: JsonObject): void {
  const { description } = schema
  const described = describedValues(kept, description)
  if (described.length > 0) kept.describedValues = described
  const time = describedTime(kept, description)
  if (time) kept.describedTime = time
  if (isDescribedLater(description)) kept.describedLater = true
  if (isDescribedOnce(description)) kept.describedOnce = true
  const referred = referredIn(schema) ?? describedReference(kept, description)
  if (referred !== undefined) kept.describedReference = referred
}

/** The schema of the record to which a request may expand an id: `User` of a text or a `User`. */
function referredIn({ oneOf, anyOf }: JsonObject): string | undefined {
  const branches = [...asArray(oneOf), ...asArray(anyOf)].map(asObject)
  if (!branches.some(({ type }) => type === 'string' || type === 'integer')) return undefined
  const named = branches.flatMap((branch) => SCHEMA_NAME.exec(refOf(branch) ?? '')?.[1] ?? [])

  return named.length === 1 ? named[0] : undefined
}

const SCHEMA_NAME = /\/([A-Za-z]\w*)$/

/** What a `$ref` says that a value is the id of: `User` of `#/components/schemas/User/properties/id` and `#/components/schemas/UserId`. */
export function referredBy(ref: string | undefined): string | undefined {
  const found = /\/([A-Za-z]\w*)\/properties\/(?:id|uuid|guid|gid|sid)$/.exec(ref ?? '')
  return found?.[1] ?? /\/([A-Za-z]\w*?)_?(?:Id|ID|_id|UUID|Uuid)$/.exec(ref ?? '')?.[1]
}

/** What a description says that a value is the id of: `customer` of "ID of the customer", "The customer's identifier" and `parent task`. */
function describedReference({ type }: Draft, description: unknown): string | undefined {
  const isId = [type].flat().some((one) => one === 'string' || one === 'integer')
  if (!isId || typeof description !== 'string') return undefined
  const start = description.slice(0, MAX_SENTENCE)
  const [, named] = ID_OF.exec(start) ?? OWNS_ID.exec(start) ?? PARENTS_ID.exec(start) ?? []

  return named?.split(AFTER_NAME)[0]
}

/** What follows the name of a record in a sentence. */
const AFTER_NAME =
  /\s+(?:[a-z]+(?:ed|ing)|that|who|whom|which|whose|to|in|on|for|of|from|is|with|by|this|the|an?)\b/i

const MAX_SENTENCE = 120
const ID_WORD = '(?:ids?|identifiers?|uuids?|guids?)'
const ID_OF = new RegExp(
  `^(?:the )?(?:(?:unique|internal|system|numeric) ){0,2}${ID_WORD} (?:of|for) (?:the|an?) ([a-z]+(?: [a-z]+){0,3})(?![a-z'’])`,
  'i',
)
const OWNS_ID = new RegExp(
  `^(?:(?:the|an?) )?([a-z]+(?: [a-z]+)?)['’]s (?:(?:unique|internal) )?${ID_WORD}\\b`,
  'i',
)
/** "Parent task identifier" */
const PARENTS_ID = new RegExp(`^(?:the )?(parent [a-z]+) ${ID_WORD}\\b`, 'i')

/** Whether a description says that only the response of a creation has the value. */
function isDescribedOnce(description: unknown): boolean {
  if (typeof description !== 'string' || description.length > MAX_DESCRIPTION) return false
  return SAYS_ONCE.test(description)
}

const SAYS_ONCE =
  /\b(only|once)\b[^.]{0,40}\b(shown|returned|displayed|visible|available|included|present|provided|revealed|sent|exposed|in the response)\b[^.]{0,50}\b(creat|generat|issu|regenerat|rotat|first time|once)|\b(shown|returned|displayed|visible|available|included|revealed|present)\b[^.]{0,20}\b(only (?:once|when|on|at|upon|after|during|in)|once)\b|\b(not|never) be (shown|returned|displayed|retrieved|revealed|visible|available)\b[^.]{0,20}\b(again|later|after)\b/i

/** Values in quotes or in capitals in a row, or each in quotes at the start of an item of a list. */
const QUOTED = '[`"“\']([A-Za-z][\\w-]{0,39})[`"”\']'
const CAPITALS = '\\b([A-Z][A-Z0-9_]{2,39})\\b'
const ROWS = [QUOTED, CAPITALS].map((value) => ({
  value: new RegExp(value, 'g'),
  row: new RegExp(`${value}(?:(?:\\s*[,|/]\\s*(?:or\\s+|and\\s+)?|\\s+(?:or|and)\\s+)${value})+`),
}))
const ITEMS = new RegExp(`^\\s*[-*]\\s+${QUOTED}`, 'gm')
/** What comes before the values of a text in its description. */
const LISTS =
  /\b(one of|either|can be|may be|is|are|be|values?|options?|possible|allowed|supported|statuses|states|types?)\b[^.]{0,60}$|(?<!\b(?:examples?|instance|e\.g\.?)\s*):\s*$/i
/** No longer description is searched. */
const MAX_DESCRIPTION = 4000

/**
 * The values that the description of a text lists, as in "It can be `enabled` or `disabled`.", unless its keywords say what it is. Of values
 * that keywords list, the description may say the order.
 */
function describedValues(
  { type, enum: members, const: only, format, pattern }: Draft,
  description: unknown,
): readonly string[] {
  const isFree = [only, format, pattern].every((keyword) => keyword === undefined)
  const isText = isFree && [type].flat().includes('string')
  if (!isText || typeof description !== 'string' || description.length > MAX_DESCRIPTION) return []
  const values = new Set(listedIn(description) ?? itemsIn(description))

  if (Array.isArray(members)) return orderOf(members, values)
  return values.size > 1 ? [...values] : []
}

/** The values that a sentence lists in a row. */
function listedIn(description: string): readonly string[] | undefined {
  for (const { row, value } of ROWS) {
    const found = row.exec(description)
    if (!found || !LISTS.test(description.slice(0, found.index))) continue
    return [...found[0].matchAll(value)].map(([, word = '']) => word)
  }
  return undefined
}

function itemsIn(description: string): readonly string[] {
  return [...description.matchAll(ITEMS)].map(([, word = '']) => word)
}

/** The members of an enum in the order of a description that names all of them, where it is another order; else none. */
function orderOf(members: readonly unknown[], named: ReadonlySet<string>): readonly string[] {
  const texts = members.filter((value) => value !== null).map(String)
  const ordered = [...named].filter((value) => texts.includes(value))
  const isWhole = ordered.length === texts.length && texts.length > 1

  return isWhole && ordered.some((value, at) => value !== texts[at]) ? ordered : []
}

/** What the numbers or digits of a time count, as in "Unix time in milliseconds", or that it is written as in mails (RFC 2822). */
function describedTime({ type, format }: Draft, description: unknown): Schema['describedTime'] {
  const isText = [type].flat().includes('string')
  const said = typeof description === 'string' && !/^date(-time)?$/.test(String(format))
  const isMail = MAIL_TIME.test(String(format)) || (said && MAIL_TIME.test(description))
  if (isText && isMail) return 'mail'
  const isCount = [type].flat().some((one) => /^(string|integer|number)$/.test(String(one)))
  const isTime = typeof description === 'string' && /\b(epoch|unix)\b/i.test(description)
  if (!isCount || !isTime || /^date/.test(String(format))) return undefined
  return /milli/i.test(description) ? 'milliseconds' : 'seconds'
}

const MAIL_TIME = /\brfc[- _]?(?:2822|822|1123)\b/i

/** Whether a description says that a record has the value in some cases only, and not that only the response of its creation shows it. */
function isDescribedLater(description: unknown): boolean {
  if (typeof description !== 'string' || description.length > MAX_DESCRIPTION) return false
  return (ONLY_IF.test(description) || IF.test(description)) && !/\bcreat/i.test(description)
}

const ONLY_IF =
  /\bonly (?:be )?(?:set|present|populated|available|returned|included|provided|filled)(?: in)? (?:once|when|if|after)\b/i
/** The beginning of a description that is a condition about something else than the value, and no option of a request. */
const IF =
  /^if (?!(?:true|false|set|specified|provided|present|enabled|given|omitted|not|no|you|this|empty|null|it|the value)\b)/i

/** Leaves out what the examples of a schema contradict. */
function dropContradicted(kept: Draft, schema: JsonObject, reader: KeywordReader): void {
  if (isContradicted(kept.pattern, schema)) {
    reader.onInvalid('pattern', kept.pattern, 'one that the example of the schema matches')
    delete kept.pattern
  }
  if (kept.format === 'uuid' && isNoUuid(schema)) {
    reader.onInvalid('format', kept.format, 'one that the example of the schema has')
    delete kept.format
  }
  if (isBareObject(schema) && isNoObject(schema)) {
    reader.onInvalid('type', kept.type, 'the type that the example of the schema has')
    kept.type = ANY_TYPE
    delete kept.example
    delete kept.examples
  }
}

/** Any value, but preferably the object that the document names. */
const ANY_TYPE: readonly string[] = ['object', 'array', 'string', 'number', 'boolean', 'null']

/** Whether nothing is said about an object but that it is one. */
function isBareObject({ type, ...rest }: JsonObject): boolean {
  return type === 'object' && !Object.keys(rest).some((one) => KEYWORDS.has(one) && !NOTES.has(one))
}

/** Keywords that do not say which values are valid. */
const NOTES: ReadonlySet<string> = new Set(['title', 'description', 'example', 'examples'])

/** Whether a schema has examples, and none of them is an object or the text of one. */
function isNoObject({ example, examples }: JsonObject): boolean {
  const given = [example, ...asArray(examples)].filter((one) => one !== undefined && one !== null)
  return given.length > 0 && !given.some((one) => isObject(one) || /^\s*\{/.test(String(one)))
}

/**
 * The schema of a property whose name says that it has any value: generators of documents write the type of any value of a program
 * (`Object`, `interface{}`) as an object without properties.
 */
function withoutBareType(name: string, schema: unknown): unknown {
  if (!(/^(value|[a-z_]+(_value|Value))$/.test(name) && isObject(schema))) return schema
  return isBareObject(schema) ? { ...schema, type: ANY_TYPE } : schema
}

/** Whether no example of a schema is a UUID, or the schema allows none by its length: ids of other forms are called so, too. */
function isNoUuid({ example, examples, maxLength, minLength }: JsonObject): boolean {
  const texts = [example, ...asArray(examples)].filter((one) => typeof one === 'string')
  const isTooLong =
    Number(minLength ?? 0) > UUID_LENGTH || Number(maxLength ?? UUID_LENGTH) < UUID_LENGTH

  return isTooLong || (texts.length > 0 && !texts.some((text) => UUID.test(text)))
}

const UUID = /^(urn:uuid:)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const UUID_LENGTH = 36

/** Whether the examples of a schema break its pattern, which is then rather written for another value, or wrong. */
function isContradicted(pattern: unknown, { example, examples }: JsonObject): boolean {
  const texts = [example, ...asArray(examples)].filter((one) => typeof one === 'string')
  if (typeof pattern !== 'string' || texts.length === 0) return false
  // A pattern that may take long is not tested.
  if (texts.some((text) => text.length > patternLength(pattern))) return false
  return !texts.some((text) => toRegExp(pattern, 'u').test(text))
}

const BRANCHES: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf'])

/** The value of a keyword that the sandbox uses; `undefined` when it is not one of them, or its value means nothing. */
function readKnown(keyword: string, given: unknown, reader: KeywordReader): unknown {
  const rule = KEYWORDS.get(keyword)
  if (!rule) return undefined
  const value = readPatterns(keyword, given, reader)
  if (rule.isValid(value)) return readValue(keyword, value, reader)
  if (!isHarmless(keyword, value)) reader.onInvalid(keyword, value, rule.expected)
  return undefined
}

/** The value of a keyword, with patterns as JavaScript has them, and without keys of `patternProperties` that are none. */
function readPatterns(
  keyword: string,
  value: unknown,
  { onInvalidPattern }: Pick<KeywordReader, 'onInvalidPattern'>,
): unknown {
  if (keyword === 'pattern' && typeof value === 'string') return toEcmaPattern(value)
  if (keyword !== 'patternProperties' || !isObject(value)) return value
  const entries = Object.entries(value).flatMap(([given, schema]) => {
    const pattern = toEcmaPattern(given)
    if (isPattern(pattern)) return [[pattern, schema] as const]
    onInvalidPattern(given)
    return []
  })
  return Object.fromEntries(entries)
}

/** The value of a keyword; `undefined` when nothing of it is left. */
function readValue(keyword: string, value: unknown, reader: KeywordReader): unknown {
  const { build, buildBranch, isRemoved } = reader
  if (keyword === 'required') return readRequired(value, isRemoved)
  if (isSchemaMap(keyword)) {
    return keyword === 'properties'
      ? readMap(value, build, isRemoved, withoutBareType)
      : readMap(value, build)
  }
  if (Array.isArray(value) && isSchemaList(keyword)) {
    return value.map(BRANCHES.has(keyword) ? buildBranch : build)
  }
  return isSingleSchema(keyword) && isObject(value) ? build(value) : value
}

function removedNames({ properties }: JsonObject, { isRemoved }: KeywordReader): readonly string[] {
  const entries = Object.entries(asObject(properties))
  return entries.filter(([name, inner]) => isRemoved(name, inner)).map(([name]) => name)
}

/**
 * Requests need not have the discriminator of a schema on which others are based, and which names none of them: the schema of the request is
 * one of those, and services know which. A request that says nothing is still refused.
 */
function dropImplied(draft: Draft): void {
  const { discriminator, oneOf, anyOf, minProperties = 1 } = draft
  const { propertyName, mapping } = asObject(discriminator)
  const required = asArray(draft.required)
  if (mapping !== undefined || (oneOf ?? anyOf) !== undefined) return
  if (!required.includes(propertyName)) return
  const others = required.filter((name) => name !== propertyName)
  Object.assign(draft, { required: others, minProperties })
}

function readRequired(value: unknown, isRemoved: KeywordReader['isRemoved']): unknown {
  const names = [value].flat().filter((name) => typeof name === 'string')
  const required = [...new Set(names)].filter((name) => !isRemoved(name))

  return required.length > 0 ? required : undefined
}

function readMap(
  value: unknown,
  build: KeywordReader['build'],
  isLeftOut: KeywordReader['isRemoved'] = () => false,
  toBuild: (name: string, schema: unknown) => unknown = (_name, schema) => schema,
): Draft {
  const map: Draft = {}
  for (const [name, inner] of Object.entries(asObject(value))) {
    if (!isLeftOut(name, inner)) setOwn(map, name, build(toBuild(name, inner)))
  }
  return map
}

/** Values of keywords that real documents write to mean nothing. */
function isHarmless(keyword: string, value: unknown): boolean {
  if (value === null) return true
  return keyword === 'required' && typeof value === 'boolean'
}

/** What the value of a keyword must be. */
interface Rule {
  readonly expected: string
  readonly isValid: (value: unknown) => boolean
}

const number: Rule = { expected: 'a number', isValid: (value) => Number.isFinite(value) }
const count: Rule = {
  expected: 'an integer ≥ 0',
  isValid: (value) => Number.isInteger(value) && (value as number) >= 0,
}
const flag: Rule = { expected: 'true or false', isValid: (value) => typeof value === 'boolean' }
const text: Rule = { expected: 'a string', isValid: (value) => typeof value === 'string' }
const schema: Rule = { expected: 'a schema', isValid: isSchema }
/** Ajv writes all subschemas of a keyword into one function. The largest known schemas have some hundred. */
const MAX_SUBSCHEMAS = 5000

const schemas: Rule = {
  expected: `a list of 1 to ${MAX_SUBSCHEMAS} schemas`,
  isValid: (value) => Array.isArray(value) && value.length > 0 && value.length <= MAX_SUBSCHEMAS,
}
const schemaMap: Rule = {
  expected: `an object of at most ${MAX_SUBSCHEMAS} schemas`,
  isValid: (value) => isObject(value) && Object.keys(value).length <= MAX_SUBSCHEMAS,
}
const anything: Rule = { expected: 'any value', isValid: () => true }

const TYPES: ReadonlySet<unknown> = new Set([
  ...['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'],
])

/**
 * The keywords of a schema that the sandbox uses, and what their values must be (JSON Schema 2020-12). Other keywords are
 * annotations that it does not use, or extensions.
 */
export const KEYWORDS: ReadonlyMap<string, Rule> = new Map(
  Object.entries({
    type: {
      expected: `one of ${[...TYPES].join(', ')}, or a list of them`,
      isValid: (value) => {
        const types = [value].flat()
        return types.length > 0 && types.every((one) => TYPES.has(one))
      },
    },
    format: text,
    enum: {
      expected: 'a list with at least one value',
      isValid: (value) => Array.isArray(value) && value.length > 0,
    },
    const: anything,
    default: anything,
    multipleOf: {
      expected: 'a number > 0',
      isValid: (value) => Number.isFinite(value) && (value as number) > 0,
    },
    minimum: number,
    maximum: number,
    exclusiveMinimum: number,
    exclusiveMaximum: number,
    minLength: count,
    maxLength: count,
    pattern: {
      expected: 'a regular expression',
      isValid: (value) => typeof value === 'string' && isPattern(value),
    },
    minItems: count,
    maxItems: count,
    uniqueItems: flag,
    minContains: count,
    maxContains: count,
    minProperties: count,
    maxProperties: count,
    required: {
      expected: 'a list of property names',
      isValid: Array.isArray,
    },
    dependentRequired: {
      expected: 'an object of lists of property names',
      isValid: (value) =>
        isObject(value) &&
        Object.values(value).every(
          (names) => Array.isArray(names) && names.every((one) => typeof one === 'string'),
        ),
    },
    properties: schemaMap,
    patternProperties: {
      expected: 'an object of schemas whose keys are regular expressions',
      isValid: (value) => schemaMap.isValid(value) && Object.keys(value as object).every(isPattern),
    },
    dependentSchemas: schemaMap,
    additionalProperties: schema,
    unevaluatedProperties: schema,
    unevaluatedItems: schema,
    propertyNames: schema,
    items: schema,
    prefixItems: schemas,
    contains: schema,
    allOf: schemas,
    anyOf: schemas,
    oneOf: schemas,
    not: schema,
    if: schema,
    // biome-ignore lint/suspicious/noThenProperty: It is a keyword of JSON Schema.
    then: schema,
    else: schema,
    readOnly: flag,
    writeOnly: flag,
    discriminator: { expected: 'an object', isValid: isObject },
    contentEncoding: text,
    contentMediaType: text,
    xml: { expected: 'an object', isValid: isObject },
    example: anything,
    examples: anything,
  } satisfies Readonly<Record<string, Rule>>),
)

/** Whether a keyword is the extension that says how a value is generated. */
export function isHint(keyword: string): boolean {
  return keyword === 'x-faker'
}

function isSchema(value: unknown): boolean {
  return isObject(value) || typeof value === 'boolean'
}

/**
 * The members of an `enum` none of which has the `type` beside it, as in `type: string` with `enum: [true, false]`: no value would be
 * valid. The list is more specific than the type, so it counts, and clients may also send its members as values of the type.
 * `undefined` when there is no contradiction.
 */
export function membersWithoutType(
  type: unknown,
  members: unknown,
): readonly unknown[] | undefined {
  if (type === undefined || !Array.isArray(members) || members.length === 0) return undefined
  const types = [type].flat()
  // Beside the type of a list, the members may be meant for its items.
  if (types.includes('array') || types.includes('object')) return undefined
  if (members.some((member) => types.some((one) => hasType(member, one)))) return undefined
  const asTyped = members.flatMap((member) => [
    ...(types.includes('string') && typeof member !== 'object' ? [String(member)] : []),
    ...(types.some((one) => one === 'integer' || one === 'number') ? numberIn(member) : []),
  ])
  return [...new Set([...members, ...asTyped])]
}

function numberIn(member: unknown): readonly number[] {
  return typeof member === 'string' && /^-?\d{1,15}(\.\d+)?$/.test(member) ? [Number(member)] : []
}

/** Whether a value has one of the types of JSON Schema. */
export function hasType(value: unknown, type: unknown): boolean {
  if (value === null) return type === 'null'
  if (Array.isArray(value)) return type === 'array'
  if (isObject(value)) return type === 'object'
  if (type === 'integer') return Number.isInteger(value)

  return typeof value === type
}

/**
 * A schema whose discriminator lists the values of its property for each branch, in the order of `oneOf` or `anyOf`. The names of the
 * branches, which these values come from, are lost when references are resolved.
 */
export function withBranchValues(draft: JsonObject, schema: JsonObject): JsonObject {
  const { discriminator } = draft
  const branches = asArray(schema.oneOf ?? schema.anyOf)
  if (!isObject(discriminator) || branches.length === 0) return draft
  const mapping = Object.entries(asObject(discriminator.mapping))
  const values = branches.map((branch) => {
    const ref = asString(isObject(branch) ? refOf(branch) : undefined)
    if (ref === undefined) return []
    const name = ref.slice(ref.lastIndexOf('/') + 1)
    const mapped = mapping.filter(([, target]) => target === ref || target === name)

    return mapped.length > 0 ? mapped.map(([value]) => value) : [name]
  })
  return { ...draft, discriminator: { ...discriminator, branches: values } }
}

/**
 * The schema of a request, which accepts its read-only properties with any value also where it allows no others: OpenAPI says that
 * they SHOULD NOT be sent, which is no reason to refuse a request. Nothing reads them.
 */
export function withIgnoredNames(schema: JsonObject, readOnly: readonly string[]): JsonObject {
  const isClosed = schema.additionalProperties === false || schema.unevaluatedProperties === false
  if (!isClosed || readOnly.length === 0) return schema
  const pattern = `^(${readOnly.map(asPattern).join('|')})$`

  return { ...schema, patternProperties: { ...asObject(schema.patternProperties), [pattern]: {} } }
}

/** A pattern for exactly this name. */
function asPattern(name: string): string {
  return name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/**
 * A schema whose `enum` lists values of the items of a list, as in `type: array` with `enum: [a, b]`: no list would be valid. The
 * members then count for the items, unless these have an `enum` of their own. Any other schema is returned as it is.
 */
export function withItemsEnum(schema: JsonObject): JsonObject {
  const { enum: members, ...rest } = schema
  if (!isListType(schema.type) || !isOfItems(members)) return schema
  const { items } = schema
  if (asObject(items).enum !== undefined) return rest
  const allowed = { enum: members.filter((member) => member !== null) }
  const isPlain = refOf(items) === undefined

  return {
    ...rest,
    items: isPlain ? { ...asObject(items), ...allowed } : { allOf: [items, allowed] },
  }
}

function isListType(type: unknown): boolean {
  return [type].flat().every((one) => one === 'array' || one === 'null') && type !== 'null'
}

/** Whether members are given, and none is a list. */
function isOfItems(members: unknown): members is readonly unknown[] {
  const given = asArray(members).filter((member) => member !== null)
  return given.length > 0 && !given.some((member) => Array.isArray(member))
}
