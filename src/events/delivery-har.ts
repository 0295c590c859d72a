import { type HarMessages, harMessages } from '../journal/har.ts'
import type { Attempt, Delivery, SentEvent } from './delivery.ts'

/** An attempt of a delivery in an HTTP archive. The fields with an underscore have what HAR has no field for. */
interface DeliveryEntry extends HarMessages {
  readonly _sent: Pick<Delivery, 'id' | 'state' | 'subscription' | 'fault'>
  readonly _event: SentEvent
}

/** The attempts of deliveries as entries of an HTTP archive. */
export function deliveryEntries(
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
