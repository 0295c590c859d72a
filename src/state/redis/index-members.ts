import type { RecordWrite } from '../stored-commit.ts'

/** A member that an index gets or loses. */
export interface IndexChange {
  /** What the key of the index has after that of the collection, such as `i` for that of the ids. */
  readonly suffix: string
  readonly member: string
  readonly isAdded: boolean
}

/** What a write changes in the indexes of its collection. */
export function indexChanges(_write: RecordWrite): readonly IndexChange[] {
  return []
}
