import type { Contract, Operation, SentRequest } from '../../contract/contract.ts'
import { EVENT_ACTION, EVENT_NAME } from '../../contract/event-stream.ts'
import { isJson, parseJsonText } from '../../contract/json.ts'
import { listedValues, plainName, propertiesOf } from '../../contract/schema.ts'
import { describeErrors } from '../../contract/validation-errors.ts'
import { sentRequestsOf, subscriptionResources } from '../../events/known-events.ts'
import { isObject, once } from '../../validation/objects.ts'
import { isSafeMethod } from '../messages.ts'
import {
  type Arrival,
  CALLBACK_START,
  type EventAddress,
  type EventAddresses,
  type ReceivedEvent,
} from '../session/event-addresses.ts'
import { type Check, type Evaluation, type LeftOut, referenceTo, shorten } from './check.ts'
import { isSatisfiable, matchesType } from './response-checks.ts'

/** A check of what the service has sent by itself. */
export interface EventCheck extends Check {
  readonly evaluate: (addresses: EventAddresses) => Evaluation
}

/** Checks of the webhooks and callbacks of a document; none for a document without them. */
export function sentEventChecks(contract: Contract): readonly EventCheck[] {
  return describedEvents(contract).flatMap((described) => checksOf(described, contract))
}

/** What the document describes of the events that go to one kind of address. */
interface DescribedEvents {
  /** The operation whose callbacks they are; absent for what subscriptions get. */
  readonly operation?: Operation
  readonly sent: readonly (SentRequest & { readonly url?: string })[]
}

const describedEvents: (contract: Contract) => readonly DescribedEvents[] = once((contract) => {
  const subscribing = subscriptionResources(contract).flatMap(({ operations = [] }) =>
    operations.map(({ operation }) => operation),
  )
  const toSubscriptions = subscribing.flatMap(({ callbacks = [] }) => callbacks)
  const own = contract.operations.filter((one) => !subscribing.includes(one))

  return [
    { sent: [...(contract.webhooks ?? []), ...toSubscriptions] },
    ...own.map((operation) => ({ operation, sent: operation.callbacks ?? [] })),
  ].filter(({ sent }) => sent.length > 0)
})

function checksOf(described: DescribedEvents, contract: Contract): readonly EventCheck[] {
  const { operation, sent } = described
  const names = [...new Set(sent.map(({ name }) => name))]
  const kind = operation ? 'callback' : 'event'
  const place = operation ? `${referenceTo(operation)}, callbacks` : 'OpenAPI, webhooks'
  const checkOf = (
    id: string,
    what: string,
    isMeant: (judged: Judged) => boolean,
    more: Partial<EventCheck> = {},
  ): EventCheck => ({
    id: `${operation ? `${operation.id}/callbacks` : 'webhooks'}/${id}`,
    name: `${operation?.id ?? 'the service'} ${what}`,
    clause: place,
    ...(operation && { operation: operation.id }),
    ...more,
    evaluate: ({ accepted, refused, arrivals }) => {
      const isOwn = (one: EventAddress): boolean =>
        operation ? one.operation === operation && !one.isSubscription : one.isSubscription
      if (!accepted.some(isOwn)) return refused.some(isOwn) ? REFUSED_ADDRESS : NO_ADDRESS
      const judged = arrivals.filter(isOwn).flatMap((one) => judge(one, described, contract) ?? [])
      const meant = judged.filter(isMeant)
      return (
        meant.find(({ problem }) => problem)?.problem ?? (meant[0] ? 'passed' : NOTHING_ARRIVED)
      )
    },
  })
  const isKnown = ({ name }: Judged): boolean => name !== undefined
  const withoutProblem = ({ name, problem }: Judged): boolean => name !== undefined && !problem

  return [
    ...names.map((name) =>
      checkOf(name, `sends the ${kind} ${name} as it is described`, (one) => one.name === name, {
        clause: `${place}, ${name}`,
      }),
    ),
    checkOf(
      'described',
      `sends only ${kind}s that the document describes`,
      (one) => !one.isUnasked && (withoutProblem(one) || !isKnown(one)),
    ),
    ...(!operation && hasSubscriptionsToAll(contract)
      ? [
          checkOf(
            'others',
            'sends subscriptions to everything only events that the document describes',
            (one) => one.isUnasked === true || withoutProblem(one),
            { decision: true },
          ),
        ]
      : []),
  ]
}

/** Whether a subscription may ask for no events by their names, so that it gets all that the service has. */
function hasSubscriptionsToAll(contract: Contract): boolean {
  return subscriptionResources(contract).some(({ subscription }) => !subscription?.events)
}

const NOTHING_ARRIVED: LeftOut = { leftOut: 'nothing has arrived of the event during the run' }
const NO_ADDRESS: LeftOut = {
  leftOut: 'no request of the run gave the service an address for the event',
}
const REFUSED_ADDRESS: LeftOut = {
  leftOut: 'the service accepts no address of this machine for events',
}

/** What a request of the service is: the documented name, and what is wrong; without a name, it is none that the document describes. */
interface Judged {
  readonly name?: string
  /** Whether the subscription gets what the document does not describe because it asked for no names. A document need not have all events. */
  readonly isUnasked?: boolean
  readonly problem?: Problem | undefined
}

