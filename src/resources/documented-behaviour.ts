import type { MediaType } from '../contract/contract.ts'
import { documentedResponse } from '../contract/documented-response.ts'
import { Problem } from '../http/problem.ts'
import { chooseResponse } from '../responses/choose-response.ts'
import {
  answerAsDocumented,
  type DocumentedRequest,
  preferredAnswer,
} from '../responses/documented-answer.ts'
import { type AdmittedRequest, type BehaviourResult, filtersIn } from './behaviour.ts'
import type { ResourceBinding } from './bind.ts'
import { completeBody } from './complete-body.ts'
import { InvalidRecordError } from './invalid-record-error.ts'
import { readsNamedId, rememberRemoval } from './named-ids.ts'
import type { Store } from './store.ts'

/** Performs an action. Rejects with an InvalidRecordError for a record that its schema does not allow. */
export type Perform = (
  admitted: AdmittedRequest,
  binding: ResourceBinding,
  store: Store,
) => BehaviourResult | Promise<BehaviourResult>

/**
 * Performs the action of a binding, and makes the response one that the document allows. An example that the client prefers
 * replaces both.
 */
export async function behaveAsDocumented(
  admitted: AdmittedRequest,
  store: Store,
  perform: Perform,
): Promise<BehaviourResult> {
  const { binding, status } = admitted
  const wanted = documentedRequest(admitted)
  // No behaviour has another status than the usual one, so a request that asks for another one changes nothing.
  if (status !== undefined && status !== chooseResponse(binding.operation).status)
    return answerAsDocumented({ ...wanted, status })
  if (binding.action === 'stateless') return answerAsDocumented(wanted)
  const preferred = await preferredAnswer(wanted)
  if (preferred) return preferred
  const result = await performOrComplete(
    admitted,
    binding,
    (one) => perform(one, binding, store),
    store,
  )
  if (!result) return answerAsDocumented(wanted)
  if (binding.action === 'remove') rememberRemoval(admitted, store)
  const { response, undo } = result
  const { headers, body } = response
  const own = {
    text: String(body),
    headers,
    fits: (media: MediaType) => fitsFor(binding, media),
  }
  const total = binding.action === 'list' && { total: () => totalOf(admitted, binding, store) }
  try {
    return { ...(await answerAsDocumented({ ...wanted, own, ...total })), ...(undo && { undo }) }
  } catch (error) {
    // A client that accepts no media type of the response must not change anything.
    await undo?.()
    throw error
  }
}

function documentedRequest({
  request,
  input,
  binding,
  service,
}: AdmittedRequest): DocumentedRequest {
  return { request, operation: binding.operation, parameters: input.path, service }
}

/**
 * Performs the action of a binding. A valid request is not refused because of the schema of a response: what its record lacks is
 * generated. `undefined` when there is no such record, and the document describes no answer for that, or names its id.
 */
async function performOrComplete(
  admitted: AdmittedRequest,
  binding: ResourceBinding,
  perform: (admitted: AdmittedRequest) => ReturnType<Perform>,
  store: Store,
): Promise<BehaviourResult | undefined> {
  try {
    return await perform(admitted)
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') {
      const isNamed = readsNamedId(admitted, binding, store)
      if (!isNamed && documentedResponse(binding.operation, error.status)) throw error
      return undefined
    }
    if (!(error instanceof InvalidRecordError)) throw error
  }
  const body = await completeBody(admitted, binding, store)
  if (!body) return undefined
  try {
    return await perform({ ...admitted, input: { ...admitted.input, body } })
  } catch (error) {
    if (error instanceof InvalidRecordError) return undefined
    throw error
  }
}

/** Keywords of a list's schema that every list of valid records matches. */
const LIST_KEYWORDS: ReadonlySet<string> = new Set([
  ...['type', 'items', 'title', 'description', 'example', 'examples', 'xml'],
])

/** Whether the records of a binding match the schema of a media type for certain, because they are validated with it. */
function fitsFor({ action, resource }: ResourceBinding, { schema }: MediaType): boolean {
  if (resource.hidden.size > 0) return false
  if (!schema) return true
  if (action !== 'list') return schema === resource.schema
  const isPlain = Object.keys(schema).every((keyword) => LIST_KEYWORDS.has(keyword))

  return isPlain && schema.items === resource.schema
}

/** How many records match the filters of a request. */
function totalOf({ input }: AdmittedRequest, { resource }: ResourceBinding, store: Store): number {
  const where = filtersIn(input.query, resource)

  return store.get(resource.name)?.page({ where }).records.length ?? 0
}
