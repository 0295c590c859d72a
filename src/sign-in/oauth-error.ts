import type { CoreResponse } from '../http/message.ts'
import type { Note } from '../journal/exchange.ts'

/** The errors of OAuth 2 and OpenID Connect that endpoints answer with (RFC 6749, sections 4.1.2.1 and 5.2; RFC 8628, section 3.5). */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'access_denied'
  | 'unsupported_response_type'
  | 'server_error'
  | 'temporarily_unavailable'
  | 'authorization_pending'
  | 'slow_down'
  | 'expired_token'
  | 'unsupported_token_type'
  | 'login_required'
  | 'consent_required'
  | 'interaction_required'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'invalid_token'
  | 'insufficient_scope'

/** Why an endpoint refuses a request. The response has it in its own form, which is not the document's form of errors. */
export class OAuthError {
  readonly code: OAuthErrorCode
  /** Only printable ASCII without quotes and backslashes (RFC 6749, section 5.2). */
  readonly description: string
  /** What the report has to know about the request. */
  readonly notes: readonly Note[]
  /** The scheme of the challenge; only for clients that are not who they say. */
  readonly challenge: string | undefined

  constructor(
    code: OAuthErrorCode,
    description: string,
    {
      notes = [],
      challenge,
    }: { readonly notes?: readonly Note[]; readonly challenge?: string } = {},
  ) {
    this.code = code
    this.description = description
      .replace(/["\\]/g, "'")
      .replace(/[^\x20-\x7e]+/g, '?')
      .slice(0, 400)
    this.notes = notes
    this.challenge = challenge
  }
}

const STATUSES: Readonly<Partial<Record<OAuthErrorCode, number>>> = {
  invalid_client: 401,
  invalid_token: 401,
  insufficient_scope: 403,
  temporarily_unavailable: 503,
  server_error: 500,
}

/** Responses with tokens and errors about them must not be cached (RFC 6749, section 5.1). */
export const NO_STORE: CoreResponse['headers'] = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }

/** An error as the token endpoint and those beside it answer it. */
export function errorResponse({ code, description, challenge }: OAuthError): CoreResponse {
  const status = STATUSES[code] ?? 400
  return {
    status,
    headers: {
      'Content-Type': 'application/json',
      ...NO_STORE,
      ...(challenge !== undefined && { 'WWW-Authenticate': challenge }),
      ...(status === 503 && { 'Retry-After': '30' }),
    },
    body: JSON.stringify({ error: code, error_description: description }),
  }
}

/** A note for the report about how a client signs in. `place` says what it did. */
export function signInNote(place: SignInFinding): Note {
  return { kind: 'sign-in', place }
}

/** What a client should not do. */
export type SignInFinding =
  | 'no-pkce'
  | 'refresh-token-reused'
  | 'code-reused'
  | 'secret-in-url'
  | 'token-after-end'
