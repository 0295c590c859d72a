import { UsageError } from '../usage-error.ts'
import { stranger, unauthorized } from './failure.ts'

/** What the control interface calls itself. */
const TITLE = 'Control interface of pet-sandbox'

/** The content of an answer. Throws a UsageError for a refusal, and for what no sandbox answers. */
export function readAnswer<Answer>(
  site: string,
  { ok, status }: Pick<Response, 'ok' | 'status'>,
  text: string,
): Answer {
  const body = fromJson<Answer>(text)
  if (ok && body) return body.value
  if (status === 401) throw unauthorized(site)
  if (!ok && isRefusal(body?.value)) throw refused(status, body.value)
  throw stranger(site, status)
}

/** What a control interface says of itself. */
interface Index {
  /** As `GET /clock`. */
  readonly operations: ReadonlySet<string>
  /** Of the API. */
  readonly basePath: string
}

/** The operations that a control interface says it has, and where the API is. Throws a UsageError for what is none. */
export function readIndex(
  site: string,
  response: Pick<Response, 'ok' | 'status'>,
  text: string,
): Index {
  // The API's own refusal: there is a sandbox, which cannot be steered.
  if (response.status === 404) throw stranger(site, response.status)
  const index: unknown = readAnswer(site, response, text)
  if (isIndex(index)) {
    // Another version may not tell, and is no worse for it.
    const { operations, basePath = '' } = index
    return { operations: new Set(operations.map(endpointOf)), basePath }
  }
  throw stranger(site, response.status)
}

/** Of `GET /__sandbox/clock: Tell the time`. */
function endpointOf(line: string): string {
  const [endpoint = ''] = line.split(': ')
  return endpoint.replace('/__sandbox', '')
}

/** What stands in a body, which the document of the control interface says; `undefined` for what is no JSON. */
function fromJson<Value>(text: string): { readonly value: Value } | undefined {
  try {
    return { value: text === '' ? undefined : JSON.parse(text) }
  } catch {
    return undefined
  }
}

function isIndex(
  body: unknown,
): body is { readonly operations: readonly string[]; readonly basePath?: string } {
  return (
    typeof body === 'object' &&
    body !== null &&
    'title' in body &&
    body.title === TITLE &&
    'operations' in body &&
    Array.isArray(body.operations)
  )
}

/** An Error body. */
interface Refusal {
  readonly code: string
  readonly message: string
}

function isRefusal(body: unknown): body is Refusal {
  return (
    typeof body === 'object' &&
    body !== null &&
    'code' in body &&
    typeof body.code === 'string' &&
    'message' in body &&
    typeof body.message === 'string'
  )
}

/** Waiting in vain is no mistake. What the sandbox itself would say needs no field before it. */
function refused(status: number, { code, message }: Refusal): Error {
  if (status === 408) return new Error(message)
  return new UsageError(code, message.replace(/^(?:body|path)\.\w+: (?=Cannot )/, ''))
}
