/** The shared store does not answer, or refuses to write. Whether a command that was under way had an effect is unknown. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
  /** Seconds after which a client may try again. */
  readonly retryAfter: number

  /** `reason` is one sentence without the address and the password of the store. */
  constructor(
    reason: string,
    options: { readonly cause?: unknown; readonly retryAfter?: number } = {},
  ) {
    super(reason, { cause: options.cause })
    this.retryAfter = options.retryAfter ?? 1
  }
}
