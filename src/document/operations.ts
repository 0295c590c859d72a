import { isObject } from '../validation/is-object.ts'
import { type Document, resolveRef } from './document.ts'
import type { Pointer } from './json-pointer.ts'
import { asArray, asObject, asString, type JsonObject } from './json-value.ts'
import type { LocatedSchema } from './subschemas.ts'

/** An operation of a document, with the parameters of its path. */
export interface OperationEntry {
  /** In capitals, such as `GET`. */
  readonly method: string
  /** The path template. */
  readonly template: string
  readonly operation: JsonObject
  readonly pointer: Pointer
  readonly parameters: readonly ParameterEntry[]
}

/** A parameter with its `$ref` resolved, and the pointer to it. */
export interface ParameterEntry {
  readonly parameter: JsonObject
  readonly pointer: Pointer
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch']

/** The operations of a document, in document order, without HEAD, OPTIONS and TRACE. */
export function operationsOf(document: Document): OperationEntry[] {
  return Object.entries(asObject(document.root.paths)).flatMap(([template, value]) => {
    if (!template.startsWith('/')) return []
    const item = resolveRef(document, value)
    const methods = Object.keys(item).filter((key) => METHODS.includes(key) && isObject(item[key]))

    return methods.map((key) => operationEntry(document, template, item, key))
  })
}

function operationEntry(
  document: Document,
  template: string,
  item: JsonObject,
  key: string,
): OperationEntry {
  const path = ['paths', template]
  const pointer = [...path, key]
  const operation = asObject(item[key])
  const own = parameterEntries(document, operation.parameters, [...pointer, 'parameters'])
  const shared = parameterEntries(document, item.parameters, [...path, 'parameters'])
  const inherited = shared.filter((one) => !own.some((other) => isSameParameter(one, other)))

  return {
    method: key.toUpperCase(),
    template,
    operation,
    pointer,
    parameters: [...inherited, ...own],
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
):
  | { readonly mediaTypes: readonly string[]; readonly key: string; readonly media: JsonObject }
  | undefined {
  const keys = Object.keys(asObject(content)).filter((key) => isJson(mediaTypeOf(key)))
  const [key] = keys
  if (key === undefined) return undefined

  return {
    mediaTypes: [...new Set(keys.map(mediaTypeOf))],
    key,
    media: asObject(asObject(content)[key]),
  }
}

function mediaTypeOf(key: string): string {
  return (key.split(';')[0] ?? '').trim().toLowerCase()
}

function isJson(mediaType: string): boolean {
  return mediaType === 'application/json' || /^[\w.-]+\/[\w.-]+\+json$/.test(mediaType)
}

/** The `operationId`, or method and path such as `GET /books`. */
export function operationIdOf({ operation, method, template }: OperationEntry): string {
  return asString(operation.operationId) ?? `${method} ${template}`
}

/** The names in the braces of a path template, in order. */
export function parameterNamesIn(template: string): string[] {
  return [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name)
}
