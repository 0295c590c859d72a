import type { Service } from '../engine/service.ts'
import type { WorldState } from '../engine/world-state.ts'
import { findCollection, hasParents } from '../resources/collection-name.ts'
import { openCollection } from '../resources/open-collection.ts'
import type { RecordCollection } from '../resources/record-collection.ts'

/** How a collection is used. */
export interface CollectionUse {
  /** Called with a function that undoes each change. */
  readonly note?: ((undo: () => Promise<void>) => void) | undefined
  /** Whether it is only read: then a collection below records that nobody has used is not kept. Default: no. */
  readonly isRead?: boolean
}

/** A collection of a world by its name or path. */
export function openWorldCollection(
  name: string,
  serviceOf: () => Service,
  stateOf: () => WorldState,
  { note, isRead = false }: CollectionUse = {},
): RecordCollection {
  return openCollection(
    serviceOf(),
    async () => {
      const found = findCollection(serviceOf().resources, name)
      if (!found) throw new TypeError(`${name} is not bound`)
      const { resource, parameters } = found
      const store = await stateOf().store
      const isKept = !isRead || !hasParents(resource)
      const used = isKept ? undefined : await store.find(resource, parameters)
      const source = isKept ? store : store.fork()
      const records = used ?? (await source.open(resource, parameters))
      return { records, parameters }
    },
    () => stateOf().clock.now(),
    note,
  )
}
