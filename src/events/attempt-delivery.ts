import type { DeliveryFault } from '../forcing/outcomes.ts'
import { type Attempt, afterAttempt, type Delivery, unsent } from './delivery.ts'
import type { EventSettings } from './event-settings.ts'
import { signatureHeaders } from './signatures.ts'
import {
  type AddressRefusal,
  DELIVERY_HEADER,
  RefusedAddressError,
  SENDER_HEADER,
} from './targets.ts'

/** So much of a receiver's response is kept, in bytes. */
const MAX_RESPONSE = 16_384

/** What an attempt depends on. */
interface AttemptSettings extends EventSettings {
  readonly secret: string
  readonly sender?: string
  /** Aborted when nobody waits for the response any more. */
  readonly isOver: AbortSignal
}

/** Sends a delivery once. Resolves with the delivery after this attempt; never rejects. `now` is the time of the sandbox's clock. */
export async function attemptDelivery(
  delivery: Delivery,
  settings: AttemptSettings,
  now: number,
): Promise<Delivery> {
  const { retries, timestamps, signature, secret, sender } = settings
  const at = delivery.next ?? now
  const time = timestamps === 'real' ? Date.now() : at
  const { fault, attempts } = delivery
  const isForged = fault === 'wrong-signature'
  const age = fault === 'old-timestamp' ? OLD : ageOf(delivery.headers, time)
  const signed = {
    ...delivery,
    time: fault === 'old-timestamp' ? time - OLD * 1000 : time,
    secrets: isForged ? [FORGED] : (delivery.secrets ?? [secret]),
  }
  // Only the first attempt is spoilt.
  const spoilt = attempts.length === 0 ? fault : undefined
  const headers = {
    ...(delivery.headers ?? (await signatureHeaders(signature, signed))),
    'Content-Type': spoilt === 'wrong-content-type' ? 'text/plain' : delivery.contentType,
    'User-Agent': 'pet-sandbox',
    [DELIVERY_HEADER]: String(delivery.id),
    ...(sender !== undefined && { [SENDER_HEADER]: sender }),
  }
  const body = sentBody(delivery, attempts.length + 1)
  const started = performance.now()
  const { refused, ...result } = await send({ ...delivery, body }, headers, settings)
  if (refused) return { ...unsent(delivery, refused.reason, refused.help), id: delivery.id }
  const duration = Math.round(performance.now() - started)
  const attempt = { at, duration, headers, ...result, ...(age !== undefined && { age }) }

  return afterAttempt(delivery, attempt, fault && ONCE.includes(fault) ? [] : retries)
}

/** The body of an attempt, whose numbers count from 1. */
export function sentBody(
  { body, fault }: Pick<Delivery, 'body' | 'fault'>,
  attempt: number | undefined,
): string {
  return fault === 'cut-body' && attempt === 1 ? body.slice(0, body.length / 2) : body
}

/** What is sent besides the event is not repeated. */
const ONCE: readonly DeliveryFault[] = [
  'twice',
  'burst',
  'wrong-signature',
  'old-timestamp',
  'replay',
]

/** The age of an old timestamp, in seconds. Receivers accept five minutes. */
const OLD = 3600

/** The secret of forged signatures, which no receiver knows. */
const FORGED = `whsec_${btoa('a secret that no receiver has')}`

/** How old the timestamp in the headers of a replayed delivery is, in seconds. */
function ageOf(headers: Attempt['headers'] | undefined, time: number): number | undefined {
  const stripe = /(?:^|,)t=(\d+)/.exec(headers?.['Stripe-Signature'] ?? '')?.[1]
  const seconds = headers?.['webhook-timestamp'] ?? stripe
  return seconds === undefined ? undefined : Math.floor(time / 1000) - Number(seconds)
}

/** The requests that are under way. Node aborts the signal of a request only as long as somebody has the request itself. */
const underWay = new Set<Request>()

async function send(
  { url, method, body }: Delivery,
  headers: Attempt['headers'],
  { deliver = fetchOnce, timeout, isOver }: AttemptSettings,
): Promise<
  Pick<Attempt, 'status' | 'responseBody' | 'error'> & { readonly refused?: AddressRefusal }
> {
  const ended = new AbortController()
  const stop = (): void => ended.abort(isOver.reason)
  isOver.addEventListener('abort', stop)
  const timer = setTimeout(
    () => ended.abort(new Error(`no response within ${timeout} ms`)),
    timeout,
  )
  const { signal } = ended
  let request: Request | undefined
  try {
    const content = /^(GET|HEAD)$/.test(method) ? {} : { body }
    request = new Request(url, { method, headers, ...content, redirect: 'manual', signal })
    underWay.add(request)
    const response = await untilAborted(deliver(request), signal)
    const responseBody = await untilAborted(startOf(response), signal)
    return { status: response.status, ...(responseBody !== '' && { responseBody }) }
  } catch (error) {
    return error instanceof RefusedAddressError ? { refused: error } : { error: reasonOf(error) }
  } finally {
    clearTimeout(timer)
    isOver.removeEventListener('abort', stop)
    ended.abort()
    if (request) underWay.delete(request)
  }
}

function fetchOnce(request: Request): Promise<Response> {
  return fetch(request)
}

/** The result of a promise, unless the signal is aborted before. A developer's function may not heed the signal. */
function untilAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    promise.then(resolve, reject)
  })
}

/** The start of a response's body. The rest is not read. */
async function startOf({ body }: Response): Promise<string> {
  if (!body) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let length = 0
  while (length < MAX_RESPONSE) {
    const { value, done } = await reader.read()
    if (done) return text + decoder.decode()
    const part = value.subarray(0, MAX_RESPONSE - length)
    length += part.length
    text += decoder.decode(part, { stream: true })
  }
  await reader.cancel()

  return text
}

/** Why there was no response: the innermost reason, such as ECONNREFUSED. */
function reasonOf(error: unknown): string {
  const { cause, code, message } = Object(error)
  if (cause !== undefined) return reasonOf(cause)
  return String(code ?? (message || error))
}
