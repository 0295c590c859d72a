import { type Forward, type SentEvent, type Settled, settledOf } from '../events/delivery.ts'
import { shownDelivery } from '../events/delivery-har.ts'
import { requireAddress } from '../events/event-settings.ts'
import { checkEventPattern, namedEvents } from '../events/known-events.ts'
import { DELIVERY_HEADER } from '../events/targets.ts'
import { isNamedEvent } from '../forcing/rules.ts'
import { type Problem, problems } from '../http/problem.ts'
import { checkWanted } from '../sandbox/events.ts'
import type { World } from '../sandbox/world.ts'
import type { EventWaits, ForwardedAnswer } from '../sandbox/world-host.ts'
import {
  AfterChanges,
  type Call,
  eventStream,
  type Forwarded,
  type Handlers,
  located,
  type Streams,
  stateOf,
} from './call.ts'
import type { ForwardedDelivery, ShownSubscription } from './outputs.ts'

/** The handlers for events and their deliveries. */
export const deliveryHandlers: Handlers<
  | 'listDeliveries'
  | 'resendDelivery'
  | 'settleDeliveries'
  | 'emitEvent'
  | 'receiveDeliveries'
  | 'answerForwarded'
  | 'waitForEvent'
  | 'listSubscriptions'
> = {
  listDeliveries: async ({ openEvents, world, input: { query } }) => {
    const { type, state } = query
    const { deliveries } = await openEvents()
    const named = deliveries.filter(({ event }) => isNamedEvent(event.type, type))
    if (type !== undefined && named.length === 0)
      checkEventPattern(type, namedEvents(stateOf(world)), 'list deliveries')

    return named.filter((one) => state === undefined || one.state === state).map(shownDelivery)
  },

  resendDelivery: async ({ openEvents, base, input: { path, query } }) => {
    const events = await openEvents()
    const known = events.deliveries.some(({ id }) => id === path.id)
    if (!known) throw problems.notFound(`There is no delivery ${path.id}.`)
    return located(201, shownDelivery(events.resend(path.id, query)), `${base}/deliveries`)
  },

  settleDeliveries: ({ host, world, input: { query } }) =>
    whenSettled({ host, world }, query.wait, (settled) => settled),

  emitEvent: async ({ world, base, registerUndo, input: { body } }) => {
    const { type, data, newRecord } = body
    const event = newRecord
      ? await world.events.trigger(type, registerUndo)
      : await world.events.emit(type, data)
    return located(201, event, `${base}/deliveries`)
  },

  receiveDeliveries: ({ host, world, streams, forwarded, input: { body } }) => {
    const { secret } = world.events
    const { sending } = host
    const { url } = body
    requireAddress(url, 'receive deliveries')
    if (sending) {
      const given = { sending, world: world.name, url, secret, streams, forwarded }
      return new AfterChanges(() => receiveFromServers(given))
    }
    const eventOf = (request: Request): SentEvent => {
      const id = Number(request.headers.get(DELIVERY_HEADER))
      const found = world.events.deliveries.find((one) => one.id === id)
      if (found) return found.event
      throw new Error('the delivery was dropped')
    }
    return eventStream(streams, ({ send, end }) => {
      const forward = forwarder({ forwarded, send })
      send({ event: 'receiving', data: { secret } })
      return world.events.receive(url, async (one) => forward(one, eventOf(one)), end)
    })
  },

  answerForwarded: ({ host, forwarded, input: { path, body } }) => {
    const { ticket } = path
    const nobody = (): Problem =>
      problems.notFound('Nobody waits for the answer to this delivery any more.')
    const take = forwarded.get(ticket)
    const { sending } = host
    if (take) return take(body)
    if (!sending) throw nobody()
    // The client may tell it to any of the servers.
    return new AfterChanges(async () => {
      if (!(await sending.giveAnswer(ticket, body))) throw nobody()
    })
  },

  waitForEvent: ({ host, world, input: { query } }) => {
    const { type, timeout } = query
    const { sending } = host
    checkWanted(type, stateOf(world))
    return sending
      ? new AfterChanges(() => sending.next(world.name, type, timeout))
      : world.events.next(type, { timeout })
  },

  listSubscriptions: async ({ world }): Promise<readonly ShownSubscription[]> => {
    const subscriptions = await world.events.subscriptions()
    return subscriptions.map(({ url, subscription, events, isActive }) => ({
      path: subscription,
      url,
      ...(events && { events }),
      active: isActive,
    }))
  },
}

type Sink = Parameters<Parameters<typeof eventStream>[1]>[0]

/** Who receives the events of a world that several servers send. */
interface Receiving {
  readonly sending: EventWaits
  readonly world: string
  readonly url: string
  readonly secret: string
  readonly streams: Streams
  readonly forwarded: Forwarded
}

/** Answers with the stream of a receiver that all servers know. */
async function receiveFromServers({
  sending,
  world,
  url,
  secret,
  streams,
  forwarded,
}: Receiving): Promise<Response> {
  let sink: Sink | undefined
  const send: Sink['send'] = (event) => sink?.send(event)
  const forward = forwarder({ forwarded, sending, send })
  const stop = await sending.receive(world, url, forward, () => sink?.end())

  return eventStream(streams, (opened) => {
    sink = opened
    send({ event: 'receiving', data: { secret } })
    return stop
  })
}

/** Sends deliveries to a client, and waits for what its receiver answers. Of several servers, the client may tell it to any. */
function forwarder({
  forwarded,
  sending,
  send,
}: Pick<Sink, 'send'> & {
  readonly forwarded: Forwarded
  readonly sending?: EventWaits
}): Forward {
  return async (request, event) => {
    const ticket = crypto.randomUUID()
    const headers = Object.fromEntries(request.headers)
    const { method } = request
    const body = await request.text()
    let endWait = (): void => undefined
    try {
      return await new Promise<Response>((resolve, reject) => {
        request.signal.addEventListener('abort', () => reject(request.signal.reason))
        const take = ({ status, body: text = '', error }: ForwardedAnswer): void => {
          if (status === undefined) reject(new Error(error ?? 'the receiver did not answer'))
          else resolve(new Response(HAS_NO_BODY.has(status) ? null : text, { status }))
        }
        forwarded.set(ticket, take)
        const begun = sending?.expectAnswer(ticket, take) ?? Promise.resolve(endWait)
        begun.then((end) => {
          endWait = end
          const delivery: ForwardedDelivery = { ticket, event, method, headers, body }
          send({ event: 'delivery', data: delivery })
        }, reject)
      })
    } finally {
      forwarded.delete(ticket)
      endWait()
    }
  }
}

/** The statuses whose responses have no body. */
const HAS_NO_BODY = new Set([204, 205, 304])

/** Waits until what is due was sent, but no longer than so many milliseconds, and answers with the numbers of deliveries. */
export function whenSettled<Shown>(
  { host, world }: Pick<Call, 'host' | 'world'>,
  wait: number,
  show: (settled: Settled) => Shown,
): Promise<Shown> | AfterChanges {
  const { sending } = host
  if (!sending) return settle(world, wait).then(show)
  return new AfterChanges(async () => show(await sending.settled(world.name, wait)))
}

async function settle({ events }: Pick<World, 'events'>, wait: number): Promise<Settled> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), wait)
  })
  const settled = await Promise.race([events.settled(), late])
  clearTimeout(timer)

  return settled ?? settledOf(events.deliveries)
}
