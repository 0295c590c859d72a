import { isFollowed } from '../events/world-events.ts'
import type { Awaitable } from '../records/awaitable.ts'
import { behave } from '../resources/behaviour/behave.ts'
import type { AdmittedRequest, BehaviourResult } from '../resources/behaviour/record-request.ts'
import type { Store } from '../resources/store.ts'
import type { WorldState } from './world-state.ts'

/** What an operation answers without handlers: a stream of what happens to records, where the client asks for one, else as `behave` does. */
export function ownAnswer(
  admitted: AdmittedRequest,
  store: Store,
  { events, service }: Pick<WorldState, 'events' | 'service'>,
): Awaitable<BehaviourResult> {
  const { operation } = admitted.binding
  if (!operation.hints?.streams || !isFollowed(events)) return behave(admitted, store)
  return import('./stream-changes.ts').then(({ asksForStream, streamChanges }) =>
    asksForStream(admitted)
      ? streamChanges(admitted, store, { events, service })
      : behave(admitted, store),
  )
}
