import { type SentEvent, type Settled, settledOf } from '../events/delivery.ts'
import { shownDelivery } from '../events/delivery-har.ts'
import { notReceivedFromStore, requireAddress } from '../events/event-settings.ts'
import { DELIVERY_HEADER } from '../events/targets.ts'
import { problems } from '../http/problem.ts'
import type { World } from '../sandbox/world.ts'
import {
  AfterChanges,
  type Call,
  eventStream,
  type Forwarded,
  type Handlers,
  located,
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
  listDeliveries: async ({ openEvents, input: { query } }) => {
    const { deliveries } = await openEvents()
    return deliveries
      .filter(({ event, state }) => {
        const isOfType = query.type === undefined || event.type === query.type
        return isOfType && (query.state === undefined || state === query.state)
      })
      .map(shownDelivery)
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
    if (host.isShared) throw notReceivedFromStore()
    const { secret } = world.events
    requireAddress(body.url, 'receive deliveries')
    const eventOf = (id: number): SentEvent | undefined =>
      world.events.deliveries.find((one) => one.id === id)?.event

    return eventStream(streams, ({ send, end }) => {
      send({ event: 'receiving', data: { secret } })
      const forward = forwarder(forwarded, ({ id, ...delivery }) => {
        const event = eventOf(id)
        if (event) send({ event: 'delivery', data: { ...delivery, event } })
      })
      return world.events.receive(body.url, forward, end)
    })
  },

  answerForwarded: ({ forwarded, input: { path, body } }) => {
    const take = forwarded.get(path.ticket)
    if (!take) throw problems.notFound('Nobody waits for the answer to this delivery any more.')
    take(body)
  },

  waitForEvent: ({ host, world, input: { query } }) => {
    const { type, timeout } = query
    const { sending } = host
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

/** Sends deliveries to a client, and waits for what its receiver answers. */
function forwarder(
  forwarded: Forwarded,
  send: (delivery: Omit<ForwardedDelivery, 'event'> & { readonly id: number }) => void,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const ticket = crypto.randomUUID()
    const headers = Object.fromEntries(request.headers)
    const { method } = request
    const body = await request.text()
    try {
      return await new Promise<Response>((resolve, reject) => {
        request.signal.addEventListener('abort', () => reject(request.signal.reason))
        forwarded.set(ticket, ({ status, body: text = '', error }) => {
          if (status === undefined) reject(new Error(error ?? 'the receiver did not answer'))
          else resolve(new Response(HAS_NO_BODY.has(status) ? null : text, { status }))
        })
        const id = Number(request.headers.get(DELIVERY_HEADER))
        send({ id, ticket, method, headers, body })
      })
    } finally {
      forwarded.delete(ticket)
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
