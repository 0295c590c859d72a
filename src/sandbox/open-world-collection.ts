import type { Service } from '../engine/service.ts'
import type { WorldState } from '../engine/world-state.ts'
import { findCollection } from '../resources/collection-name.ts'
import { openCollection } from '../resources/open-collection.ts'
import type { RecordCollection } from '../resources/record-collection.ts'

/** A collection of a world by its name or path. `note` is called with a function that undoes each change. */
export function openWorldCollection(
  name: string,
  serviceOf: () => Service,
  stateOf: () => WorldState,
  note?: (undo: () => Promise<void>) => void,
): RecordCollection {
  return openCollection(
    serviceOf(),
    async () => {
      const found = findCollection(serviceOf().resources, name)
      if (!found) throw new TypeError(`${name} is not bound`)
      const { resource, parameters } = found
      const records = await (await stateOf().store).open(resource, parameters)
      return { records, parameters }
    },
    () => stateOf().clock.now(),
    note,
  )
}
