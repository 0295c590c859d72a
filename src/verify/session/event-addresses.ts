import type { Contract, Operation, Schema } from '../../contract/contract.ts'
import type { SubscriptionHints } from '../../contract/hints.ts'
import { isJson, parseJsonText } from '../../contract/json.ts'
import { listedValues, parsePointer, schemaAt } from '../../contract/schema.ts'
import { sentRequestsOf } from '../../events/known-events.ts'
import { isActiveValue } from '../../inference/subscriptions.ts'
import { withValueAt } from '../../resources/views/record-body.ts'
import { isObject, once } from '../../validation/objects.ts'
import { isSuccess, type ProbeRequest, type ProbeResponse, withBody } from '../messages.ts'
import { boundTo, sentPlace, valueAt } from '../record-address.ts'

/** A request that the service has sent to the run. */
export interface ReceivedEvent {
  readonly method: string
  /** The path and query below the address of the receiver, such as `/3/paid`. */
  readonly target: string
  readonly headers: Headers
  readonly text: string
  /** Whether the body was longer than what the receiver reads. */
  readonly isCut: boolean
}

/** Listens on this machine for the events that a service sends. */
export interface EventReceiver {
  /** Its address, without a slash at the end. */
  readonly url: string
  /** What has arrived, in its order. */
  readonly received: readonly ReceivedEvent[]
  /** Resolves when nothing has arrived for a moment, or the signal is aborted. */
  readonly quiet: (signal?: AbortSignal) => Promise<void>
  readonly close: () => Promise<void>
}

/** An address of the run that was given to the service. */
export interface EventAddress {
  /** The operation that got it. */
  readonly operation: Operation
  /** Whether it is that of a subscription; otherwise it is for the callbacks of the operation. */
  readonly isSubscription: boolean
  /** Whether the subscription asks for events by the names that the document describes. */
  readonly hasNames: boolean
}

/** A request of the service to an address that it has accepted. The target is what comes after the address. */
export interface Arrival extends EventAddress {
  readonly event: ReceivedEvent
}

/**
 * Gives the service an address of the run where it wants one for events: in new subscriptions, and in requests that have callbacks. It
 * replaces only what was made for an operation, which no check is about.
 */
export class EventAddresses {
  readonly #contract: Contract
  readonly #receiver: EventReceiver
  /** By the numbers with which their paths begin. */
  readonly #given = new Map<string, EventAddress>()
  readonly #accepted = new Set<string>()
  /** The numbers of the addresses in requests. */
  readonly #numbers = new WeakMap<ProbeRequest, string>()
  /** The operations that were sent a refused request again without an address. */
  readonly #tried = new Set<Operation>()
  readonly #refusing = new Set<Operation>()

  constructor(contract: Contract, receiver: EventReceiver) {
    this.#contract = contract
    this.#receiver = receiver
  }

  /** The addresses that the service has accepted. */
  get accepted(): readonly EventAddress[] {
    return [...this.#accepted].flatMap((number) => this.#given.get(number) ?? [])
  }

  /** Addresses that the service has refused, and others in their places not. */
  get refused(): readonly EventAddress[] {
    return [...this.#given.values()].filter(({ operation }) => this.#refusing.has(operation))
  }

  get arrivals(): readonly Arrival[] {
    return this.#receiver.received.flatMap((event) => {
      const [start = '', number = ''] = /^\/(\d+)/.exec(event.target) ?? []
      const address = this.#accepted.has(number) ? this.#given.get(number) : undefined
      const target = event.target.slice(start.length)
      return address ? [{ ...address, event: { ...event, target } }] : []
    })
  }

