import type { Contract } from '../contract/contract.ts'
import type { WorldState } from '../engine/world-state.ts'
import type { EmittedCause } from '../events/cause.ts'
import type { SentEvent } from '../events/delivery.ts'
import { sentRequestsOf } from '../events/known-events.ts'
import { makeChangeNamed } from '../events/named-record.ts'
import type { SteeredEvents } from '../events/world-events.ts'
import { suggest, UsageError } from '../validation/usage-error.ts'

// Events by hand.

/** Sends an event. Rejects with a UsageError for a name that the document does not have, where it has names of events. */
export async function emitIn(
  events: SteeredEvents,
  { service, openStore }: Pick<WorldState, 'service' | 'openStore'>,
  cause: EmittedCause,
): Promise<SentEvent> {
  checkType(cause.type, service.settings.contract)
  let sent: SentEvent | undefined
  const end = events.onEvent((event) => {
    if (event.type === cause.type) sent ??= event
  })
  await events.add({ changes: [], emitted: [cause] }, await openStore())
  end()
  if (!sent) throw new TypeError('The event was not made')

  return sent
}

/** Sends an event about a record that is made for it. `note` gets the function that removes it again. */
export async function triggerIn(
  events: SteeredEvents,
  state: Pick<WorldState, 'service' | 'clock' | 'openStore'>,
  type: string,
  note: (undo: () => Promise<void>) => void = () => undefined,
): Promise<SentEvent> {
  const { service, clock, openStore } = state
  const { contract } = service.settings
  checkType(type, contract)
  const made = await makeChangeNamed(type, { service, contract }, await openStore(), clock.now())
  if (!made) throw aboutNothing(type, contract)
  note(made.undo)

  return emitIn(events, state, { type, change: made.change })
}

function checkType(type: string, contract: Contract): void {
  const known = [...sentRequestsOf(contract).keys()]
  if (known.length === 0 || known.includes(type)) return
  throw new UsageError({
    code: 'unknown_event',
    task: `emit the event "${type}"`,
    reason: 'the document has no event with this name',
    ...suggest(type, known),
    allowed: known,
  })
}

function aboutNothing(type: string, { resources = {} }: Contract): UsageError {
  return new UsageError({
    code: 'unknown_event',
    task: `make a record for the event "${type}"`,
    reason: 'its name tells none of the collections at the top',
    help: `Emit it with your own data. The collections are ${Object.keys(resources).join(', ')}.`,
  })
}
