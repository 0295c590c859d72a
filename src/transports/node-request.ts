import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { CoreResponse } from '../http/message.ts'
import { type Preflight, preflightOf } from '../http/response-headers.ts'
import { getOwn } from '../validation/objects.ts'

/** The headers of a Node request. */
interface Headers {
  /** By lower-case name. */
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  /** Names and values alternately, as the client sent them. */
  readonly rawHeaders: readonly string[]
}

/** Headers of which Node keeps only the first value and the engine reads all, and one that Node does not keep in its object. */
const READ_RAW: ReadonlySet<string> = new Set(['authorization', 'content-type', '__proto__'])

/**
 * The value of a header by its lower-case name. Repeated headers are joined as in the Fetch API, so that several API keys are
 * an invalid key, and several media types an invalid type.
 */
export function joinedHeader({ headers, rawHeaders }: Headers, name: string): string | undefined {
  const sent = getOwn(headers, name)
  const known = Array.isArray(sent) ? sent.join(', ') : sent
  if (!READ_RAW.has(name) || (known === undefined && name !== '__proto__')) return known
  let joined: string | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const rawName = rawHeaders[at] ?? ''
    if (rawName.length !== name.length || rawName.toLowerCase() !== name) continue
    joined = joined === undefined ? rawHeaders[at + 1] : `${joined}, ${rawHeaders[at + 1]}`
  }
  // Another handler set a header that the client did not send.
  return joined ?? known
}

/** A request that is in no journal, and its response. */
export interface UnroutedRequest {
  readonly method: string
  /** The whole path with the query. Below `/__sandbox`, everything that may be an API key is masked. */
  readonly target: string
  readonly status: number
  /** Why it was refused. */
  readonly message: string
  /** Present when the request is a CORS preflight, which failed. */
  readonly preflight?: Preflight
}

export function toUnrouted(
  request: Headers & { readonly method?: string | undefined; readonly url?: string | undefined },
  { status }: CoreResponse,
  message: string,
): UnroutedRequest {
  const { method = '', url = '' } = request
  const preflight = preflightOf({ method, header: (name) => joinedHeader(request, name) })

  return { method, target: url, status, message, ...(preflight && { preflight }) }
}

/** Answers some requests, and passes the others on. */
export interface RequestHandler {
  /** Answers a request, or passes it to `otherwise` when it is for something else. */
  serve(request: IncomingMessage, response: ServerResponse, otherwise: RequestListener): void
}

/** A listener that lets a handler answer first. */
export function inFrontOf(
  listener: RequestListener,
  handler: RequestHandler | undefined,
): RequestListener {
  if (!handler) return listener
  return (request, response) => handler.serve(request, response, listener)
}
