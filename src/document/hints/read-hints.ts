import { EVERY_ID, type ServiceHints } from '../../contract/hints.ts'
import { isBearerToken, isDocumentableHeader } from '../../http/headers.ts'
import type { GivenHints } from '../../inference/apply-hints.ts'
import { parametersIn } from '../../inference/path-shape.ts'
import { isObject } from '../../validation/objects.ts'
import { suggest } from '../../validation/usage-error.ts'
import {
  fields,
  is,
  mistakesIn,
  spell,
  type ValueCheck,
  type ValueMistake,
  type ValuePath,
} from '../../validation/value-check.ts'
import { atPart, type Document, followRefs, locationOf, resolveRef } from '../document.ts'
import { asObject, asString, type JsonObject, type Pointer, refOf } from '../json-value.ts'
import type { Mistake, PartMistake } from '../mistake.ts'
import { type OperationEntry, operationIdsOf, operationsOf, parsePathKey } from '../operations.ts'
import { checkOf, type HintSchema } from './hint-schema.ts'
import { OPERATION_VOCABULARY } from './operation-vocabulary.ts'
import { placeholderMistakes, valueMistakes } from './placeholder-mistakes.ts'
import { keySchema, PATH_VOCABULARY, SERVICE_VOCABULARY } from './vocabulary.ts'

/** The hints of paths and operations, and what is wrong with them. */
export interface ReadGivenHints {
  /** Without the fields that are wrong. */
  readonly hints: GivenHints
  readonly mistakes: readonly PartMistake[]
}

/** The extension that holds hints for the sandbox. Other tools ignore it. */
const EXTENSION = 'x-sandbox'

const OPERATION = checkOfFields(OPERATION_VOCABULARY)
const PATH = checkOfFields(PATH_VOCABULARY)

/**
 * Reads the `x-sandbox` of the path items and operations of a document. Never throws: what is wrong is left out. `inference`
 * says whether anything is inferred; default: what the document says, else yes.
 */
export function readGivenHints(document: Document, inference?: boolean): ReadGivenHints {
  const { paths: items, [EXTENSION]: service } = document.root
  const entries = operationsOf(document)
  const ids = operationIdsOf(entries)
  const mistakes: PartMistake[] = []
  const templates = Object.keys(asObject(items))
  const claimed = new Map<string, string>()
  const paths = templates.flatMap((template) => {
    const value = resolveRef(document, asObject(items)[template])[EXTENSION]
    if (value === undefined) return []
    const found = [
      ...mistakesIn(value, PATH),
      ...unknownPathsIn(asObject(value), templates, ids),
      ...unknownSchemaIn(asObject(value), document),
      ...aliasMistakes(asObject(asObject(value).aliases), template, { templates, claimed }),
      ...valueMistakes(asObject(asObject(value).values)),
    ]
    mistakes.push(...located(found, ['paths', template]))
    return [
      [
        parsePathKey(template).template,
        withoutFields(asObject(value), found, PATH_VOCABULARY),
      ] as const,
    ]
  })
  const operations = entries.flatMap((entry, index) => {
    const { operation, pointer } = entry
    const value = operation[EXTENSION]
    if (value === undefined) return []
    const hints = asObject(value)
    const found = [
      ...mistakesIn(value, OPERATION),
      ...unknownNamesIn(hints, entry),
      ...missingSort(hints),
      ...placeholderMistakes(hints, entry, document),
    ]
    mistakes.push(...located(found, pointer))
    return [[ids[index] ?? '', withoutFields(hints, found, OPERATION_VOCABULARY)] as const]
  })
  const { failures } = readServiceHints(document.root)?.hints ?? {}
  const hints = {
    inference: inference ?? asObject(service).inference !== false,
    paths: new Map([...serviceResources(document), ...paths]),
    operations: new Map(operations),
    ...(failures && { failures }),
  }

  return { hints, mistakes }
}

/** The hints of the document for paths that it does not have. `validateGivenHints` reports their mistakes. */
function serviceResources({ root }: Document): readonly (readonly [string, JsonObject])[] {
  const { resources } = readServiceHints(root)?.hints ?? {}
  return Object.entries(resources ?? {}).map(([path, hints]) => [path, asObject(hints)])
}

