import type { IncomingMessage } from 'node:http'
import type { CoreResponse } from '../http/message.ts'
import { type Preflight, preflightOf } from '../http/response-headers.ts'
import type { ExpressRequest } from './express.ts'
import { joinedHeader } from './raw-headers.ts'

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

/** A Node request or an Express request. */
type NodeOrExpressRequest =
  | Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders'>
  | Pick<ExpressRequest, 'method' | 'url' | 'headers' | 'rawHeaders'>

export function toUnrouted(
  request: NodeOrExpressRequest,
  { status }: CoreResponse,
  message: string,
): UnroutedRequest {
  const { method = '', url = '' } = request
  const preflight = preflightOf({ method, header: (name) => joinedHeader(request, name) })

  return { method, target: url, status, message, ...(preflight && { preflight }) }
}
