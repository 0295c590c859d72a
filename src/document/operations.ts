import type { Deprecation, QueryCondition } from '../contract/contract.ts'
import { isJson } from '../contract/json.ts'
import { encodeLiteral } from '../contract/path-pattern.ts'
import { parseInstant } from '../time/clock.ts'
import { isObject } from '../validation/objects.ts'
import { type Document, resolveRef } from './document.ts'
import { asArray, asObject, asString, type JsonObject, type Pointer } from './json-value.ts'
import type { LocatedSchema } from './schemas/subschemas.ts'
import { ownServersOf } from './servers.ts'

/** An operation of a document, with the parameters of its path. */
export interface OperationEntry {
  /** As requests spell it: in capitals, such as `GET`, except in `additionalOperations`. */
  readonly method: string
  /** The path template. */
  readonly template: string
  readonly operation: JsonObject
  readonly pointer: Pointer
  /** Found anew by each reader: of a large document, most are never read twice, and all of them would take much memory. */
  readonly parameters: readonly ParameterEntry[]
  /** The servers of the operation, else of its path item; absent when those of the document serve it. */
  readonly servers?: unknown
}

/** A parameter with its `$ref` resolved, and the pointer to it. */
export interface ParameterEntry {
  readonly parameter: JsonObject
  readonly pointer: Pointer
}

/** The fields of a path item that are operations. OpenAPI 3.2 added `query`. */
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']

