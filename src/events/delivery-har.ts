import { maskSecret } from '../journal/exchange.ts'
import { type Har, type HarMessages, harMessages } from '../journal/har.ts'
import type { Attempt, Delivery, SentEvent } from './delivery.ts'

/** An attempt of a delivery in an HTTP archive. The fields with an underscore have what HAR has no field for. */
interface DeliveryEntry extends HarMessages {
  readonly _sent: Pick<Delivery, 'id' | 'state' | 'subscription' | 'fault'>
  readonly _event: SentEvent
}

/** An archive with what was sent to receivers of events, too, in the order of the times. Of secrets, only the end is shown. */
export function withDeliveries({ log }: Har, deliveries: readonly Delivery[]): Har {
  const entries = [...log.entries, ...deliveryEntries(deliveries.map(shownDelivery))]
  entries.sort((one, other) => (one.startedDateTime < other.startedDateTime ? -1 : 1))

  return { log: { ...log, entries } }
}

/** A delivery without its secrets. */
export function shownDelivery({
  secrets: _,
  attempts,
  headers,
  ...delivery
}: Delivery): Omit<Delivery, 'secrets'> {
  return {
    ...delivery,
    ...(headers && { headers: withoutSecret(headers) }),
    attempts: attempts.map((attempt) => ({ ...attempt, headers: withoutSecret(attempt.headers) })),
  }
}

function withoutSecret(headers: Attempt['headers']): Attempt['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) =>
      name === 'Authorization' ? [name, `Bearer ${maskSecret(value.slice(7))}`] : [name, value],
    ),
  )
}

/** The attempts of deliveries as entries of an HTTP archive. */
function deliveryEntries(
  deliveries: readonly Omit<Delivery, 'secrets'>[],
): readonly DeliveryEntry[] {
  return deliveries.flatMap((delivery) =>
    delivery.attempts.map((attempt) => toEntry(delivery, attempt)),
  )
}

function toEntry(
  { id, state, subscription, fault, event, url, method, body }: Omit<Delivery, 'secrets'>,
  { at, duration, headers, status = 0, responseBody = '', error }: Attempt,
): DeliveryEntry {
  const sent = { url, headers: Object.entries(headers), body }
  const given = { headers: [], body: responseBody }

  return {
    ...harMessages({ time: at, milliseconds: duration, method, status, error }, sent, given),
    _sent: {
      ...{ id, state },
      ...(subscription !== undefined && { subscription }),
      ...(fault && { fault }),
    },
    _event: event,
  }
}