interface Problem {
  readonly expected: string
  readonly received: string
}

/** `undefined` for what the document names and does not describe, and for what only asks whether the receiver is there. */
function judge(
  arrival: Arrival,
  { sent }: DescribedEvents,
  contract: Contract,
): Judged | undefined {
  const { event, isSubscription } = arrival
  if (isSafeMethod(event.method) && !sent.some(({ method }) => method === event.method))
    return undefined
  const possible = sent.filter((one) => isSubscription || isAt(event.target, one.url))
  const claimed = claimedNames(event)
  const isClaimed = (name: string): boolean => claimed.has(plainName(name))
  const named = possible.filter(({ name }) => isClaimed(name))
  if (named.length > 0) return best(event, named)
  if (isSubscription && [...sentRequestsOf(contract).keys()].some(isClaimed)) return undefined
  const fitting = possible.find((one) => problemOf(event, one) === undefined)
  // A subscription to names gets no others, but for those that only the schema of the body lists.
  const isOther = arrival.hasNames && claimed.size > 0
  if (fitting && (!isOther || listsName(fitting))) return { name: fitting.name }
  const [only, ...others] = possible
  if (only && others.length === 0 && !(isSubscription && claimed.size > 0))
    return best(event, [only])
  const names = [...new Set(sent.map(({ name }) => name))].join(', ')
  return {
    isUnasked: isSubscription && !arrival.hasNames,
    problem: { expected: `one of ${shorten(names, MAX_LENGTH)}`, received: shown(event) },
  }
}

/** What a request is of several events: the first one that it fits, else the first. */
function best(event: ReceivedEvent, events: readonly SentRequest[]): Judged {
  const judged = events.map((one) => ({ name: one.name, problem: problemOf(event, one) }))
  return judged.find(({ problem }) => problem === undefined) ?? judged[0] ?? {}
}

/** What of a request is not as the document describes the event. */
function problemOf(event: ReceivedEvent, { method, content }: SentRequest): Problem | undefined {
  if (event.method !== method) return { expected: method, received: shown(event) }
  if (!content) return undefined
  const [written = ''] = (event.headers.get('Content-Type') ?? '').split(';')
  const type = written.trim().toLowerCase()
  const media =
    content.find(({ mediaType }) => matchesType(type, mediaType)) ??
    content.find(({ mediaType }) => isJson(mediaType) && isJson(type))
  if (!media) {
    const types = content.map(({ mediaType }) => mediaType).join(' or ')
    return { expected: `Content-Type: ${types}`, received: type || 'no Content-Type' }
  }
  const { validate } = media
  if (!isJson(type) || !validate || event.isCut || !isSatisfiable(media)) return undefined
  const value = parseJsonText(event.text)
  if (value === undefined) return { expected: 'a JSON body', received: shown(event) }
  if (validate(value)) return undefined
  return { expected: describeErrors('body', validate.errors ?? []), received: shown(event) }
}

/** Whether the end of an address is that of a callback, whose start is an address of the run. */
function isAt(target: string, url = ''): boolean {
  const [end = ''] = url.replace(CALLBACK_START, '').split('?')
  const [path = ''] = target.split('?')
  const parts = end.split(/\{[^{}]*\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('[^/]*')}/?$`).test(path)
}

/** The names that a request may have for its event, without capitals and signs: in a header or at the top of the body, perhaps with the action. */
function claimedNames({ headers, text }: ReceivedEvent): ReadonlySet<string> {
  const body = parseJsonText(text)
  const inHeaders = [...headers].flatMap(([name, value]) =>
    /(event|topic)(-?(type|name|key))?$/i.test(name) ? [value] : [],
  )
  const names = [...inHeaders, ...textsAt(EVENT_NAME, body)]
  const actions = textsAt(EVENT_ACTION, body)
  const both = names.flatMap((name) => actions.map((action) => name + action))

  return new Set([...names, ...both].map(plainName))
}

/** The texts in properties with such names, at the top of a body and one level below. */
function textsAt(wanted: RegExp, body: unknown, depth = 0): readonly string[] {
  if (!isObject(body)) return []
  return Object.entries(body).flatMap(([name, value]) => {
    if (typeof value === 'string') return wanted.test(plainName(name)) ? [value] : []
    const isInner = depth === 0 && /^(event|meta|header|data|payload)$/.test(plainName(name))
    return isInner ? textsAt(wanted, value, 1) : []
  })
}

/** Whether the schema of an event lists what its name may be. */
function listsName({ content = [] }: SentRequest): boolean {
  return content.some(({ schema = {} }) =>
    [...propertiesOf(schema)].some(
      ([name, property]) => EVENT_NAME.test(plainName(name)) && listedValues(property).length > 0,
    ),
  )
}

const MAX_LENGTH = 160

function shown({ method, text }: ReceivedEvent): string {
  const body = shorten(text.trim(), 10 * MAX_LENGTH).replaceAll(/\s+/g, ' ')
  return `${method} ${body === '' ? 'without a body' : shorten(body, MAX_LENGTH)}`
}