function checkOfFields(properties: Vocabulary): ValueCheck {
  return checkOf({ type: 'object', properties })
}

function located(mistakes: readonly ValueMistake[], pointer: Pointer): readonly PartMistake[] {
  return mistakes.map(({ path, part, reason, help: _, ...suggestion }) => ({
    reason: path.length === 0 ? `"${EXTENSION}" must be an object` : `${EXTENSION}: ${reason}`,
    pointer: [...pointer, EXTENSION, ...path.map(String)],
    part,
    assumed: 'it is ignored',
    ...suggestion,
  }))
}

type Vocabulary = Readonly<Record<string, HintSchema>>

/**
 * The fields without mistakes. Of a field with any names, such as `filters` and `aliases`, only the wrong names are left out; of one with
 * wrong names alone, nothing is left that would be a hint.
 */
function withoutFields(
  value: JsonObject,
  mistakes: readonly ValueMistake[],
  vocabulary: Vocabulary,
): JsonObject {
  return Object.fromEntries(
    Object.entries(value).flatMap(([field, given]) => {
      const wrong = mistakes.flatMap(({ path: [name, member] }) => (name === field ? [member] : []))
      if (wrong.length === 0) return [[field, given]]
      const names = new Set(wrong.map(String))
      const right = Object.entries(asObject(given)).filter(([name]) => !names.has(name))
      const isMap = hasAnyNames(vocabulary[field]) && !wrong.includes(undefined)
      return isMap && right.length > 0 ? [[field, Object.fromEntries(right)]] : []
    }),
  )
}

/** Whether a hint is an object whose members are independent of each other. */
function hasAnyNames(schema: HintSchema | undefined): boolean {
  const [object] = [schema?.anyOf ?? schema].flat()
  return object?.additionalProperties !== undefined && object.properties === undefined
}

/** The hints for the whole service, and what is wrong with them. */
interface ReadServiceHints {
  /** Without the hints that are wrong. */
  readonly hints: ServiceHints
  readonly mistakes: readonly PartMistake[]
}

/** Reads the `x-sandbox` of a document. Never throws: a hint that is wrong is left out. `undefined` without the extension. */
export function readServiceHints(root: JsonObject): ReadServiceHints | undefined {
  if (root[EXTENSION] === undefined) return undefined
  const value = withRecords(root, root[EXTENSION])
  const mistakes = mistakesIn(value, hintsCheck(asObject(asObject(value).plans)))

  return {
    hints: withoutMistakes(asObject(value), mistakes),
    mistakes: located(mistakes, []),
  }
}

/** The records of the hint, or of the file that it names. */
const RECORDS = checkOf({
  type: 'object',
  additionalProperties: { type: 'array', items: { type: 'object', additionalProperties: {} } },
})

/** The hints with the records of the file that they refer to; without records, if it could not be read. */
function withRecords(root: JsonObject, value: unknown): unknown {
  const hints = asObject(value)
  if (refOf(hints.records) === undefined) return value
  const { records, ...others } = hints
  const target = followRefs({ root }, { value: records, pointer: [] })

  return target ? { ...others, records: target.value } : others
}

const KEY_NAME = is(
  'an API key of letters, digits and -._~+/',
  (value) => typeof value === 'string' && isBearerToken(value),
)

const CHECKS = Object.fromEntries(
  Object.entries(SERVICE_VOCABULARY).map(([name, schema]) => [name, checkOf(schema)]),
)

const HEADER_NAME = is(
  'the name of a header that says nothing about the content, the connection or the sandbox',
  (value) => typeof value === 'string' && isDocumentableHeader(value),
)

const FIGURE = checkOf(SERVICE_VOCABULARY.rateLimitHeaders.additionalProperties || {})

function hintsCheck(plans: JsonObject): ValueCheck {
  const key = checkOf(keySchema(Object.keys(plans)))

  return fields({
    ...CHECKS,
    records: RECORDS,
    keys: each(key, KEY_NAME),
    rateLimitHeaders: each(FIGURE, HEADER_NAME),
  })
}

