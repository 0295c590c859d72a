import type { Delivery } from '../events/delivery.ts'
import { problems } from '../http/problem.ts'
import { maskSecret } from '../journal/exchange.ts'
import type { World } from '../sandbox/world.ts'
import { type Handlers, located } from './call.ts'
import type { ShownDelivery, ShownSubscription } from './outputs.ts'

/** The handlers for events and their deliveries. */
export const deliveryHandlers: Handlers<
  | 'listDeliveries'
  | 'resendDelivery'
  | 'settleDeliveries'
  | 'emitEvent'
  | 'waitForEvent'
  | 'listSubscriptions'
> = {
  listDeliveries: ({ world, input: { query } }) =>
    world.events.deliveries
      .filter(({ event, state }) => {
        const isOfType = query.type === undefined || event.type === query.type
        return isOfType && (query.state === undefined || state === query.state)
      })
      .map(shown),

  resendDelivery: ({ world, base, input: { path } }) => {
    const known = world.events.deliveries.some(({ id }) => id === path.id)
    if (!known) throw problems.notFound(`There is no delivery ${path.id}.`)
    return located(201, shown(world.events.resend(path.id)), `${base}/deliveries`)
  },

  settleDeliveries: ({ world, input: { query } }) => settle(world, query.wait),

  emitEvent: async ({ world, base, input: { body } }) => {
    const { type, data } = body
    return located(201, await world.events.emit(type, data), `${base}/deliveries`)
  },

  waitForEvent: async ({ world, input: { query } }) => {
    const { type, timeout } = query
    return world.events.next(type, { timeout })
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

/** Waits until what is due was sent, but no longer than so many milliseconds. */
export async function settle(
  world: Pick<World, 'events'>,
  wait: number,
): ReturnType<World['events']['settled']> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), wait)
  })
  const settled = await Promise.race([world.events.settled(), late])
  clearTimeout(timer)
  const countOf = (...states: readonly Delivery['state'][]): number =>
    world.events.deliveries.filter(({ state }) => states.includes(state)).length

  return (
    settled ?? {
      delivered: countOf('delivered'),
      failed: countOf('failed', 'refused'),
      pending: countOf('pending'),
    }
  )
}

/** A delivery without its secrets. */
function shown({ secrets: _, attempts, ...delivery }: Delivery): ShownDelivery {
  return {
    ...delivery,
    attempts: attempts.map(({ headers, ...attempt }) => ({
      ...attempt,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) =>
          name === 'Authorization' ? [name, `Bearer ${maskSecret(value.slice(7))}`] : [name, value],
        ),
      ),
    })),
  }
}
