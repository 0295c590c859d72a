import { requireOwnSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { refuseUnknown } from '../validation/usage-error.ts'
import type { ActionListener } from './action.ts'
import { answer } from './answer.ts'
import type { Streams } from './call.ts'
import { toPermission } from './guard.ts'

/** Who may use the control interface, besides programs on the machine of the sandbox, and who is told of it. */
export interface ControlOptions {
  /** The bearer token that lets in requests from other machines; when left out, they are refused. */
  readonly token?: string
  /** Origins of pages that may steer the sandbox, as `http://localhost:3000`; none when left out. */
  readonly origins?: readonly string[]
  /** Called with each request that changes the sandbox, and with each that was refused to; not with reads. */
  readonly onAction?: ActionListener
}

/** Who sends a control request, and what keeps what it changes. */
export interface ControlPeer {
  readonly address?: string | undefined
  readonly settle?: (() => Promise<void>) | undefined
}

/** The control interface of a sandbox, by which tests steer it over HTTP. */
export interface Control {
  /**
   * Answers a request below `/__sandbox`, any other one with a 404. `peer.address` is the IP address of the machine that
   * sent it; without one, the request needs the token. `peer.settle` is called after a change and awaited before the answer;
   * when it rejects, the change is undone.
   */
  fetch(request: Request, peer?: ControlPeer): Promise<Response>
  /** Ends the open streams, and answers those who wait with a 503. */
  close(): void
}

/**
 * Makes the control interface of a sandbox. Throws a UsageError for a token that no header can carry, for an origin that is
 * none, and for a sandbox that another copy of the package made.
 *
 * @example
 * const control = createControl(sandbox, { token: 'secret' })
 * const reset = new Request('http://localhost/__sandbox/reset', { method: 'POST' })
 * const response = await control.fetch(reset, { address: '127.0.0.1' })
 */
export function createControl(sandbox: Sandbox, options: ControlOptions = {}): Control {
  requireOwnSandbox('make a control interface', sandbox)
  refuseUnknown('control option', options, ['token', 'origins', 'onAction'])
  const permission = toPermission(options.token, options.origins ?? [])
  const streams: Streams = new Set()
  const { onAction = () => undefined } = options

  return {
    fetch: (request, { address, settle } = {}) =>
      answer(request, address, { sandbox, permission, streams, onAction, settle }),
    close: () => {
      for (const end of streams) end()
    },
  }
}
