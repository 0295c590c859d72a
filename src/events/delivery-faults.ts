import { RandomSource } from '../generate/random.ts'
import { type Duration, milliseconds } from '../time/duration.ts'
import { refuseUnknown, requireInteger, suggest, UsageError } from '../validation/usage-error.ts'
import { DELIVERY_FAULTS, type Delivery, type DeliveryFault, receiverOf } from './delivery.ts'

/** Which deliveries have a fault. All are optional. */
export interface DeliveryFaultOptions {
  /** Only events with this name. */
  readonly event?: string
  /** Only deliveries of the subscription with this path, such as `hooks/1`, or to this address. */
  readonly receiver?: string
  /** How many deliveries have it. Default: all, until it is removed. */
  readonly times?: number
  /** How likely a delivery has it, from 0 to 1. Default: 1. */
  readonly probability?: number
  /** How much later it is sent, on the sandbox's clock; only of `late` and `out-of-order`. Default: 10 minutes, 5 seconds. */
  readonly delay?: Duration
  /** How many copies follow; only of `burst`. Default: 20. */
  readonly copies?: number
}

/** A fault in force, as plain data. */
export interface ForcedDeliveryFault {
  /** Counts from 1 in each world. */
  readonly id: number
  readonly fault: DeliveryFault
  readonly event?: string
  readonly receiver?: string
  readonly times?: number
  readonly probability?: number
  /** In milliseconds. */
  readonly delay?: number
  readonly copies?: number
  /** How many deliveries it was forced on. */
  readonly forced: number
}

const MAX_COPIES = 1000
const LATE = 600_000
const OVERTAKEN = 5000
const BURST = 20

/** Checks a fault and its options. Throws a UsageError. */
export function checkedFault(
  fault: string,
  options: DeliveryFaultOptions = {},
): Omit<ForcedDeliveryFault, 'id' | 'forced'> {
  const task = `force the delivery fault "${fault}"`
  const known = DELIVERY_FAULTS.find((one) => one === fault)
  if (!known) {
    throw new UsageError({
      code: 'unknown_outcome',
      task,
      reason: 'there is no fault with this name',
      ...suggest(fault, DELIVERY_FAULTS),
      allowed: DELIVERY_FAULTS,
    })
  }
  refuseUnknown(task, options, ['event', 'receiver', 'times', 'probability', 'delay', 'copies'])
  const wrong = mistakesIn(known, options)
  if (wrong.length > 0) {
    throw new UsageError({ code: 'invalid_option', task, reason: wrong.join('; ') })
  }
  const { delay, ...others } = options
  const given = Object.entries(others).filter(([, value]) => value !== undefined)

  return {
    fault: known,
    ...Object.fromEntries(given),
    ...(delay !== undefined && { delay: milliseconds(delay) }),
  }
}

function mistakesIn(
  fault: DeliveryFault,
  { times, probability, delay, copies }: DeliveryFaultOptions,
): readonly string[] {
  if (times !== undefined) requireInteger('times', times, 1)
  if (copies !== undefined) requireInteger('copies', copies, 1)
  const isLater = fault === 'late' || fault === 'out-of-order'
  const isLikely = probability === undefined || (probability >= 0 && probability <= 1)
  const isBurst = copies === undefined || (fault === 'burst' && copies <= MAX_COPIES)

  return [
    ...(isLikely ? [] : [`probability must be a number from 0 to 1 (got ${probability})`]),
    ...(isBurst ? [] : [`copies are only of burst, and at most ${MAX_COPIES}`]),
    ...(delay === undefined || isLater ? [] : ['a delay is only of late and out-of-order']),
  ]
}

/** A delivery that is about to be added. */
type NewDelivery = Omit<Delivery, 'id'>

/**
 * The deliveries that there are instead of one, and the faults after it. `earlier` are those that were sent before. The first fault that
 * fits is forced.
 */
export function withFault(
  delivery: NewDelivery,
  faults: readonly ForcedDeliveryFault[],
  { earlier, seed }: { readonly earlier: readonly Delivery[]; readonly seed: number },
): {
  readonly deliveries: readonly NewDelivery[]
  readonly faults: readonly ForcedDeliveryFault[]
} {
  const fitting =
    delivery.state === 'pending' ? faults.find((one) => fits(one, delivery, seed)) : undefined
  const deliveries = fitting && faulty(delivery, fitting, earlier)
  if (!fitting || !deliveries) return { deliveries: [delivery], faults }

  return {
    deliveries,
    faults: faults.map((one) => (one === fitting ? { ...one, forced: one.forced + 1 } : one)),
  }
}

function fits(
  {
    id,
    event,
    receiver,
    times = Number.POSITIVE_INFINITY,
    probability = 1,
    forced,
  }: ForcedDeliveryFault,
  delivery: NewDelivery,
  seed: number,
): boolean {
  if (forced >= times) return false
  if (event !== undefined && delivery.event.type !== event) return false
  if (receiver !== undefined && ![delivery.subscription, delivery.url].includes(receiver))
    return false
  // The same deliveries have it for the same seed.
  const random = RandomSource.from([seed, 'delivery fault', id, delivery.event.id, delivery.url])
  return probability === 1 || random.integer(0, 999_999) < probability * 1_000_000
}

function faulty(
  delivery: NewDelivery,
  { fault, delay, copies = BURST }: ForcedDeliveryFault,
  earlier: readonly Delivery[],
): readonly NewDelivery[] | undefined {
  const { next: at = 0 } = delivery
  const copy = { ...delivery, fault }
  switch (fault) {
    case 'never': {
      const { next: _, ...unsent } = copy
      return [{ ...unsent, state: 'refused', reason: 'the fault "never" was forced' }]
    }
    case 'late':
      return [{ ...copy, next: at + (delay ?? LATE) }]
    case 'out-of-order':
      return [{ ...copy, next: at + (delay ?? OVERTAKEN) }]
    case 'twice':
      return [delivery, copy]
    case 'burst':
      return [delivery, ...Array.from({ length: copies }, () => copy)]
    case 'wrong-signature':
    case 'old-timestamp':
      return [delivery, copy]
    case 'replay':
      return replayed(delivery, earlier)
    default:
      return [copy]
  }
}

/** The delivery, and the latest one that the same receiver got before, with the same headers; `undefined` when there is none. */
function replayed(
  delivery: NewDelivery,
  earlier: readonly Delivery[],
): readonly NewDelivery[] | undefined {
  const receiver = receiverOf(delivery)
  const old = earlier.findLast(
    (one) => one.state === 'delivered' && one.fault === undefined && receiverOf(one) === receiver,
  )
  const headers = old?.attempts.at(-1)?.headers
  if (!old || !headers) return undefined
  const { id: _, ...again } = old
  const next = delivery.next === undefined ? {} : { next: delivery.next }

  return [delivery, { ...again, attempts: [], ...next, state: 'pending', fault: 'replay', headers }]
}

/** Faults of copies that a receiver should refuse or ignore: they are sent once. */
export function isSentOnce({ fault }: Pick<Delivery, 'fault'>): boolean {
  return fault !== undefined && SENT_ONCE.has(fault)
}

const SENT_ONCE: ReadonlySet<DeliveryFault> = new Set([
  'wrong-signature',
  'old-timestamp',
  'replay',
])

/** A secret that nobody has, with which forged deliveries are signed. */
export const FORGED_SECRET: string = `whsec_${'forged'.repeat(5)}AA`

/** How old the timestamp of an old delivery is, in milliseconds. */
export const OLD = 3_600_000
