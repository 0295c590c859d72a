import type { DeliveryFault } from '../forcing/outcomes.ts'
import { decideDelivery, type ForcedEffect, type Rules } from '../forcing/rules.ts'
import { type Delivery, receiverOf, unsent } from './delivery.ts'
import { type SignatureForm, unshownFault } from './event-settings.ts'

/** A delivery that has no id yet. */
type NewDelivery = Omit<Delivery, 'id'>

/** So many copies of an event are in a burst. */
const BURST = 10
/** How late a delivery is by default, in milliseconds. */
const LATE = 3_600_000
/** How long a delivery waits for the receiver's next event, in milliseconds of the sandbox's clock. */
const MAX_WAIT = 60_000

/** What faults depend on. */
interface FaultContext {
  readonly rules: Pick<Rules, 'decide'>
  /** The deliveries of the world, of which one may be replayed. */
  readonly earlier: readonly Delivery[]
  readonly signature: SignatureForm
  /** Epoch milliseconds of the sandbox's clock. */
  readonly now: number
}

/** Deliveries after what the rules force on them. */
export function withFaults(
  deliveries: readonly NewDelivery[],
  context: FaultContext,
): readonly NewDelivery[] {
  return deliveries.flatMap((delivery) => {
    if (delivery.next === undefined) return delivery
    const { event, subscription } = delivery
    const effect = context.rules.decide((rules) =>
      decideDelivery(rules, { event: event.type, subscription }),
    )
    return effect?.delivery ? afterFault(effect.delivery, effect, delivery, context) : delivery
  })
}

function afterFault(
  fault: DeliveryFault,
  { latency = LATE }: ForcedEffect,
  delivery: NewDelivery,
  { earlier, signature, now }: FaultContext,
): readonly NewDelivery[] {
  const forced = { ...delivery, fault }
  switch (fault) {
    case 'twice':
      return [delivery, forced]
    case 'burst':
      return [delivery, ...Array.from({ length: BURST - 1 }, () => forced)]
    case 'late':
      return [{ ...forced, next: now + latency }]
    case 'out-of-order':
      return [{ ...forced, next: now + MAX_WAIT }]
    case 'never':
      return [unsent(forced, 'it is forced never to be sent')]
    case 'wrong-content-type':
    case 'cut-body':
      return [forced]
    case 'wrong-signature':
    case 'old-timestamp': {
      const reason = unshownFault(fault, signature)
      return [reason === undefined ? forced : unsent(forced, reason), delivery]
    }
    case 'replay':
      return [replayed(forced, earlier), delivery]
  }
}

/** The first delivery that the receiver accepted, as it was sent. */
function replayed(forced: NewDelivery, earlier: readonly Delivery[]): NewDelivery {
  const old = earlier.find(
    (one) => !one.fault && one.state === 'delivered' && receiverOf(one) === receiverOf(forced),
  )
  const headers = old?.attempts.at(-1)?.headers
  if (!old || !headers) return unsent(forced, 'the receiver has accepted nothing before')
  const { event, method, contentType, body } = old

  return { ...forced, event, method, contentType, body, headers }
}
