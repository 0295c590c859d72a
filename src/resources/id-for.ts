import type { RecordTable, StoredRecord } from '../records/record-table.ts'
import { type GeneratedId, type IdGenerator, idOf, triesOf } from './id-generator.ts'
import { invalidProperty } from './invalid-record-error.ts'

/**
 * The id of a new record: that of its values, or the next one that is not in use. Rejects with an InvalidRecordError for an id that is
 * in use or not exact.
 */
export async function idFor(
  values: StoredRecord,
  name: string,
  table: RecordTable,
  ids: IdGenerator,
  from: number,
): Promise<GeneratedId> {
  const given = idOf(values, name)
  if (given !== undefined) {
    if (Number.isInteger(given) && !Number.isSafeInteger(given)) {
      throw invalidProperty(name, `${given} is not exact`)
    }
    if (await table.get(given)) throw invalidProperty(name, `${given} is taken`)
    return { id: given, state: ids.stateAfter(from, given) }
  }
  let generated = ids.next(from)
  for (let left = triesOf(ids); left > 0; left -= 1) {
    if (!(await table.isTaken(generated.id))) return generated
    generated = ids.next(generated.state)
  }
  throw invalidProperty(name, 'has no further values')
}
