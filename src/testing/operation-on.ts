import type { Operation, Schema } from '../contract/contract.ts'

/** What an operation of a test sends and answers. */
export interface OperationParts {
  /** The schema of the request body; absent when requests have none. */
  readonly sent?: Schema
  /** The schema of the JSON response; absent when it has no documented body. */
  readonly shown?: Schema
  /** An example of the response. */
  readonly example?: unknown
  /** The status of the response. Default: 200. */
  readonly status?: number
  /** The media type of the response, if it is no JSON. */
  readonly mediaType?: string
  /** The schemas of path parameters. */
  readonly path?: Readonly<Record<string, Schema>>
  /** The schemas of query parameters. */
  readonly query?: Readonly<Record<string, Schema>>
}

/** An operation whose id is its method and path, such as `GET /books/{bookId}`. Its validators accept everything. */
export function operationOn(target: string, parts: OperationParts = {}): Operation {
  const { sent, shown, example, status = 200, mediaType, path: inPath = {}, query = {} } = parts
  const [method = '', path = ''] = target.split(' ')
  const content = shown && { schema: shown, validate: accept }
  const media = mediaType && { content: [{ mediaType, ...content }] }
  const parameters = [
    ...Object.entries(inPath).map(([name, schema]) => ({ name, in: 'path' as const, schema })),
    ...Object.entries(query).map(([name, schema]) => ({ name, in: 'query' as const, schema })),
  ].map((parameter) => ({ ...parameter, required: parameter.in === 'path', validate: accept }))
  const body = sent && { required: true, mediaTypes: JSON_ONLY, schema: sent, validate: accept }

  return {
    id: target,
    method,
    path,
    secured: false,
    parameters,
    ...(body && { body }),
    responses: [
      { status, ...(media || { ...content, ...(example !== undefined && { example }) }) },
    ],
  }
}

const JSON_ONLY: readonly string[] = ['application/json']

function accept(): boolean {
  return true
}

/** The schema of objects with these properties. A list of names is of properties that are texts. */
export function objectOf(properties: Readonly<Record<string, Schema>> | readonly string[]): Schema {
  const named = isNames(properties)
    ? Object.fromEntries(properties.map((name): [string, Schema] => [name, { type: 'string' }]))
    : properties

  return { type: 'object', properties: named }
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value)
}

/** The schema of lists of these items. */
export function listOf(items: Schema): Schema {
  return { type: 'array', items }
}
