/** A name and its value, as text. */
export type Pair = readonly [name: string, value: string]

/** A request that can be sent, and printed as a command. */
export interface SampleRequest {
  readonly method: string
  readonly url: string
  readonly headers: readonly Pair[]
  readonly cookies: readonly Pair[]
  /** User name and password of basic authentication, such as `user:password`. */
  readonly user?: string
  /** The text of the body, and its media type. */
  readonly body?: { readonly text: string; readonly mediaType: string }
}
