import type { Callback } from '../contract/contract.ts'
import { parsePointer } from '../contract/schema.ts'
import { collectionPath } from '../resources/collection-name.ts'
import { idOf } from '../resources/id-generator.ts'
import type { RecordChange } from '../resources/store/record-change.ts'
import type { Store } from '../resources/store/store.ts'
import { valueAt } from '../resources/views/service-values.ts'
import type { Called, Cause, EmittedCause, EventHost, Happened } from './cause.ts'
import type { Delivery, SentEvent } from './delivery.ts'
import { eventBody } from './event-body.ts'
import { documentedNames, happeningOf, usualName } from './event-names.ts'
import type { EventSettings } from './event-settings.ts'
import { sentRequestsOf, subscriptionResources } from './known-events.ts'
import { changeNamed } from './named-record.ts'
import { isSubscribed, type Receiver, type Subscription, subscriptionsFor } from './subscribers.ts'
import { refusalOf } from './targets.ts'

/** What events are made with. */
interface Making extends Pick<EventHost, 'service'> {
  /** Epoch milliseconds of the sandbox's clock. */
  readonly now: number
  /** Those that get every event. */
  readonly to: readonly Receiver[]
  /** The id of the next event. */
  readonly nextEvent: () => string
}

/** Events, and their deliveries. */
interface Made {
  readonly events: readonly SentEvent[]
  /** The events with what happened, as streams tell of it. */
  readonly happened: readonly Happened[]
  readonly deliveries: readonly Omit<Delivery, 'id'>[]
}

/** The events of a cause, with a delivery for each receiver. */
export async function makeDeliveries(
  { changes, base, called, emitted = [] }: Cause,
  store: Store,
  making: Making,
): Promise<Made> {
  const happened: Happened[] = []
  const deliveries: Omit<Delivery, 'id'>[] = []
  for (const change of changes) {
    const made = await deliveriesOf(change, base, store, making)
    happened.push({ event: made.event, change })
    deliveries.push(...made.deliveries)
  }
  for (const one of emitted) {
    const { deliveries: caused, ...made } = await emittedDeliveries(one, store, making)
    happened.push(made)
    deliveries.push(...caused)
  }
  const events = happened.map(({ event }) => event)
  // What was caused before for this time is not what the operation did.
  const own = changes.find(({ at }) => at === undefined)
  for (const callback of called ? callbacksOf(called) : []) {
    const made = await callbackDelivery(callback, called, own, base, making)
    if (!made) continue
    events.push(made.event)
    deliveries.push(made)
  }
  return { events, happened, deliveries }
}

/** An event with its deliveries. */
interface MadeEvent {
  readonly event: SentEvent
  readonly deliveries: readonly Omit<Delivery, 'id'>[]
}

async function deliveriesOf(
  change: RecordChange,
  base: string | undefined,
  store: Store,
  making: Making,
): Promise<MadeEvent> {
  const { service, nextEvent } = making
  const { contract, events: settings } = service.settings
  const { at: now = making.now } = change
  const happening = happeningOf(change)
  const usual = usualName(happening)
  const listed = [...sentRequestsOf(contract).keys()]
  const documented = documentedNames(happening, listed)
  const names = documented.length > 0 ? documented : [usual]
  // Where the document lists no names, those that a client asks for tell what they mean, such as `issues`.
  const askedBy = ({ events = [] }: { readonly events?: readonly string[] }): readonly string[] =>
    documentedNames(
      happening,
      events.filter((name) => !listed.includes(name)),
    )
  const record = recordPath(change)
  const event: SentEvent = { id: nextEvent(), type: names[0] ?? usual, at: now, record }
  const receivers = await receiversOf({ change, names, usual, record, askedBy }, store, making)
  const deliveries = await Promise.all(
    receivers.map(async (receiver) => {
      const own = names.filter((name) => receiver.events?.includes(name))
      const [type = event.type] = [...own, ...askedBy(receiver)]
      const content = { event: { ...event, type }, service, change, base }
      const sent = sentRequestsOf(contract).get(type)

      return {
        ...addressed(receiver, making.to, settings, now),
        event: content.event,
        method: sent?.method ?? 'POST',
        ...(await eventBody(content, sent)),
      }
    }),
  )
  return { event, deliveries }
}

/** The deliveries of an event that was emitted by hand, about what was given, else about a record that its name tells. */
async function emittedDeliveries(
  { type, data, change: made }: EmittedCause,
  store: Store,
  making: Making,
): Promise<MadeEvent & Happened> {
  const { service, to, now, nextEvent } = making
  const { contract, events: settings } = service.settings
  const change =
    data === undefined ? (made ?? (await changeNamed(type, contract, store))) : undefined
  const record = change && recordPath(change)
  const event = { id: nextEvent(), type, at: now, ...(record !== undefined && { record }) }
  const resources = subscriptionResources(contract)
  const subscriptions = await subscriptionsFor(record, resources, store)
  const asked = subscriptions.filter((one) => one.isActive && isSubscribed(one, [type]))
  const sent = sentRequestsOf(contract).get(type)
  const content = { event, service, change, ...(data !== undefined && { data }) }
  const body = await eventBody(content, sent)
  const method = sent?.method ?? 'POST'
  const receivers = [...to, ...asked]

  return {
    event,
    ...(change && { change }),
    ...(data !== undefined && { data }),
    deliveries: receivers.map((one) => ({
      ...addressed(one, to, settings, now),
      ...{ event, method, ...body },
    })),
  }
}

/** The path of the record of a change, such as `orders/7`. */
function recordPath({ resource, collection, record }: RecordChange): string {
  return `${collectionPath({ resource, name: collection })}/${idOf(record, resource.id)}`
}

