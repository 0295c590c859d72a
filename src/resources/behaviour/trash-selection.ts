import type { RecordSelection } from '../../records/selection.ts'
import type { ResourceBinding } from '../bind.ts'
import { TRASHED } from '../effects/hidden-properties.ts'

/** The records that an operation is about where some may be in the trash: those there, or the others; `undefined` where none can be. */
export function trashSelection({
  resource,
  hints,
}: Pick<ResourceBinding, 'resource' | 'hints'>): RecordSelection | undefined {
  if (!resource.hidden.has(TRASHED)) return undefined
  return { tests: [{ places: [[TRASHED]], is: 'exists', wanted: [hints.trash === 'shown'] }] }
}