/** A method as HTTP allows it (RFC 9110, section 9.1). CONNECT asks for a tunnel, which no path has. */
const METHOD_TOKEN = /^(?!CONNECT$)[!#$%&'*+.^_`|~\w-]+$/

/** The operations of each document. Several checks read them. */
const operations = new WeakMap<Document, readonly OperationEntry[]>()

/** The operations of a document, in document order. */
export function operationsOf(document: Document): readonly OperationEntry[] {
  const known = operations.get(document) ?? readOperations(document)
  operations.set(document, known)

  return known
}

function readOperations(document: Document): readonly OperationEntry[] {
  return Object.entries(asObject(document.root.paths)).flatMap(([template, value]) => {
    if (!template.startsWith('/')) return []
    const item = resolveRef(document, value)

    return methodsOf(item).map((one) => operationEntry(document, template, item, one))
  })
}

/** One method of a path item: its operation, and the keys that lead to it. */
interface MethodEntry {
  readonly method: string
  readonly keys: Pointer
  readonly operation: unknown
}

/** The methods of a path item, with those of `additionalOperations` (OpenAPI 3.2), which may be any method. */
export function methodsOf(item: JsonObject): MethodEntry[] {
  const fixed = Object.entries(item)
    .filter(([key]) => METHODS.includes(key))
    .map(([key, operation]) => ({ method: key.toUpperCase(), keys: [key], operation }))
  const additional = Object.entries(asObject(item.additionalOperations))
    .filter(([method]) => METHOD_TOKEN.test(method))
    .map(([method, operation]) => ({ method, keys: ['additionalOperations', method], operation }))

  return [...fixed, ...additional].filter(({ operation }) => isObject(operation))
}

function operationEntry(
  document: Document,
  template: string,
  item: JsonObject,
  { method, keys, operation: value }: MethodEntry,
): OperationEntry {
  const path = ['paths', template]
  const pointer = [...path, ...keys]
  const operation = resolveRef(document, value)
  const servers = ownServersOf(operation.servers, item.servers)

  return {
    method,
    template,
    operation,
    pointer,
    get parameters() {
      const own = parameterEntries(document, operation.parameters, [...pointer, 'parameters'])
      const shared = parameterEntries(document, item.parameters, [...path, 'parameters'])
      const inherited = shared.filter((one) => !own.some((other) => isSameParameter(one, other)))
      return [...inherited, ...own]
    },
    ...(servers !== undefined && { servers }),
  }
}

function parameterEntries(document: Document, list: unknown, pointer: Pointer): ParameterEntry[] {
  return asArray(list).map((value, index) => ({
    parameter: resolveRef(document, value),
    pointer: [...pointer, String(index)],
  }))
}

/** A name and a location identify a parameter. */
function isSameParameter(one: ParameterEntry, other: ParameterEntry): boolean {
  return one.parameter.name === other.parameter.name && one.parameter.in === other.parameter.in
}

/** The schemas under `components`, then those of parameters, bodies and responses. */
export function schemasOf(document: Document): LocatedSchema[] {
  const { components } = document.root
  const named = Object.entries(asObject(asObject(components).schemas)).map(
    ([name, schema]): LocatedSchema => [schema, ['components', 'schemas', name]],
  )
  const used = operationsOf(document).flatMap(({ operation, parameters, pointer }) => [
    ...parameters.map(
      (entry): LocatedSchema => [entry.parameter.schema, [...entry.pointer, 'schema']],
    ),
    ...contentSchema(resolveRef(document, operation.requestBody), [...pointer, 'requestBody']),
    ...Object.entries(asObject(operation.responses)).flatMap(([status, response]) =>
      contentSchema(resolveRef(document, response), [...pointer, 'responses', status]),
    ),
  ])

  return [...named, ...used].filter(([schema]) => schema !== undefined)
}

function contentSchema({ content }: JsonObject, pointer: Pointer): LocatedSchema[] {
  const json = jsonContent(content)

  return json ? [[json.media.schema, [...pointer, 'content', json.key, 'schema']]] : []
}

/** The JSON content of a body or response: its media types in lower case, and the key and value of the first one. */
export function jsonContent(
  content: unknown,
  document?: Document,
):
  | { readonly mediaTypes: readonly string[]; readonly key: string; readonly media: JsonObject }
  | undefined {
  const keys = Object.keys(asObject(content)).filter((key) => isJson(mediaTypeOf(key)))
  const [key] = keys
  if (key === undefined) return undefined

  return {
    mediaTypes: [...new Set(keys.map(mediaTypeOf))],
    key,
    media: document
      ? resolveRef(document, asObject(content)[key])
      : asObject(asObject(content)[key]),
  }
}

/** A media type in lower case and without parameters. */
export function mediaTypeOf(key: string): string {
  return (key.split(';')[0] ?? '').trim().toLowerCase()
}

/** The `operationId`, or method and path such as `GET /books`. */
function operationIdOf({ operation, method, template }: OperationEntry): string {
  return asString(operation.operationId) ?? `${method} ${template}`
}

/** The id of each operation. When several have the same `operationId`, it is that of the first one. */
export function operationIdsOf(entries: readonly OperationEntry[]): readonly string[] {
  const used = new Set<string>()
  return entries.map((entry) => {
    const id = operationIdOf(entry)
    const isFree = !used.has(id)
    used.add(id)
    return isFree ? id : `${entry.method} ${entry.template}`
  })
}

/** The names in the braces of a path template, in order. */
export function parameterNamesIn(template: string): string[] {
  return [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name)
}

/** The parts of a path key of a document. */
interface PathKey {
  /** The path template, without query and fragment. */
  readonly template: string
  /** What a query or a fragment in the key demands of a request. */
  readonly conditions: readonly QueryCondition[]
}

/** A form-style expansion of RFC 6570, such as `{?page,size}`: the query has these parameters, the path does not. */
const QUERY_EXPANSION = /\{[?&#][^{}]*\}/g

/**
 * Splits a path key such as `/x?action=list` or `/#X-Amz-Target=List`, with which documents distinguish operations on one path.
 * Most keys are only a template.
 */
export function parsePathKey(key: string): PathKey {
  if (!/[?#]/.test(key)) return { template: key, conditions: [] }
  const plain = key.replace(QUERY_EXPANSION, '')
  const [beforeFragment = '', ...fragments] = plain.split('#')
  const [template = '', ...queries] = beforeFragment.split('?')

  return {
    template,
    conditions: [
      ...queries.flatMap((query) => conditionsOf(query)),
      ...fragments.flatMap((fragment) => conditionsOf(fragment, true)),
    ],
  }
}

function conditionsOf(query: string, orHeader?: true): QueryCondition[] {
  return [...new URLSearchParams(query)].map(([name, value]) => ({
    name,
    // A value such as `{id}` is a parameter.
    ...(value !== '' && !/^\{.*\}$/.test(value) && { value }),
    ...(orHeader && /^[\w-]+$/.test(name) && { orHeader }),
  }))
}

/**
 * The deprecation and removal dates of an operation, else those of the document's `x-sandbox`; `undefined` when it is not
 * deprecated.
 */
export function deprecationOf(operation: JsonObject, root: JsonObject): Deprecation | undefined {
  const extension = operation['x-deprecation'] ?? asObject(root['x-sandbox']).deprecation
  if (operation.deprecated !== true && extension === undefined) return undefined
  const fields = asObject(extension)
  const date = instantOf(fields.date)
  const sunset = instantOf(fields.sunset)
  const successor = asString(fields.successor)

  return {
    ...(date !== undefined && { date }),
    ...(sunset !== undefined && { sunset }),
    ...(successor !== undefined && { successor: encodeLiteral(successor) }),
  }
}

/** Epoch milliseconds of a date or an instant, which YAML may have parsed already; `undefined` when it is neither. */
export function instantOf(value: unknown): number | undefined {
  if (typeof value === 'string') return parseInstant(value)
  return value instanceof Date && !Number.isNaN(value.getTime()) ? value.getTime() : undefined
}

/** Runtime expressions (OpenAPI, "Runtime Expressions"). */
const EXPRESSION =
  /^\$(url|method|statusCode|(request|response)\.(body(#(\/.*)?)?|(header|query|path)\..+))$/

/** Whether the key of a callback says where that is sent: an expression, a text with expressions in braces, or a URL. */
export function isCallbackAddress(key: string): boolean {
  if (key.startsWith('$')) return EXPRESSION.test(key)
  const expressions = [...key.matchAll(/\{([^{}]*)\}/g)].map(([, text = '']) => text)
  return expressions.length === 0
    ? URL.canParse(key)
    : expressions.every((text) => EXPRESSION.test(text))
}
