import type { StoredRecord } from '../records/record-table.ts'
import {
  type AdmittedRequest,
  type Behaviour,
  type BehaviourResult,
  notFound,
  requestedId,
  respond,
} from './behaviour.ts'
import { mergeValues, replaceValues } from './change-values.ts'
import type * as Documented from './documented-behaviour.ts'
import { cachedText } from './record-values.ts'
import type { Records } from './records.ts'
import type { Store } from './store.ts'

export const replace: Behaviour = changing(replaceValues)

export const update: Behaviour = changing(mergeValues)

/** PUT and PATCH: `change` makes the new record from the old one and the body. */
function changing(change: typeof replaceValues): Behaviour {
  return async (admitted, records) => {
    const { resource } = records
    const id = requestedId(admitted, resource)
    let before: StoredRecord | undefined
    const record = await records.update(id, (present) => {
      before = present
      return change(resource, present, admitted.input.body)
    })
    if (!record) throw notFound(admitted)

    const response = respond(admitted, 200, cachedText(resource, record))
    return { response, undo: () => records.undo(id, before, record) }
  }
}

export async function remove(
  admitted: AdmittedRequest,
  records: Records,
): Promise<BehaviourResult> {
  const id = requestedId(admitted, records.resource)
  const record = await records.get(id)
  if (!(record && (await records.remove(id)))) throw notFound(admitted)

  const response = respond(admitted, 204, cachedText(records.resource, record))
  return { response, undo: () => records.undo(id, record, undefined) }
}

/** Answers as the document describes the response, in an operation that has an action, too. */
export async function behaveAsDocumented(
  admitted: AdmittedRequest,
  store: Store,
): Promise<BehaviourResult> {
  documented ??= await import('./documented-behaviour.ts')
  return documented.behaveAsDocumented(admitted, store)
}

let documented: typeof Documented | undefined
