import { maskSecret } from '../journal/exchange.ts'
import { type Har, type HarMessages, harMessages } from '../journal/har.ts'
import { sentBody } from './attempt-delivery.ts'
import type { Attempt, Delivery, SentEvent } from './delivery.ts'

/** An attempt of a delivery in an HTTP archive. The fields with an underscore have what HAR has no field for. */
interface DeliveryEntry extends HarMessages {
  /** The delivery, and the number of the attempt, from 1; without a number, nothing was sent. */
  readonly _sent: Pick<Delivery, 'id' | 'state' | 'subscription' | 'fault'> & {
    readonly attempt?: number
  }
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

/** The attempts of deliveries as entries of an HTTP archive, and those that were refused before one. */
function deliveryEntries(
  deliveries: readonly Omit<Delivery, 'secrets'>[],
): readonly DeliveryEntry[] {
  return deliveries.flatMap((delivery) => {
    const { attempts, reason, event } = delivery
    const sent = attempts.map((attempt, at) => toEntry(delivery, attempt, at + 1))
    if (reason === undefined) return sent
    const { at } = attempts.at(-1) ?? event
    return [...sent, toEntry(delivery, { at, duration: 0, headers: {}, error: reason })]
  })
}

function toEntry(
  delivery: Omit<Delivery, 'secrets'>,
  { at, duration, headers, status = 0, responseBody = '', error }: Attempt,
  attempt?: number,
): DeliveryEntry {
  const { id, state, subscription, fault, event, url, method, contentType } = delivery
  const named = Object.entries({ 'Content-Type': contentType, ...headers })
  const sent = { url, headers: named, body: sentBody(delivery, attempt) }
  const given = { headers: [], body: responseBody }

  return {
    ...harMessages({ time: at, milliseconds: duration, method, status, error }, sent, given),
    _sent: {
      ...{ id, state },
      ...(attempt !== undefined && { attempt }),
      ...(subscription !== undefined && { subscription }),
      ...(fault && { fault }),
    },
    _event: event,
  }
}
