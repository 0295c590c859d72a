import Parser from '@apidevtools/swagger-parser'
import type { ErrorObject } from 'ajv'
import type { OpenAPI } from 'openapi-types'
import { parsePointer } from '../../contract/schema.ts'
import { isObject } from '../../validation/objects.ts'
import { type Document, FILES, findValue, refTarget } from '../document.ts'
import { asObject, type JsonObject } from '../json-value.ts'
import type { Mistake } from '../mistake.ts'
import { CheckMeter, unchecked } from './check-budget.ts'
import { toMistakes } from './schema-errors.ts'

/** The limits of a check: how long it may take, in milliseconds, and how many mistakes it may find. */
const TIME_LIMIT = 2500
const MAX_MISTAKES = 2000

/**
 * The number of values that are checked together. Ajv copies all its errors when it leaves an object, so the time may grow with
 * the square of this number. Parts without mistakes are followed by larger ones, because the parser compiles its schema for each.
 */
const FIRST_SIZE = 50_000

/** The parser looks for `$ref`s nowhere: what they point to is checked in its own place. */
const OPTIONS: Parser.Options = {
  resolve: { external: false },
  dereference: { excludedPathMatcher: () => true },
  validate: { spec: false },
}

/** Validates a document against OpenAPI's own schema. A document of OpenAPI 3.2 is validated as one of 3.1. */
export async function validateStructure(document: Document): Promise<readonly Mistake[]> {
  const { root, isCut } = inlineFiles(document)
  const mistakes: Mistake[] = isCut ? [unchecked('parts of other files', document)] : []
  const meter = new CheckMeter({ time: TIME_LIMIT })
  let size = FIRST_SIZE
  for (const part of partsOf(withReadVersions(root), () => size)) {
    if (!meter.take() || mistakes.length >= MAX_MISTAKES) {
      return [...mistakes, unchecked('some of the paths and components', document)]
    }
    const errors = await errorsOf(part)
    if (errors.length === 0) size *= 2
    const justified = errors.filter((one) => isJustified(one, document))
    mistakes.push(...byObject(justified).flatMap((own) => toMistakes(own, document)))
  }

  return mistakes
}

async function errorsOf(part: JsonObject): Promise<readonly ErrorObject[]> {
  try {
    await Parser.validate(part as unknown as OpenAPI.Document, OPTIONS)
    return []
  } catch (error) {
    const { details } = error as { readonly details?: readonly ErrorObject[] }
    if (details) return details
    throw error
  }
}

/** The document as the sandbox reads it: wrong versions have been reported, and the parser would stop at them. */
function withReadVersions({ swagger: _, ...root }: JsonObject): JsonObject {
  const { openapi, info, paths } = root

  return {
    ...root,
    openapi: String(openapi).startsWith('3.0') ? '3.0.4' : '3.1.1',
    paths: isObject(paths) ? paths : {},
    ...(isObject(info) &&
      typeof info.version === 'number' && { info: { ...info, version: String(info.version) } }),
  }
}

/** The objects of a document that may have any number of entries. */
const LARGE = ['paths', 'webhooks', 'components.schemas', 'components.responses']

/** The errors outside of these objects, and those in each of them: mistakes in one of them do not hide those in another. */
function byObject(errors: readonly ErrorObject[]): readonly ErrorObject[][] {
  const objectOf = ({ instancePath }: ErrorObject): string | undefined =>
    LARGE.find((object) => `${instancePath}/`.startsWith(`/${object.replace('.', '/')}/`))

  return [undefined, ...LARGE].map((object) => errors.filter((one) => objectOf(one) === object))
}

/** An entry of one of these objects. */
type Entry = readonly [object: string, name: string, value: unknown]

/**
 * Divides a document into smaller ones, so that the time and the memory of a check can be limited. Each path item and each
 * component is in one of them, and the first has everything else. `size` is the number of values that the next part should have.
 */
function* partsOf(root: JsonObject, size: () => number): Generator<JsonObject, void> {
  let frame = LARGE.reduce((rest, name) => replaceAt(rest, name, {}), root)
  let entries: Entry[] = []
  let values = 0
  for (const entry of entriesOf(root)) {
    entries.push(entry)
    values += sizeOf(entry[2])
    if (values < size()) continue
    yield withEntries(frame, entries)
    frame = { openapi: root.openapi, info: { title: '', version: '' }, paths: {} }
    entries = []
    values = 0
  }
  yield withEntries(frame, entries)
}

