import { contentOf, documentedResponse } from '../contract/documented-response.ts'
import { isJson, parseOwnJson } from '../contract/json.ts'
import { MEBIBYTE } from '../http/body-limits.ts'
import type { CoreResponse } from '../http/message.ts'
import { Problem, reasonPhrase } from '../http/problem.ts'
import { answerAsDocumented } from '../responses/documented-answer.ts'
import { isObject } from '../validation/objects.ts'
import { kindOf } from '../validation/usage-error.ts'
import type { Answer } from './define-handlers.ts'
import type { HandledRequest } from './handler-context.ts'

/** A response of the sandbox as handlers see it. */
export function toAnswer({ status, headers, body }: CoreResponse): Answer {
  const isText = typeof body === 'string' && isJsonContent(headers['Content-Type'])
  const value: unknown = isText && body !== '' ? parseOwnJson(body) : body
  const { 'Set-Cookie': cookies = '', ...others } = headers
  const lines = cookies.includes('\n') ? { ...others, 'Set-Cookie': cookies.split('\n') } : headers
  return { status, headers: lines, ...(body.length > 0 && { body: value }) }
}

/** Whether a `Content-Type` is that of JSON. */
function isJsonContent(contentType: unknown): boolean {
  const [mediaType = ''] = String(contentType ?? '').split(';', 1)
  return isJson(mediaType.trim().toLowerCase())
}

/** The headers that belong to one connection, or that the other side has to find out itself. */
export const OWN_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-encoding',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
])

/** The largest body of a web `Response` that a handler answers with, in bytes. */
const MAX_BODY = 64 * MEBIBYTE

/** A web `Response` as an answer, its body read to the end: JSON as a value, else bytes. `signal` ends the reading. */
export async function answerOfResponse(response: Response, signal: AbortSignal): Promise<Answer> {
  const bytes = await bytesOf(response, signal)
  const isJson = isJsonContent(response.headers.get('content-type'))
  const given = [...response.headers].filter(([name]) => !OWN_HEADERS.has(name))
  const cookies = response.headers.getSetCookie()
  const answer = {
    status: response.status,
    headers: { ...Object.fromEntries(given), ...(cookies.length > 0 && { 'set-cookie': cookies }) },
  }
  if (bytes.length === 0) return answer

  return { ...answer, body: (isJson ? jsonIn(bytes) : undefined) ?? bytes }
}

/** Throws an Error for a body that is too long, and when the signal is aborted, and cancels the rest of the body. */
async function bytesOf({ body }: Response, signal: AbortSignal): Promise<Uint8Array> {
  let size = 0
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform: (part, controller) => {
      size += part.length
      if (size > MAX_BODY)
        throw new Error(`The body of its Response has more than ${MAX_BODY / MEBIBYTE} MiB.`)
      controller.enqueue(part)
    },
  })
  const limited = body?.pipeThrough(limit, { signal })
  return new Uint8Array(await new Response(limited).arrayBuffer())
}

/** The value of JSON; `undefined` for what is none. */
function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}

/** An answer with the headers of a response. */
interface SentAnswer extends Answer {
  readonly headers?: CoreResponse['headers']
}

/** The status of what a handler has returned. Throws an Error for what is no answer. */
export function statusOf(given: unknown): number {
  const { status } = fieldsOf(given)
  if (typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599)
    return status
  const got = isObject(given) ? `status ${String(status)}` : kindOf(given)
  throw new TypeError(`It must return what reply() or next() returns (got ${got}).`)
}

/** What a handler has returned, with its body as JSON has it. Throws an Error for what is no answer. */
export function readAnswer(given: unknown): SentAnswer {
  const { body, headers = {}, delay = 0 } = fieldsOf(given)
  const status = statusOf(given)
  const isBytes = body instanceof Uint8Array
  const json = isBytes || body === undefined ? undefined : JSON.stringify(body)
  const value: unknown = json === undefined ? body : JSON.parse(json)
  const texts = Object.entries(Object(headers)).map(([name, text]) =>
    /^set-cookie$/i.test(name)
      ? (['Set-Cookie', [text].flat().join('\n')] as const)
      : ([spelled(name), String(text)] as const),
  )

  return {
    status,
    ...(value !== undefined && { body: value }),
    headers: Object.fromEntries(texts),
    delay: Number(delay),
  }
}

/** The name of a header as the sandbox writes it, so that no header is sent twice: handlers and other services write lower case, too. */
function spelled(name: string): string {
  if (name !== name.toLowerCase()) return name
  return name
    .replace(/(?<![^-])[a-z]/g, (letter) => letter.toUpperCase())
    .replace(/^X-Ratelimit-/, 'X-RateLimit-')
    .replace(/^Www-/, 'WWW-')
    .replace(/^Etag$/, 'ETag')
}

function fieldsOf(given: unknown): { readonly [Name in keyof Answer]?: unknown } {
  return isObject(given) ? given : {}
}

/** An error of which a handler says only the status. */
function plainProblem(status: number): Problem {
  const phrase = reasonPhrase(status)
  return new Problem(status, phrase.toLowerCase().replaceAll(' ', '_'), phrase)
}

/** The response of an answer: in the document's media type, with its headers. */
export async function answerResponse(
  { status, body, headers = {} }: SentAnswer,
  { request, operation, input, service, refusal }: HandledRequest,
): Promise<CoreResponse> {
  if (body === undefined && status >= 400) {
    const response = await refusal(plainProblem(status))
    return { ...response, headers: { ...response.headers, ...headers } }
  }
  const described = documentedResponse(operation, status)
  if (
    body instanceof Uint8Array ||
    (body === undefined && described && contentOf(described).length > 0)
  )
    return { status, headers, body: body instanceof Uint8Array ? body : '', source: 'handler' }
  const media = { mediaType: 'application/json' }
  const { response } = await answerAsDocumented({
    request,
    operation,
    parameters: input.path,
    service,
    status,
    sourceReason: REASON,
    own: {
      headers,
      ...(body !== undefined && { media }),
      source: 'handler',
      sourceReason: REASON,
      valueFor: (chosen) => ({
        value: body,
        ...(typeof body === 'string' && !isJson(chosen.mediaType) && { isSerialized: true }),
      }),
    },
  })
  return response
}

const REASON = 'a handler answers'