/** The receivers of an event: the addresses of the options, and the subscriptions that ask for it. */
async function receiversOf(
  {
    change,
    names,
    usual,
    record,
    askedBy,
  }: {
    readonly change: RecordChange
    readonly names: readonly string[]
    readonly usual: string
    readonly record: string
    /** The names of a subscription that the document does not list, and that tell of the change. */
    readonly askedBy: (subscription: Pick<Subscription, 'events'>) => readonly string[]
  },
  store: Store,
  { service, to }: Making,
): Promise<readonly (Receiver & { readonly events?: readonly string[] })[]> {
  const resources = subscriptionResources(service.settings.contract)
  const subscriptions = await subscriptionsFor(record, resources, store)
  const asked = subscriptions.filter((one) => {
    // A subscription to everything is not told of subscriptions: it would be told of itself.
    const isAsked = change.resource.subscription ? one.events !== undefined : true
    const isNamed = isSubscribed(one, [...names, usual]) || askedBy(one).length > 0
    return one.isActive && isAsked && isNamed
  })
  return [...to, ...asked]
}

/** What of a delivery follows from its receiver. */
type Addressed = Pick<
  Delivery,
  | 'url'
  | 'subscription'
  | 'secrets'
  | 'forwarded'
  | 'attempts'
  | 'next'
  | 'state'
  | 'reason'
  | 'help'
>

/** Where a delivery goes, if it may. */
function addressed(
  receiver: Receiver,
  to: readonly Receiver[],
  settings: EventSettings,
  now: number,
): Addressed {
  const { url, subscription, secrets } = receiver
  const own = {
    url,
    attempts: [],
    ...(subscription !== undefined && { subscription }),
    ...(secrets && { secrets }),
  }
  // Whoever runs the sandbox has named these addresses.
  const isNamed = receiver.forwarded || to.some((one) => !one.forwarded && one.url === url)
  const refusal = isNamed ? undefined : refusalOf(url, settings)
  const pending = { ...own, next: now, state: 'pending' } as const
  if (!refusal) return { ...pending, ...(receiver.forwarded && { forwarded: true }) }
  const [instead] = to
  if (instead) return { ...pending, ...instead }

  return { ...own, state: 'refused', ...refusal }
}

/** The callbacks that are sent because of a request: not those of a subscription. */
function callbacksOf({ operation, resource }: Called): readonly Callback[] {
  return resource?.subscription ? [] : (operation.callbacks ?? [])
}

async function callbackDelivery(
  callback: Callback,
  called: Called | undefined,
  change: RecordChange | undefined,
  base: string | undefined,
  { service, to, now, nextEvent }: Making,
): Promise<Omit<Delivery, 'id'> | undefined> {
  const url = called && callbackAddress(callback.url, called)
  if (url === undefined) return undefined
  const record = change && recordPath(change)
  const event = {
    id: nextEvent(),
    type: callback.name,
    at: now,
    ...(record !== undefined && { record }),
  }
  const body = await eventBody({ event, service, change, base }, callback)

  return {
    ...addressed({ url }, to, service.settings.events, now),
    event,
    method: callback.method,
    ...body,
  }
}

/** A runtime expression in braces (OpenAPI, "Runtime Expressions"). */
const EXPRESSION = /\{(\$[^{}]+)\}/g

/**
 * The address of a callback: a text in which runtime expressions in braces are replaced, or one expression. `undefined` when one of them
 * has no value, so that nothing is sent: a client that names no address wants no callback.
 */
export function callbackAddress(template: string, called: Called): string | undefined {
  let isComplete = true
  const textOf = (expression: string): string => {
    const value = expressionValue(expression, called)
    if (typeof value === 'string' || typeof value === 'number') return String(value)
    isComplete = false
    return ''
  }
  const address = template.startsWith('$')
    ? textOf(template)
    : template.replace(EXPRESSION, (_, expression: string) => textOf(expression))

  return isComplete && address !== '' ? address : undefined
}

function expressionValue(expression: string, called: Called): unknown {
  const { request, response } = called
  if (expression === '$url') return `${request.base}${request.path}${queryOf(request)}`
  if (expression === '$method') return request.method
  if (expression === '$statusCode') return response.status
  const [, side, place = '', rest = ''] = PART.exec(expression) ?? []
  if (side === 'request')
    return place === 'body'
      ? bodyValue(called.input.body, rest)
      : sentValue(place, rest.slice(1), called)
  if (side === undefined) return undefined

  return place === 'body'
    ? bodyValue(parsed(response.body), rest)
    : headerOf(response, rest.slice(1))
}

const PART = /^\$(request|response)\.(header|query|path|body)(.*)$/

function queryOf({ query }: Called['request']): string {
  return query === '' ? '' : `?${query}`
}

/** A value of a request outside of its body: of a header, or of a parameter in the query or the path. */
function sentValue(place: string, name: string, { request, input }: Called): unknown {
  if (place === 'header') return request.header(name.toLowerCase())
  return [input[place === 'query' ? 'query' : 'path'][name]].flat()[0]
}

function headerOf({ headers }: Called['response'], name: string): string | undefined {
  return Object.entries(headers).find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1]
}

/** The value at a JSON Pointer after `#`; the whole body without one. */
function bodyValue(body: unknown, fragment: string): unknown {
  return fragment.startsWith('#/') ? valueAt(body, parsePointer(fragment.slice(1))) : body
}

function parsed(body: string | Uint8Array): unknown {
  try {
    return typeof body === 'string' ? JSON.parse(body) : undefined
  } catch {
    return undefined
  }
}
