import type { Id } from '../../records/record-table.ts'
import { type GeneratedId, type IdGenerator, triesOf } from '../id-generator.ts'

/** The next id that is not taken; `undefined` when all of them are. */
export function nextFreeId(
  ids: IdGenerator,
  state: number,
  isTaken: (id: Id) => boolean,
): GeneratedId | undefined {
  const tries = triesOf(ids)
  let generated = ids.next(state)
  for (let tried = 1; isTaken(generated.id); tried += 1) {
    if (tried >= tries) return undefined
    generated = ids.next(generated.state)
  }
  return generated
}
