import type { AdmittedRequest } from './behaviour.ts'
import type { ResourceBinding } from './bind.ts'
import type { Store } from './store.ts'

/** The records that were removed from each store, by their paths. */
const removed = new WeakMap<Store, Set<string>>()

/** Remembers that a record was removed: then its id is a 404, although the document names it. */
export function rememberRemoval({ request }: AdmittedRequest, store: Store): void {
  const paths = removed.get(store) ?? new Set()
  paths.add(request.path)
  removed.set(store, paths)
}

/** Whether a request reads a record by an id that the document names, as an example for instance. */
export function readsNamedId(
  { request, input }: AdmittedRequest,
  { action, operation, resource }: ResourceBinding,
  store: Store,
): boolean {
  if (action !== 'read' || removed.get(store)?.has(request.path)) return false
  const parameter = operation.parameters.find(
    (one) => one.in === 'path' && one.name === resource.idParameter,
  )
  if (!parameter) return false
  const { example, schema } = parameter
  const named = [example, schema.default, schema.const, ...(schema.enum ?? [])]

  return named.includes(input.path[parameter.name])
}
