/** What `@mswjs/data` uses of the `MessageEvent` of the platform, which the build replaces by this class. */
export class MessageEvent extends Event {
  readonly data: unknown

  constructor(type: string, { data, ...options }: MessageEventInit = {}) {
    super(type, options)
    this.data = data
  }
}
