import { refuseForeign, type Sandbox } from '../sandbox/sandbox.ts'
import { refuseUnknown } from '../usage-error.ts'
import { answer } from './answer.ts'
import type { Streams } from './call.ts'
import { toPermission } from './guard.ts'

/** Who may steer a sandbox by its control interface, besides programs of the machine that it runs on. */
export interface ControlOptions {
  /** What requests from other machines send as bearer token; they are refused when it is left out. */
  readonly token?: string
  /** Origins of pages that may steer the sandbox, as `http://localhost:3000`; none by default. */
  readonly origins?: readonly string[]
}

/** The control interface of a sandbox: what tests steer it by over HTTP. */
export interface Control {
  /**
   * Answers a request below `/__sandbox`. `peer.address` is that of the machine that sent it; without one, the request
   * needs the token.
   */
  fetch(request: Request, peer?: { readonly address?: string | undefined }): Promise<Response>
  /** Ends the streams that are open, and answers who waits. */
  close(): void
}

/**
 * Makes the control interface of a sandbox. Throws a UsageError for a token that no header can carry, and for an origin
 * that is none.
 *
 * @example
 * const control = createControl(sandbox, { token: 'secret' })
 * const reset = new Request('http://localhost/__sandbox/reset', { method: 'POST' })
 * const response = await control.fetch(reset, { address: '127.0.0.1' })
 */
export function createControl(sandbox: Sandbox, options: ControlOptions = {}): Control {
  refuseForeign('make a control interface', sandbox)
  refuseUnknown('control option', options, ['token', 'origins'])
  const permission = toPermission(options.token, options.origins ?? [])
  const streams: Streams = new Set()

  return {
    fetch: (request, { address } = {}) =>
      answer(request, address, { sandbox, permission, streams }),
    close: () => {
      for (const end of streams) end()
    },
  }
}
