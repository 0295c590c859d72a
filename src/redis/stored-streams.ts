import type { Contract } from '../contract/contract.ts'
import type { Happened, NumberedEvent } from '../events/cause.ts'
import { type Follower, missedBy } from '../events/world-events.ts'
import { resourcesIn } from '../resources/bind.ts'
import { isObject } from '../validation/objects.ts'
import type { LoggedEvent, StoredEventLog } from './world-store.ts'

/** The text of what happened, in the log of a world: a resource has its name there. */
export function toEventText({ event, change, data }: Happened): string {
  return JSON.stringify({
    event,
    ...(change && { change: { ...change, resource: change.resource.name } }),
    ...(data !== undefined && { data }),
  })
}

/** Reads the text of what happened; `undefined` for one that no server wrote. */
function readEvent({ text, number }: LoggedEvent, contract: Contract): NumberedEvent | undefined {
  const { event, change, data } = parsed(text)
  if (!isObject(event)) return undefined
  const known = { number, event: { id: '', type: '', at: 0, ...event }, data }
  if (!isObject(change)) return known
  const resource = resourcesIn(contract).find(({ name }) => name === change.resource)
  const { kind, collection, record, ...rest } = change
  if (!resource || !isObject(record) || typeof collection !== 'string') return undefined
  if (kind !== 'created' && kind !== 'updated' && kind !== 'deleted') return undefined

  return { ...known, change: { ...rest, kind, resource, collection, record } }
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** A log of events, and the number of the latest one when a client asked for a stream. */
interface Followed {
  readonly log: StoredEventLog
  readonly epoch: string
  readonly told: number
}

/**
 * Tells a stream of the events in a log after the client has asked for it, and before of those that it has missed. Returns a function
 * that ends this.
 */
export function followLog(
  follower: Follower,
  { log, epoch, told }: Followed,
  contract: Contract,
): () => void {
  let last = told
  /** What was told while what is kept was read. */
  let waiting: LoggedEvent[] | undefined = []
  const tell = (one: LoggedEvent): void => {
    if (one.number <= last) return
    last = one.number
    const event = readEvent(one, contract)
    if (event) follower.tell(event)
  }
  const stop = log.follow(
    epoch,
    (one) => {
      if (waiting) waiting.push(one)
      else tell(one)
    },
    follower.end,
  )
  const begin = async (): Promise<void> => {
    const kept = await log.read(epoch, follower.isLast ? 0 : told)
    const events = kept.flatMap((one) => readEvent(one, contract) ?? [])
    const [first] = follower.isLast ? missedBy(follower, events) : events
    if (follower.isLast)
      last = first ? first.number - 1 : Math.max(told, events.at(-1)?.number ?? 0)
    for (const one of [...kept, ...(waiting ?? [])]) tell(one)
    waiting = undefined
  }
  // A client whose stream ends asks again.
  begin().catch(() => follower.end())

  return stop
}
