import { type Control, type ControlOptions, createControl } from '../control.ts'
import { createSandbox, type Sandbox, type SandboxOptions } from '../index.ts'
import { ContractValidator } from './contract-validator.ts'
import type { JsonObject, JsonResponse } from './responses.ts'

/** Checks responses against the OpenAPI document of the control interface. */
export const controlValidator: ContractValidator = new ContractValidator(
  'src/control/openapi.yaml',
  // Requests are checked for permission before they are matched to an operation.
  { commonHeaders: [], statuses: [401, 403, 404, 405] },
)

/** A response of the control interface that is valid by its document. */
export interface ControlResponse<Body = JsonObject> extends JsonResponse<Body> {
  /** The operation that the request matches; `undefined` when it matches none. */
  readonly operation: string | undefined
}

/** The optional parts of a control request. */
export interface ControlRequestOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent unchanged, instead of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>
  /** The address of the sender. Default: 127.0.0.1. `null`: unknown. */
  readonly address?: string | null
}

/** Sends a request to a path below `/__sandbox`. */
export type CallControl = <Body = JsonObject>(
  method: string,
  path: string,
  options?: ControlRequestOptions,
) => Promise<ControlResponse<Body>>

/** A sandbox with a stopped clock, and its control interface in process. */
export interface OpenedControl {
  readonly sandbox: Sandbox
  readonly control: Control
  readonly callControl: CallControl
}

/** The time of the stopped clock. */
export const NOON = '2027-03-01T12:00:00.000Z'

/** Opens control interfaces in another way, such as on a shared store. */
export type OpenControl = (
  options: ControlOptions | undefined,
  settings: SandboxOptions,
) => OpenedControl

let openAnother: OpenControl | undefined

/** From now on, `openControl` opens control interfaces in another way; without one, of sandboxes in memory. */
export function openControlsWith(open: OpenControl | undefined): void {
  openAnother = open
}

/** Whether control interfaces are opened in another way. */
export function areControlsShared(): boolean {
  return openAnother !== undefined
}

/** Opens a control interface of a sandbox, or of a new one with these settings. */
export function openControl(
  options?: ControlOptions,
  given: Sandbox | SandboxOptions = {},
): OpenedControl {
  if (openAnother && !isSandbox(given)) return openAnother(options, given)
  const sandbox = isSandbox(given) ? given : createSandbox(given)
  const control = createControl(sandbox, options)
  sandbox.clock.set(NOON)

  return {
    sandbox,
    control,
    callControl: async (method, path, { address = '127.0.0.1', ...rest } = {}) => {
      const request = toControlRequest(method, `http://localhost/__sandbox${path}`, rest)
      const response = await control.fetch(request, address === null ? {} : { address })
      return readControlResponse(method, path, response)
    },
  }
}

function isSandbox(given: Sandbox | SandboxOptions): given is Sandbox {
  return 'fetch' in given
}

/** Creates a request with a JSON body, unless the options set another content type. */
export function toControlRequest(
  method: string,
  address: string,
  { headers = {}, body, raw }: Omit<ControlRequestOptions, 'address'> = {},
): Request {
  const text = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const sent = new Headers(text === undefined ? {} : { 'Content-Type': 'application/json' })
  for (const [name, value] of Object.entries(headers)) sent.set(name, value)

  return new Request(address, { method, headers: sent, ...(text !== undefined && { body: text }) })
}

/** Reads a response, and throws an error when it is not valid by the document. */
export async function readControlResponse<Body>(
  method: string,
  path: string,
  response: Response,
): Promise<ControlResponse<Body>> {
  const { status, headers } = response
  const isStream = headers.get('content-type') === 'text/event-stream'
  const text = isStream ? '' : await response.text()
  const [pathname = ''] = path.split('?')
  const withoutWorld = pathname.replace(/^\/worlds\/[^/]+(?=\/)/, '') || '/'
  const exchange = { method, path: withoutWorld, status, headers, body: text }
  const operation = controlValidator.expectValid(exchange)

  return { operation, status, headers, body: text === '' ? undefined : JSON.parse(text) }
}
