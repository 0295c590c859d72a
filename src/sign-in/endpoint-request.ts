import type { CoreRequest, CoreResponse } from '../http/message.ts'
import type { Note } from '../journal/exchange.ts'
import { NO_STORE } from './oauth-error.ts'
import type { SignInState } from './sign-in-state.ts'

/** A request to an endpoint of sign-in, and what it needs. */
export interface EndpointRequest {
  readonly request: CoreRequest
  readonly state: SignInState
  /** The address of the issuer, such as `http://127.0.0.1:4010`. */
  readonly issuer: string
  /** The address of the server, with the world: endpoints are below it. */
  readonly root: string
  /** The outcome that is forced on the request. */
  readonly outcome?: string | undefined
  /** Adds what the report has to know about the client. */
  readonly note: (note: Note) => void
}

/** A response with tokens, which must not be cached. */
export function tokenResponse(tokens: object): CoreResponse {
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json', ...NO_STORE },
    body: JSON.stringify(tokens),
  }
}
