import { createMemoryHost } from '../sandbox/memory-host.ts'
import { requireOwnSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import type { WorldHost } from '../sandbox/world-host.ts'
import { refuseUnknown } from '../validation/usage-error.ts'
import type { ActionListener } from './action.ts'
import type { Forwarded, ServedDocument, Streams } from './call.ts'
import { toPermission } from './guard.ts'

/** Options of the control interface. All options are optional. Programs on the sandbox's machine always have access. */
export interface ControlOptions {
  /** The bearer token for requests from other machines. Default: none, and these requests are refused. */
  readonly token?: string
  /** Origins of pages that may use the control interface, such as `http://localhost:3000`. Default: none. */
  readonly origins?: readonly string[]
  /** Called with each request that changes the sandbox or is refused. Not called for reads. */
  readonly onAction?: ActionListener
}

/** The sender of a control request, and how its changes are saved. */
export interface ControlPeer {
  /** The IP address of the sender. Without it, the request needs the token. */
  readonly address?: string | undefined
  /** Called after a change and awaited before the response. When it rejects, the change is undone. */
  readonly saveChanges?: (() => Promise<void>) | undefined
  /** The former name of `saveChanges`. Used when that is absent. */
  readonly settle?: (() => Promise<void>) | undefined
}

/** The control interface of a sandbox. Tests use it to control the sandbox over HTTP. */
export interface Control {
  /**
   * Answers a request below `/__sandbox`, and any other request with a 404. `peer.address` is the IP address of the sender;
   * without it, the request needs the token. `peer.saveChanges` is called after a change and awaited before the response;
   * when it rejects, the change is undone.
   */
  fetch(request: Request, peer?: ControlPeer): Promise<Response>
  /** Ends the open streams, and answers pending waits with a 503. */
  close(): void
}

/**
 * Creates the control interface of a sandbox. Throws a UsageError for a token that no header can carry, for an invalid
 * origin, and for a sandbox that another copy of the package created.
 *
 * @example
 * const control = createControl(sandbox, { token: 'secret' })
 * const reset = new Request('http://localhost/__sandbox/reset', { method: 'POST' })
 * const response = await control.fetch(reset, { address: '127.0.0.1' })
 */
export function createControl(sandbox: Sandbox, options: ControlOptions = {}): Control {
  requireOwnSandbox('make a control interface', sandbox)
  return createControlOf(createMemoryHost(sandbox), options, UNKNOWN_DOCUMENT)
}

/** The document of a sandbox whose contract was loaded by others. */
export const UNKNOWN_DOCUMENT: ServedDocument = {
  document: async () => ({}),
  operationDiagnostics: async () => new Map(),
  documentation: async () => undefined,
}

/** The same for worlds of any host, whose document is known: operations have its mistakes and its descriptions. */
export function createControlOf(
  host: WorldHost,
  options: ControlOptions,
  document: ServedDocument,
): Control {
  refuseUnknown('control', options, ['token', 'origins', 'onAction'])
  const permission = toPermission(options.token, options.origins ?? [], host.secret)
  const streams: Streams = new Set()
  const forwarded: Forwarded = new Map()
  const { onAction = () => undefined } = options

  return {
    fetch: async (request, { address, settle, saveChanges = settle } = {}) => {
      // Loaded with the first request, because a server starts faster without it.
      const { answer } = await import('./answer.ts')

      return answer(request, address, {
        host,
        permission,
        streams,
        forwarded,
        onAction,
        saveChanges,
        document,
      })
    },
    close: () => {
      for (const end of streams) end()
    },
  }
}
