import type { Operation } from '../contract/contract.ts'
import type { OperationHints } from '../contract/hints.ts'
import { escapeKey } from '../contract/schema.ts'
import { spokenName } from './crud-action.ts'
import type { InferredResource } from './infer-resource.ts'
import { hintsOf, type ResourceFinder } from './message-hints.ts'
import { SAVES, savedKey, sentRecordOf } from './sent-values.ts'
import { namedHints } from './several-records.ts'

/** A POST on a collection that changes the record which it names, where there is one, by its name or its description. */
export function savedByPost(
  operation: Operation,
  resource: InferredResource,
  known: ResourceFinder,
): OperationHints | undefined {
  if (operation.method !== 'POST' || !operation.body || resource.hints.isSingle) return undefined
  const text = `${spokenName(operation)}. ${known.describe(operation)}`

  const byId = SAVES.test(text) ? namedHints(operation, 'create', resource, known) : undefined
  return byId ?? savedByKey(operation, text, resource, known)
}

/** The same by another property than the id: `POST /contacts`, which updates the contact with this e-mail. */
function savedByKey(
  operation: Operation,
  text: string,
  resource: InferredResource,
  { describe }: ResourceFinder,
): OperationHints | undefined {
  const { hints, context } = resource
  const key = savedKey(operation, text, context)
  const isKey = key !== undefined && hints.keys?.includes(key)
  const place = sentRecordOf(operation, context)?.place ?? ''

  return isKey
    ? { ...hintsOf(operation, 'create', resource, describe), ids: `${place}/${escapeKey(key)}` }
    : undefined
}
