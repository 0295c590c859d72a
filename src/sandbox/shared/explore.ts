import { readInput } from '../../engine/read-input.ts'
import type { Service } from '../../engine/service.ts'
import type { CoreRequest } from '../../http/message.ts'
import { behave } from '../../resources/behaviours.ts'
import type { Store } from '../../resources/store.ts'
import type { RequestPlan } from './request-plan.ts'

/** Longer bodies are read when the request is admitted. */
const MAX_EARLY_BODY_LENGTH = 64 * 1024

/**
 * Begins to perform a request, so that what it reads from the store is under way before the request is counted. `store` gets no
 * answers: the request stops where it needs one. They are for the store that the request is answered from.
 */
export async function explore(
  request: CoreRequest,
  { match, isAdmitted }: RequestPlan,
  store: Store,
  service: Service,
  now: number,
): Promise<void> {
  if (!match || !isAdmitted || (match.operation.body && !hasShortBody(request))) return
  try {
    const { input, problem } = await readInput(match, request, service)
    if (problem) return
    const binding = service.binding(match.operation)
    await behave({ request, input, now, binding, service }, store)
  } catch {
    // The request itself meets the same error, and is answered with it.
  }
}

function hasShortBody(request: CoreRequest): boolean {
  const length = request.header('content-length')
  return length !== undefined && Number(length) <= MAX_EARLY_BODY_LENGTH
}
