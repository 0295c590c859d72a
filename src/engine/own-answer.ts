import { chooseResponse, contentOf } from '../contract/documented-response.ts'
import { EVENT_STREAM, eventStreamOf } from '../contract/event-stream.ts'
import { isFollowed } from '../events/world-events.ts'
import type { Awaitable } from '../records/awaitable.ts'
import { behave } from '../resources/behaviour/behave.ts'
import type { AdmittedRequest, BehaviourResult } from '../resources/behaviour/record-request.ts'
import type { Store } from '../resources/store.ts'
import { orderMediaTypes } from '../responses/choose-media-type.ts'
import { preferredExample } from '../responses/documented-answer.ts'
import type { WorldState } from './world-state.ts'

/** What an operation answers without handlers: a stream of what happens to records, where the client asks for one, else as `behave` does. */
export function ownAnswer(
  admitted: AdmittedRequest,
  store: Store,
  state: Pick<WorldState, 'events' | 'service'>,
): Awaitable<BehaviourResult> {
  const { events, service } = state
  if (!isFollowed(events) || !asksForStream(admitted)) return behave(admitted, store)
  return import('./stream-changes.ts').then(({ streamChanges }) =>
    streamChanges(admitted, store, { events, service }),
  )
}

/** Whether a request is for a stream: not for another status, an example, or a media type that the client wants more. */
function asksForStream({ binding: { operation }, request, status }: AdmittedRequest): boolean {
  if (!operation.hints?.streams || status !== undefined || !eventStreamOf(operation)) return false
  if (preferredExample(request.header('prefer')) !== undefined) return false
  const { documented } = chooseResponse(operation)
  const content = documented ? contentOf(documented) : []
  const [best] = orderMediaTypes(content, request.header('accept'))
  const isRefused = !best?.isAccepted && operation.responses.some((one) => one.status === 406)

  return best?.mediaType === EVENT_STREAM && !isRefused
}
