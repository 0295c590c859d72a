import { type Control, type ControlOptions, createControl } from '../control.ts'
import { createSandbox, type Sandbox } from '../index.ts'
import { ContractValidator } from './contract-validator.ts'

/** Holds answers against the document of the control interface. */
export const controlValidator: ContractValidator = new ContractValidator(
  'src/control/openapi.yaml',
  // The guard comes before all.
  { commonHeaders: [], refusals: [401, 403, 404, 405] },
)

/** An answer of the control interface, which was found to be what its document promises. */
export interface ControlResponse {
  /** The operation that the document has for the request. */
  readonly operation: string | undefined
  readonly status: number
  readonly headers: Headers
  /** Read from JSON; `undefined` where there is no content. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects to be there.
  readonly body: any
}

/** What a control request may say besides its method and path. */
export interface ControlRequestOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is, in place of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>
  /** Of the machine that sends it: this one when left out, unknown when `null`. */
  readonly address?: string | null
}

/** Sends a request to a path below `/__sandbox`. */
export type Steer = (
  method: string,
  path: string,
  options?: ControlRequestOptions,
) => Promise<ControlResponse>

/** A sandbox at rest, with its control interface in process. */
export interface OpenedControl {
  readonly sandbox: Sandbox
  readonly control: Control
  readonly steer: Steer
}

/** When its clock stands still. */
export const NOON = '2027-03-01T12:00:00.000Z'

export function openControl(
  options?: ControlOptions,
  sandbox: Sandbox = createSandbox(),
): OpenedControl {
  const control = createControl(sandbox, options)
  sandbox.clock.set(NOON)

  return {
    sandbox,
    control,
    steer: async (method, path, { address = '127.0.0.1', ...rest } = {}) => {
      const request = toControlRequest(method, `http://localhost/__sandbox${path}`, rest)
      const response = await control.fetch(request, address === null ? {} : { address })
      return readControlResponse(method, path, response)
    },
  }
}

/** A request with a body of JSON, unless the options say otherwise. */
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

/** Reads an answer, and throws when it is not what the document promises. */
export async function readControlResponse(
  method: string,
  path: string,
  response: Response,
): Promise<ControlResponse> {
  const { status, headers } = response
  const isStream = headers.get('content-type') === 'text/event-stream'
  const text = isStream ? '' : await response.text()
  const [pathname = ''] = path.split('?')
  const below = pathname.replace(/^\/worlds\/[^/]+(?=\/)/, '') || '/'
  const operation = controlValidator.expectValid({
    method,
    path: below,
    status,
    headers,
    body: text,
  })

  return { operation, status, headers, body: text === '' ? undefined : JSON.parse(text) }
}