/** A copy of a document in which the object of this name is another one, if there is one. */
function replaceAt(root: JsonObject, name: string, value: JsonObject): JsonObject {
  const [outer = '', inner] = name.split('.')
  if (inner === undefined) return isObject(root[outer]) ? { ...root, [outer]: value } : root
  const object = root[outer]
  if (!isObject(object) || !isObject(object[inner])) return root

  return { ...root, [outer]: { ...object, [inner]: value } }
}

function entriesOf(root: JsonObject): Entry[] {
  return LARGE.flatMap((object) => {
    const [outer = '', inner] = object.split('.')
    const value = asObject(root[outer])
    const entries = Object.entries(inner === undefined ? value : asObject(value[inner]))
    return entries.map(([name, one]): Entry => [object, name, one])
  })
}

/** A copy of a document with these entries of its objects. */
function withEntries(frame: JsonObject, entries: readonly Entry[]): JsonObject {
  const part: Record<string, unknown> = { ...frame }
  for (const object of new Set(entries.map(([one]) => one))) {
    const own = entries.filter(([one]) => one === object).map(([, name, value]) => [name, value])
    const [outer = '', inner] = object.split('.')
    const value = Object.fromEntries(own)
    part[outer] = inner === undefined ? value : { ...asObject(part[outer]), [inner]: value }
  }
  return part
}

/** How many values a value contains. */
function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  let size = 1
  for (const inner of Object.values(value)) size += sizeOf(inner)

  return size
}

/** The number of values that the copied parts of other files may have. */
const MAX_VALUES = 500_000

/** A document with parts of its other files in the place of the `$ref`s to them. */
interface InlinedDocument {
  readonly root: JsonObject
  /** Whether `$ref`s were left because the copies would have too many values. */
  readonly isCut: boolean
}

/**
 * Replaces each `$ref` to another file by a copy of its target, because a check sees only what is in the document itself. A `$ref`
 * that leads back into the object that contains it stays.
 */
function inlineFiles(document: Document): InlinedDocument {
  const { [FILES]: files, ...own } = document.root
  if (files === undefined) return { root: own, isCut: false }
  const open = new Set<unknown>()
  let values = 0
  let isCut = false

  function copy(value: unknown): unknown {
    values += 1
    if (Array.isArray(value)) return value.map(copy)
    if (!isObject(value) || value instanceof Date) return value
    const target = refTarget(document, value)
    if (target?.pointer[0] === FILES && !open.has(target.value)) {
      if (values < MAX_VALUES) return copyOpen(target.value)
      isCut = true
    }
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copy(inner)]))
  }

  function copyOpen(value: unknown): unknown {
    open.add(value)
    const copied = copy(value)
    open.delete(value)
    return copied
  }

  return { root: copy(own) as JsonObject, isCut }
}

/** Whether an error about a document is a mistake of the document, and none of the schema that it is checked by. */
function isJustified(error: ErrorObject, document: Document): boolean {
  return !isMisspelt(error) && !(isVersion32(document) && isNew(error, document))
}

/**
 * The parser's edition of the 3.1 schema misspells the `description` of a server variable, and therefore rejects it
 * (OAI/OpenAPI-Specification#2793).
 */
function isMisspelt({ instancePath, params }: ErrorObject): boolean {
  const isVariable = /^\/(.*\/)?servers\/\d+\/variables\/[^/]+$/.test(instancePath)

  return isVariable && params.unevaluatedProperty === 'description'
}

function isVersion32({ root }: Document): boolean {
  return /^3\.[2-9]/.test(String(root.openapi))
}

/** The fields that OpenAPI 3.2 has added, and the values of enumerations. */
const NEW_FIELDS: ReadonlySet<unknown> = new Set([
  ...['$self', 'query', 'additionalOperations', 'itemSchema', 'itemEncoding', 'prefixEncoding'],
  ...['mediaTypes', 'dataValue', 'serializedValue', 'deviceAuthorization', 'summary', 'parent'],
  ...['oauth2MetadataUrl', 'deviceAuthorizationUrl', 'kind', 'name', 'deprecated', 'content'],
])
const NEW_VALUES: ReadonlySet<unknown> = new Set(['querystring', 'cookie'])

/** Whether OpenAPI 3.2 allows what the schema of 3.1 rejects. */
function isNew({ keyword, instancePath, params }: ErrorObject, document: Document): boolean {
  if (NEW_FIELDS.has(params.unevaluatedProperty)) return true
  const pointer = parsePointer(instancePath)
  // The description of a response has become optional.
  if (params.missingProperty === 'description') return pointer.at(-2) === 'responses'

  return keyword === 'enum' && NEW_VALUES.has(findValue(document, pointer)?.value)
}