/** An object with any names that pass `name`, and values that pass `check`. */
function each(check: ValueCheck, name: ValueCheck): ValueCheck {
  return (value, path, mistakes) => {
    if (!isObject(value)) return is('an object', isObject)(value, path, mistakes)
    for (const [key, member] of Object.entries(value)) {
      name(key, [...path, key], mistakes)
      check(member, [...path, key], mistakes)
    }
  }
}

/** The hints whose members are independent of each other. */
const MAPS: ReadonlySet<string> = new Set(['plans', 'keys', 'rateLimitHeaders'])

/** The hints that have no mistake. Of plans, keys and headers, only the wrong ones are left out. */
function withoutMistakes(value: JsonObject, mistakes: readonly ValueMistake[]): ServiceHints {
  const kept = (object: JsonObject, path: ValuePath, depth: number): JsonObject =>
    Object.fromEntries(
      Object.entries(object).flatMap(([name, member]): [string, unknown][] => {
        const at = [...path, name]
        if (!mistakes.some((mistake) => startsWith(mistake.path, at))) return [[name, member]]
        const isMap = depth === 0 && MAPS.has(name) && isObject(member)
        return isMap ? [[name, kept(member, at, depth + 1)]] : []
      }),
    )

  return kept(value, [], 0)
}

function startsWith(path: ValuePath, start: ValuePath): boolean {
  return start.every((step, index) => path[index] === step)
}

/** A list is sorted by a parameter, or in an order of its own. */
function missingSort({ sort }: JsonObject): readonly ValueMistake[] {
  const { by, default: usual } = asObject(sort)
  if (!isObject(sort) || by !== undefined || usual !== undefined) return []
  const path = ['sort', 'by']
  return [{ path, part: 'value', reason: `${spell(path)} is required without a default` }]
}

/**
 * The query parameters that the hints of an operation name and that the operation does not have. The body of a POST may have them, too,
 * and its schema is not read here.
 */
function unknownNamesIn(
  { paging, filters, sort, fields, expand, ids }: JsonObject,
  { method, operation, parameters }: OperationEntry,
): readonly ValueMistake[] {
  if (method === 'POST' && operation.requestBody !== undefined) return []
  const known = parameters
    .filter(({ parameter }) => parameter.in === 'query')
    .map(({ parameter }) => String(parameter.name))
  // A parameter may be an object: `filter[status][value]` is in `filter[status]`.
  const ofObject = (name: string): string => known.find((one) => name.startsWith(`${one}[`)) ?? name
  const named = [
    ...membersOf('paging', paging, ['parameter', 'size', 'before']),
    ...membersOf('sort', sort, ['by', 'direction']),
    ...(typeof fields === 'string' ? [[['fields'], fields] as const] : []),
    ...(typeof expand === 'string' && !expand.startsWith('/')
      ? [[['expand'], expand] as const]
      : []),
    ...(typeof ids === 'string' && !ids.startsWith('/') ? [[['ids'], ids] as const] : []),
    ...Object.keys(asObject(filters)).map((name): Named => [['filters', name], ofObject(name)]),
  ]

  // `*` stands for all records.
  return unknown('query parameter', named, [...known, EVERY_ID])
}

/** The paths and operations that the hints of a path name and that the document does not have. */
function unknownPathsIn(
  hints: JsonObject,
  templates: readonly string[],
  operationIds: readonly string[],
): readonly ValueMistake[] {
  const { view } = hints
  const items = ['item', 'caller'].flatMap((name) =>
    asString(hints[name]) === undefined ? [] : [[[name], String(hints[name])] as const],
  )
  const views = asString(view) === undefined ? [] : [[['view'], String(view)] as const]

  return [...unknown('path', items, templates), ...unknown('operation', views, operationIds)]
}

/** A schema that hints name and that the document does not have. */
function unknownSchemaIn({ schema }: JsonObject, { root }: Document): readonly ValueMistake[] {
  if (typeof schema !== 'string') return []
  return unknown(
    'schema',
    [[['schema'], schema]],
    Object.keys(asObject(asObject(root.components).schemas)),
  )
}

