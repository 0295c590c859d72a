import { generateDocumentedValue } from '../generate/documented-value.ts'
import { generationTime } from '../responses/answering-service.ts'
import { isObject } from '../validation/is-object.ts'
import { type AdmittedRequest, requestedId } from './behaviour.ts'
import type { ResourceBinding } from './bind.ts'
import { mergeValues, replaceValues } from './change-values.ts'
import type { StoredRecord } from './record-index.ts'
import { recordFromBody } from './record-values.ts'
import type { Store } from './store.ts'

/**
 * The values of a record that a request creates or changes, with what its schema requires in addition. A value that the schema
 * forbids is replaced. `undefined` when none is valid.
 */
export async function completeBody(
  admitted: AdmittedRequest,
  binding: ResourceBinding,
  store: Store,
): Promise<StoredRecord | undefined> {
  const { service } = admitted
  const { resource } = binding
  const values = await valuesOf(admitted, binding, store)
  const { value, isValid } = await generateDocumentedValue({
    schema: resource.schema,
    validate: resource.validate,
    seed: [service.settings.seed, resource.name, JSON.stringify(values)].join(' '),
    now: generationTime(service),
    place: resource.name,
    preset: values,
  })
  return isValid && isObject(value) ? value : undefined
}

/** The values that the request alone gives a record. */
async function valuesOf(
  admitted: AdmittedRequest,
  { action, resource }: ResourceBinding,
  store: Store,
): Promise<StoredRecord> {
  const { body } = admitted.input
  const { now } = admitted
  if (action === 'create') return recordFromBody(resource, body, now)
  const present = (await store.open(resource)).get(requestedId(admitted, resource)) ?? {}

  return action === 'replace'
    ? replaceValues(resource, present, body)
    : mergeValues(resource, present, body)
}
