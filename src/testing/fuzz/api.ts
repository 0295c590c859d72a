import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { flattenSchema, type Schema } from './schema.ts'

/** An OpenAPI document with one collection, as the model reads it. It shares no code with the engine, so that one bug cannot be in both. */
export interface Api {
  /** Such as `/v1`. */
  readonly basePath: string
  readonly operations: readonly ApiOperation[]
  /** The path of the collection, such as `/pets`. */
  readonly path: string
  /** The schema of a record. */
  readonly record: Schema
}

/** What an operation does with the collection. */
export type CrudAction = 'list' | 'create' | 'read' | 'replace' | 'update' | 'remove'

export interface ApiOperation {
  readonly id: string
  readonly action: CrudAction
  readonly method: string
  /** The path template, such as `/pets/{petId}`. */
  readonly template: string
  readonly query: Readonly<Record<string, Schema>>
  /** The schema of the path parameter. */
  readonly idSchema?: Schema
  readonly body?: { readonly types: readonly string[]; readonly schema: Schema }
  /** The time of its removal in epoch milliseconds. */
  readonly sunset?: number
  readonly isDeprecated: boolean
}

type Node = Readonly<Record<string, unknown>>

const ACTIONS: Readonly<Record<string, CrudAction>> = {
  GET: 'list',
  POST: 'create',
  'GET {}': 'read',
  'PUT {}': 'replace',
  'PATCH {}': 'update',
  'DELETE {}': 'remove',
}

/** Reads a document with one collection. `file` is a path from the root of the repository. */
export function readApi(file: string): Api {
  const document = nodeOf(resolvePointer(new URL(`../../../${file}`, import.meta.url), '#'))
  const operations = Object.entries(nodeOf(document.paths)).flatMap(([template, item]) =>
    ['get', 'post', 'put', 'patch', 'delete'].flatMap((method) => {
      const operation = nodeOf(item)[method]
      return operation ? [toOperation(method.toUpperCase(), template, nodeOf(item))] : []
    }),
  )
  const [server] = listOf(document.servers).map((one) => String(nodeOf(one).url))
  const read = nodeOf(nodeOf(nodeOf(document.paths)[pathWithId(operations)]).get)

  return {
    basePath: basePathOf(server ?? ''),
    operations,
    path: operations[0]?.template ?? '',
    record: contentSchema(nodeOf(nodeOf(read.responses)['200'])).schema,
  }
}

function basePathOf(server: string): string {
  return server.replace(/^https?:\/\/[^/]+|^\{[^}]+\}/, '').replace(/\/$/, '') || '/v1'
}

function pathWithId(operations: readonly ApiOperation[]): string {
  return operations.find(({ idSchema }) => idSchema)?.template ?? ''
}

function toOperation(method: string, template: string, item: Node): ApiOperation {
  const operation = nodeOf(item[method.toLowerCase()])
  const parameters = [...listOf(item.parameters), ...listOf(operation.parameters)].map(nodeOf)
  const query = parameters.filter((parameter) => parameter.in === 'query')
  const inPath = parameters.find((parameter) => parameter.in === 'path')
  const action = ACTIONS[inPath ? `${method} {}` : method]
  const sunset = nodeOf(operation['x-deprecation']).sunset
  if (!action) throw new TypeError(`${method} ${template} is not supported by the model`)

  return {
    id: String(operation.operationId),
    action,
    method,
    template,
    query: Object.fromEntries(
      query.map(({ name, schema }) => [String(name), flattenSchema(schema)]),
    ),
    ...(inPath && { idSchema: flattenSchema(inPath.schema) }),
    ...(operation.requestBody !== undefined && {
      body: contentSchema(nodeOf(operation.requestBody)),
    }),
    ...(typeof sunset === 'string' && { sunset: Date.parse(sunset) }),
    isDeprecated: operation.deprecated === true,
  }
}

function contentSchema({ content }: Node): { types: string[]; schema: Schema } {
  const media = Object.entries(nodeOf(content))
  return { types: media.map(([type]) => type), schema: flattenSchema(nodeOf(media[0]?.[1]).schema) }
}

const documents = new Map<string, unknown>()

/** The parsed document of a file. Each file is read once. */
function documentOf({ href }: URL): unknown {
  if (!documents.has(href)) documents.set(href, parse(readFileSync(new URL(href), 'utf8')))
  return documents.get(href)
}

/** The value at a pointer into a file, with all `$ref`s resolved. The siblings of a `$ref` are merged into its target. */
function resolvePointer(file: URL, pointer: string): unknown {
  const tokens = pointer.replace(/^#\/?/, '').split('/').filter(Boolean)
  const target = tokens.reduce<unknown>(
    (node, token) => nodeOf(node)[token.replaceAll('~1', '/')],
    documentOf(file),
  )

  return resolveReferences(target, file)
}

function resolveReferences(value: unknown, file: URL): unknown {
  if (Array.isArray(value)) return value.map((item) => resolveReferences(item, file))
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...rest } = nodeOf(value)
  const own = Object.fromEntries(
    Object.entries(rest).map(([name, one]) => [name, resolveReferences(one, file)]),
  )
  if (typeof $ref !== 'string') return own
  const [name = '', pointer = ''] = $ref.split('#')

  return { ...nodeOf(resolvePointer(name ? new URL(name, file) : file, `#${pointer}`)), ...own }
}

function nodeOf(value: unknown): Node {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
