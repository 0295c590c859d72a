import type { Deprecation } from '../contract/contract.ts'
import { encodeLiteral } from '../contract/path-pattern.ts'
import { type Document, resolve } from './document.ts'
import { isNode, listOf, type Node, nodeOf, type Path, textOf } from './node.ts'
import type { Placed } from './schema.ts'

/** An operation as the document has it, with the parameters of its path. */
export interface Entry {
  /** In capitals, as `GET`. */
  readonly method: string
  /** The path template. */
  readonly template: string
  readonly operation: Node
  readonly at: Path
  readonly parameters: readonly Located[]
}

/** A map, its `$ref` resolved, and where it stands. */
export interface Located {
  readonly node: Node
  readonly at: Path
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch']

/** The operations of a document in its order; HEAD, OPTIONS and TRACE are left out. */
export function operationsOf(document: Document): Entry[] {
  return Object.entries(nodeOf(document.root.paths)).flatMap(([template, value]) => {
    if (!template.startsWith('/')) return []
    const item = resolve(document, value)
    const methods = Object.keys(item).filter((key) => METHODS.includes(key) && isNode(item[key]))

    return methods.map((key) => entryOf(document, template, item, key))
  })
}

function entryOf(document: Document, template: string, item: Node, key: string): Entry {
  const path = ['paths', template]
  const at = [...path, key]
  const operation = nodeOf(item[key])
  const own = located(document, operation.parameters, [...at, 'parameters'])
  const shared = located(document, item.parameters, [...path, 'parameters'])
  const inherited = shared.filter((one) => !own.some((other) => isSame(one.node, other.node)))

  return { method: key.toUpperCase(), template, operation, at, parameters: [...inherited, ...own] }
}

function located(document: Document, list: unknown, at: Path): Located[] {
  return listOf(list).map((value, index) => ({
    node: resolve(document, value),
    at: [...at, String(index)],
  }))
}

function isSame(one: Node, other: Node): boolean {
  return one.name === other.name && one.in === other.in
}

/** The schemas under `components`, then those of parameters, bodies and responses. */
export function schemasOf(document: Document): Placed[] {
  const { components } = document.root
  const named = Object.entries(nodeOf(nodeOf(components).schemas)).map(
    ([name, schema]): Placed => [schema, ['components', 'schemas', name]],
  )
  const used = operationsOf(document).flatMap(({ operation, parameters, at }) => [
    ...parameters.map(({ node, at: place }): Placed => [node.schema, [...place, 'schema']]),
    ...contentSchema(resolve(document, operation.requestBody), [...at, 'requestBody']),
    ...Object.entries(nodeOf(operation.responses)).flatMap(([status, response]) =>
      contentSchema(resolve(document, response), [...at, 'responses', status]),
    ),
  ])

  return [...named, ...used].filter(([schema]) => schema !== undefined)
}

function contentSchema({ content }: Node, at: Path): Placed[] {
  const json = jsonContent(content)

  return json ? [[json.media.schema, [...at, 'content', json.key, 'schema']]] : []
}

/**
 * The JSON content of a body or response: its media types, in lower case, and the first one's
 * value.
 */
export function jsonContent(
  content: unknown,
): { readonly types: readonly string[]; readonly key: string; readonly media: Node } | undefined {
  const keys = Object.keys(nodeOf(content)).filter((key) => isJson(mediaType(key)))
  const [key] = keys

  return key === undefined
    ? undefined
    : { types: [...new Set(keys.map(mediaType))], key, media: nodeOf(nodeOf(content)[key]) }
}

function mediaType(key: string): string {
  return (key.split(';')[0] ?? '').trim().toLowerCase()
}

function isJson(type: string): boolean {
  return type === 'application/json' || /^[\w.-]+\/[\w.-]+\+json$/.test(type)
}

/** The `operationId`, else method and path, as `GET /books`. */
export function idOf({ operation, method, template }: Entry): string {
  return textOf(operation.operationId) ?? `${method} ${template}`
}

/** The names between braces of a path template, in its order. */
export function namesIn(template: string): string[] {
  return [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name)
}

/** When an operation was deprecated and goes away; nothing when it is not deprecated. */
export function deprecationOf(operation: Node): Deprecation | undefined {
  const notice = operation['x-deprecation']
  if (operation.deprecated !== true && notice === undefined) return undefined
  const { date, sunset, successor } = nodeOf(notice)
  const [deprecated, removed, next] = [instantOf(date), instantOf(sunset), textOf(successor)]

  return {
    ...(deprecated !== undefined && { date: deprecated }),
    ...(removed !== undefined && { sunset: removed }),
    ...(next !== undefined && { successor: encodeLiteral(next) }),
  }
}

const DAY = /^\d{4}-\d{2}-\d{2}/
const INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/

/**
 * Epoch milliseconds of an ISO 8601 date, which starts at midnight UTC, or instant; nothing when it
 * is neither.
 */
export function instantOf(value: unknown): number | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.getTime()
  if (typeof value !== 'string' || !INSTANT.test(value)) return undefined
  const [day = ''] = DAY.exec(value) ?? []
  const midnight = new Date(day)
  // Date rolls 2030-02-30 over to March instead of refusing it.
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== day)
    return undefined
  const instant = Date.parse(value)

  return Number.isNaN(instant) ? undefined : instant
}