  /** Waits until nothing more arrives. */
  async quiet(signal?: AbortSignal): Promise<void> {
    if (this.#accepted.size > 0) await this.#receiver.quiet(signal)
  }

  /** The request with an address of the run where it has another one. */
  inRequest(request: ProbeRequest): ProbeRequest {
    const { operation, credentials, isRepeated, isInvalid } = request
    const isPlain = credentials === 'key' && !isRepeated && !isInvalid
    if (!operation || !isPlain || this.#refusing.has(operation)) return request
    const number = String(this.#given.size + 1)
    const url = `${this.#receiver.url}/${number}`
    const subscription = newSubscription(operation, this.#contract)
    const names = describedNames(this.#contract)
    const addressed = subscription
      ? withReplaced(request, subscriptionValues(subscription, url, names))
      : callbackPlaces(operation).reduce((one, place) => withAddress(one, place, url), request)
    if (addressed === request) return request
    const { body = '' } = addressed
    const hasNames = subscription !== undefined && names.some((name) => body.includes(`"${name}"`))
    this.#given.set(number, { operation, isSubscription: subscription !== undefined, hasNames })
    this.#numbers.set(addressed, number)
    return addressed
  }

  /** Notes the response to a request that {@link inRequest} returned. */
  note(sent: ProbeRequest, response: ProbeResponse): void {
    const number = this.#numbers.get(sent)
    if (number !== undefined && isSuccess(response)) this.#accepted.add(number)
  }

  /** Sends a request again without an address when the service may have refused it for that. */
  async retry(refused: ProbeResponse, send: () => Promise<ProbeResponse>): Promise<ProbeResponse> {
    const { operation, target, body = '' } = refused.request
    const isSent = [target, body].some((one) => isIn(one, this.#receiver.url))
    const isCandidate = isSent && MAY_BE_FOR_ADDRESS.has(refused.status)
    if (!operation || !isCandidate || this.#tried.has(operation)) return refused
    this.#tried.add(operation)
    this.#refusing.add(operation)
    const response = await send()
    if (!isSuccess(response)) this.#refusing.delete(operation)
    return response
  }
}

/** The statuses by which a service may refuse an address. */
const MAY_BE_FOR_ADDRESS: ReadonlySet<number> = new Set([400, 403, 422])

function isIn(text: string, url: string): boolean {
  return text.includes(url) || text.includes(encodeURIComponent(url))
}

/** The names of the events that a document describes. */
const describedNames: (contract: Contract) => readonly string[] = once((contract) =>
  [...sentRequestsOf(contract)].flatMap(([name, sent]) => (sent ? name : [])),
)

/** Where the body of an operation that makes a subscription has its parts. */
function newSubscription(operation: Operation, contract: Contract): SubscriptionHints | undefined {
  const binding = boundTo(contract, operation)
  const { subscription } = binding?.resource ?? {}
  if (binding?.action !== 'create' || !subscription) return undefined
  const { body } = binding.hints
  // The places are those in a record, which may have the attributes of JSON:API in them.
  const isWhole = schemaAt(operation.body?.schema ?? {}, `${body ?? ''}${subscription.url}`)
  const above = isWhole ? (body ?? '') : sentPlace(binding)
  const placed = Object.entries(subscription).map(([name, place]) => [name, `${above}${place}`])
  return { ...subscription, ...Object.fromEntries(placed) }
}

/** A value of a body, and where it is. */
interface PlacedValue {
  readonly place: string
  readonly make: (schema: Schema) => unknown
}

/** What makes a subscription one of the run: the address first, then the events, and that it gets them. */
function subscriptionValues(
  { url: address, events, active, inactive }: SubscriptionHints,
  url: string,
  names: readonly string[],
): readonly PlacedValue[] {
  const isOn = (schema: Schema): unknown => listedValues(schema).find(isActiveValue) ?? true
  return [
    { place: address, make: () => url },
    ...(events === undefined || names.length === 0
      ? []
      : [
          { place: events, make: () => names[0] },
          { place: events, make: () => Object.fromEntries(names.map((name) => [name, true])) },
          { place: events, make: () => names },
        ]),
    ...(active === undefined ? [] : [{ place: active, make: isOn }]),
    ...(inactive === undefined ? [] : [{ place: inactive, make: () => false }]),
  ]
}

/**
 * A request whose body was made for its operation, with other values at places where it has some; as it is where the first of them does
 * not fit. Others that do not fit are left out.
 */
function withReplaced(request: ProbeRequest, values: readonly PlacedValue[]): ProbeRequest {
  const { operation, body, sample, type = 'application/json' } = request
  const isMade = body !== undefined && body === sample && isJson(type)
  const before = isMade ? parseJsonText(body) : undefined
  const described = operation?.body
  if (!described || !isObject(before) || !described.validate(before)) return request
  let value: unknown = before
  for (const [at, { place, make }] of values.entries()) {
    const schema = schemaAt(described.schema, place) ?? {}
    const changed = withValueAt(value, parsePointer(place), make(schema))
    const fits = valueAt(before, place) !== undefined && described.validate(changed)
    if (fits) value = changed
    else if (at === 0) return request
  }
  return withBody(request, JSON.stringify(value))
}

/** Where a request has the address of a callback: a place in the body, or the name of a parameter in the query. */
interface CallbackPlace {
  readonly part: 'body' | 'query'
  readonly place: string
}

/** A callback's address that begins with a value of the request (OpenAPI, "Runtime Expressions"). */
export const CALLBACK_START: RegExp = /^\{?\$request\.(body#|query\.)([^{}]+)\}?/

function callbackPlaces({ callbacks = [] }: Operation): readonly CallbackPlace[] {
  return callbacks.flatMap(({ url }) => {
    const [, part = '', place = ''] = CALLBACK_START.exec(url) ?? []
    if (place === '') return []
    return [{ part: part === 'body#' ? 'body' : 'query', place }]
  })
}

function withAddress(
  request: ProbeRequest,
  { part, place }: CallbackPlace,
  url: string,
): ProbeRequest {
  if (part === 'body') return withReplaced(request, [{ place, make: () => url }])
  const { operation, target } = request
  const [path = '', query = ''] = target.split('?')
  const described = operation?.parameters.find((one) => one.in === 'query' && one.name === place)
  const parameters = new URLSearchParams(query)
  const isValid = described?.validate(parameters.get(place)) && described.validate(url)
  if (!isValid || !parameters.has(place)) return request
  parameters.set(place, url)
  return { ...request, target: `${path}?${parameters}` }
}
