import { isObject } from '../validation/objects.ts'

/**
 * A receiver that is connected to one of the servers of a store, which alone sends its deliveries. The configuration of the world has it, so
 * that each server makes deliveries for it.
 */
export interface HeldReceiver {
  readonly url: string
  /** The server. */
  readonly holder: string
  /** When it ends unless the server prolongs it, in epoch milliseconds of the store's clock. */
  readonly until: number
}

/** So many milliseconds after it was written last, a receiver ends: its server was killed, and no other one has it. */
const HELD_FOR = 60_000
/** A server prolongs it so many milliseconds after that. */
const RENEWED_AFTER = 20_000

/** Those that have not ended. */
export function livingReceivers(
  receivers: readonly HeldReceiver[],
  now: number,
): readonly HeldReceiver[] {
  return receivers.filter(({ until }) => until > now)
}

/** The receivers with those of a server, which are prolonged. One that is connected to another server stays there. */
export function withReceivers(
  receivers: readonly HeldReceiver[],
  urls: readonly string[],
  holder: string,
  now: number,
): readonly HeldReceiver[] {
  const living = livingReceivers(receivers, now)
  const due = urls.filter((url) => {
    const present = living.find((one) => one.url === url)
    return (
      !present || (present.holder === holder && present.until <= now + HELD_FOR - RENEWED_AFTER)
    )
  })
  return due.reduce((list, url) => connectedTo(list, url, holder, now), receivers)
}

/** The receivers with one that has connected to a server just now. */
export function connectedTo(
  receivers: readonly HeldReceiver[],
  url: string,
  holder: string,
  now: number,
): readonly HeldReceiver[] {
  const others = livingReceivers(receivers, now).filter((one) => one.url !== url)
  return [...others, { url, holder, until: now + HELD_FOR }]
}

/** The receivers in a value that a server has written; `undefined` for another value. */
export function readReceivers(value: unknown): readonly HeldReceiver[] | undefined {
  return Array.isArray(value) && value.every(isHeldReceiver) ? value : undefined
}

function isHeldReceiver(value: unknown): value is HeldReceiver {
  if (!isObject(value)) return false
  const { url, holder, until } = value
  return typeof url === 'string' && typeof holder === 'string' && typeof until === 'number'
}
