/** A way to send a credential: a security scheme of the document. */
export type SecurityScheme = {
  /** The name under `components.securitySchemes`. */
  readonly name: string
} & (
  | {
      /**
       * `bearer` is an `Authorization: Bearer` header (RFC 6750), also for OAuth 2 and OpenID Connect. `basic` is RFC 7617.
       * `mutual-tls` is a client certificate, which the sandbox cannot see.
       */
      readonly type: 'bearer' | 'basic' | 'mutual-tls'
    }
  | {
      /** Another scheme of the `Authorization` header, such as `digest`. */
      readonly type: 'http'
      /** In lower case; empty when the document does not say it: then any scheme is accepted. */
      readonly scheme: string
    }
  | {
      /** An API key in a header, in the query or in a cookie. */
      readonly type: 'header' | 'query' | 'cookie'
      /** The name of the header, query parameter or cookie. */
      readonly parameter: string
    }
)

/** Which credentials are accepted. */
export type AuthMode = 'keys' | 'any' | 'off'

export const AUTH_MODES: readonly AuthMode[] = ['keys', 'any', 'off']
