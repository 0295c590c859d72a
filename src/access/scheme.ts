import type { CoreRequest } from '../http/message.ts'

/** A security scheme, as the sandbox uses it. */
export interface Scheme {
  readonly name: string
  /** The credential that a request sends in this form; `undefined` when it sends none. */
  readonly read: (request: Pick<CoreRequest, 'header' | 'query'>) => string | undefined
  /** Another text in the same place that may be the credential: the password beside a user name. */
  readonly readSecond?: Scheme['read']
  /** Where a client sends it, such as `the header "X-Api-Key: <API_KEY>"`. */
  readonly place: string
  /** The challenge in `WWW-Authenticate`. `realm` is the parameter with its name and quotes. */
  readonly challenge: (realm: string, key: 'missing' | 'invalid') => string
  /** Whether the credential is in `Authorization`, which a request can have only once. */
  readonly inAuthorization?: true
  /** The header with the credential, in lower case, if it is another one than `Authorization`. */
  readonly header?: string
  /** The query parameter with the credential. */
  readonly parameter?: string
  /** The cookie with the credential. */
  readonly cookie?: string
}