/** The aliases of the paths before one, and the paths of the document. */
interface KnownAliases {
  readonly templates: readonly string[]
  /** The path that has the records, by that of the alias. */
  readonly claimed: Map<string, string>
}

/** What is wrong with the aliases of a path: one that the document does not have, and one whose records are those of another path. */
function aliasMistakes(
  aliases: JsonObject,
  of: string,
  { templates, claimed }: KnownAliases,
): readonly ValueMistake[] {
  return Object.entries(aliases).flatMap(([alias, by]): readonly ValueMistake[] => {
    const path = ['aliases', alias]
    const isKnown = templates.some((one) => one === alias || one.startsWith(`${alias}/`))
    if (!isKnown) return unknown('path', [[path, alias]], templates)
    const isOwner = [...claimed.values()].includes(alias)
    if (claimed.has(alias) || claimed.has(of) || isOwner || alias === of) {
      const owner = claimed.get(alias) ?? claimed.get(of) ?? alias
      const reason = `${spell(path)} cannot be an alias of ${of}: ${owner} has the records`
      return [{ path, part: 'key', reason }]
    }
    claimed.set(alias, of)
    const names = Object.keys(asObject(by)).map((name): Named => [[...path, name], name])
    return unknown('path parameter', names, [...parametersIn(alias), ...parametersIn(of)])
  })
}

type Named = readonly [path: ValuePath, name: string]

function membersOf(field: string, value: unknown, names: readonly string[]): readonly Named[] {
  return names.flatMap((name) => {
    const member = asString(asObject(value)[name])
    return member === undefined ? [] : [[[field, name], member] as const]
  })
}

function unknown(
  kind: string,
  named: readonly Named[],
  known: readonly string[],
): readonly ValueMistake[] {
  return (
    named
      // A filter may be by a property of a parameter, such as `filter[name]`.
      .filter(([, name]) => !(known.includes(name) || known.includes(name.replace(/\[.*$/, ''))))
      .map(([path, name]) => ({
        path,
        // The names of filters and aliases are keys.
        part: path[0] === 'filters' || path[0] === 'aliases' ? 'key' : 'value',
        reason: `unknown ${kind} "${name}" in ${spell(path)}`,
        ...suggest(name, known),
      }))
  )
}

/** The fields of a hint, by the kind of object that has it. */
const FIELDS = {
  schema: ['default'],
  response: ['forced'],
} as const

/**
 * Whether a response is sent only when a developer forces it: `x-sandbox: { forced: true }`. The document lists it so that
 * clients and validators know its status; the service does not promise it.
 */
export function isForced(response: JsonObject): boolean {
  return asObject(response[EXTENSION]).forced === true
}

const IGNORED = 'it is ignored'

/** Finds mistakes in the hints of a schema or response. */
export function validateHints(
  kind: keyof typeof FIELDS,
  object: JsonObject,
  pointer: Pointer,
  document: Document,
): Mistake[] {
  const hints = object[EXTENSION]
  const path = [...pointer, EXTENSION]
  const known: readonly string[] = FIELDS[kind]
  if (hints === undefined) return []
  if (!isObject(hints)) {
    const help = `Write an object with ${known.map((name) => `"${name}"`).join(', ')}.`
    const location = locationOf(document, path)
    return [{ reason: `"${EXTENSION}" must be an object`, location, assumed: IGNORED, help }]
  }
  return Object.keys(hints)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      reason: `"${EXTENSION}" of a ${kind} has an unknown field "${name}"`,
      location: locationOf(document, [...path, name], 'key'),
      assumed: IGNORED,
      ...suggest(name, known),
    }))
}

/** Finds mistakes in the hints for the whole service, for paths and for operations. */
export function validateGivenHints(document: Document): Mistake[] {
  const { mistakes = [] } = readServiceHints(document.root) ?? {}
  const given = readGivenHints(document)

  return [...mistakes, ...given.mistakes].map((mistake) => atPart(document, mistake))
}
