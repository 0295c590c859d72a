import { Ajv2020 } from 'ajv/dist/2020.js'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { loadDocumentOf } from './load-document-of.ts'
import { type JsonObject, type JsonResponse, readJson } from './responses.ts'

/** One operation of a small document. */
export interface DocumentedOperation {
  /** The schema of the request body; absent when requests have none. */
  readonly sent?: object
  /** The schema of the successful response; absent when the document describes no body. */
  readonly shown?: object
  /** The statuses of the responses. Default: 200. */
  readonly status?: readonly (number | 'default')[]
  /** What the document says of the operation. */
  readonly summary?: string
  /** The descriptions of responses by their status. */
  readonly described?: Readonly<Record<number | string, string>>
  /** The schemas of query parameters. */
  readonly query?: Readonly<Record<string, object>>
  /** The names of the query parameters that requests need. Default: none. */
  readonly needs?: readonly string[]
  /** The schemas of path parameters. Default: texts. */
  readonly path?: Readonly<Record<string, object>>
  /** An example of the response. */
  readonly example?: unknown
  /** An example of the request. */
  readonly sentExample?: unknown
  /** Whether no body matches the schema of the response, so that it is not checked. Default: no. */
  readonly isUnsatisfiable?: true
  /** The media type of bodies. Default: `application/json`. */
  readonly mediaType?: string
}

/** The operations of a small document by method and path, such as `GET /books/{bookId}`. */
export type DocumentedApi = Readonly<Record<string, DocumentedOperation>>

/** A sandbox of a small document, and how to ask it. */
export interface OpenedApi {
  readonly sandbox: Sandbox
  /** Sends a request such as `PUT /books/1`. Throws when its response is not valid by the document. */
  ask<Body = JsonObject>(target: string, body?: unknown): Promise<JsonResponse<Body>>
}

export async function openApi(
  api: DocumentedApi,
  options: Omit<NonNullable<Parameters<typeof createSandbox>[0]>, 'contract'> = {},
  hints: object = {},
): Promise<OpenedApi> {
  const contract = await loadDocumentOf(pathsOf(api), { 'x-sandbox': hints })
  const sandbox = createSandbox({ contract, ...options })
  return {
    sandbox,
    ask: async <Body>(target: string, body?: unknown) => {
      const response = await readJson<Body>(await send(sandbox, target, body))
      checkResponse(api, target, response)
      return response
    },
  }
}

function send(sandbox: Sandbox, target: string, body: unknown): Promise<Response> {
  const [method = '', path = ''] = target.split(' ')
  const content = body !== undefined && {
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
  }

  return sandbox.fetch(new Request(`http://localhost${path}`, { method, ...content }))
}

const ajv = new Ajv2020({ strict: false, validateFormats: false })

function checkResponse(
  api: DocumentedApi,
  target: string,
  { status, body }: JsonResponse<unknown>,
): void {
  const [path = ''] = target.split('?')
  const templates = Object.keys(api).sort((one, other) => literals(other) - literals(one))
  const template = templates.find((one) =>
    new RegExp(`^${one.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(path),
  )
  const { shown, isUnsatisfiable } = (template && api[template]) || {}
  if (isUnsatisfiable) return
  if (status >= 300 || !shown || body === undefined || ajv.validate(shown, body)) return
  throw new Error(`${target}: ${ajv.errorsText()} in ${JSON.stringify(body)}`)
}

/** How many characters of a path are no parameters. */
function literals(template: string): number {
  return template.replaceAll(/\{[^}]+\}/g, '').length
}

/** The `paths` of the document of a small API. */
export function pathsOf(api: DocumentedApi): object {
  const paths: Record<string, object> = {}
  for (const [target, parts] of Object.entries(api)) {
    const [method = '', path = ''] = target.split(' ')
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(path, parts) }
  }
  return paths
}

function operationOf(
  template: string,
  {
    sent,
    shown,
    status = [200],
    summary,
    described = {},
    query = {},
    needs = [],
    path = {},
    example,
    sentExample,
    mediaType = JSON_TYPE,
  }: DocumentedOperation,
): object {
  const names = [...template.matchAll(/\{([^}]+)\}/g)].flatMap(([, name]) => name ?? [])
  const parameters = [
    ...names.map((name) => ({ name, in: 'path', required: true, schema: path[name] ?? TEXT })),
    ...Object.entries(query).map(([name, schema]) => ({
      ...{ name, in: 'query', schema },
      ...(needs.includes(name) && { required: true }),
    })),
  ]
  const content = shown && {
    content: { [mediaType]: { schema: shown, ...(example !== undefined && { example }) } },
  }
  const request = { schema: sent, ...(sentExample !== undefined && { example: sentExample }) }
  const responses = status.map((one) => [
    String(one),
    { description: described[one] ?? String(one), ...(isShown(one) && content) },
  ])

  return {
    parameters,
    ...(summary !== undefined && { summary }),
    ...(sent && { requestBody: { content: { [mediaType]: request } } }),
    responses: Object.fromEntries(responses),
  }
}

function isShown(status: number | 'default'): boolean {
  return status !== 'default' && status < 300 && status !== NO_CONTENT
}

const JSON_TYPE = 'application/json'
const NO_CONTENT = 204
const TEXT = { type: 'string' }
