import type { MediaType } from '../../contract/contract.ts'
import { isJson } from '../../contract/is-json.ts'
import type { ValueResult } from '../../responses/documented-value.ts'
import { areEqualLists } from '../../validation/objects.ts'
import type { Performed } from './perform.ts'
import type { RecordRequest } from './record-request.ts'

/** The JSON text of a body, and what it was made of. */
interface KeptText {
  readonly made: readonly unknown[]
  readonly text: string
}

/** The text of the latest list of each collection, and that of the latest response with each record that was read. */
const kept = new WeakMap<object, KeptText>()

/**
 * A body, as its JSON text where it shows what an earlier one did. Clients read the same records again and again, and records are
 * never changed in place, so the same ones have the same text.
 */
export async function keptBody(
  performed: Performed,
  media: MediaType,
  request: RecordRequest,
  make: () => Promise<ValueResult | undefined>,
): Promise<ValueResult | undefined> {
  const { action } = request.binding
  // A record that is created or changed may never be read.
  if (!(action === 'list' || action === 'read') || media.isSequence || !isJson(media.mediaType))
    return make()
  const owner = action === 'list' ? request.records : performed.shown
  const made = [media, ...ingredientsOf(performed, request)]
  const known = kept.get(owner)
  if (known && areEqualLists(known.made, made)) return { value: known.text, isSerialized: true }
  const result = await make()
  if (!result || 'reason' in result || result.isSerialized) return result
  const text = JSON.stringify(result.value) ?? 'null'
  kept.set(owner, { made, text })

  return { value: text, isSerialized: true }
}

/** What a body depends on, besides its media type. */
function ingredientsOf(
  { shown, figure }: Performed,
  { admitted, binding }: RecordRequest,
): readonly unknown[] {
  const figures = figure ? Object.values(binding.hints.envelope ?? {}).map(figure) : []
  return [binding, ...Object.values(admitted.input.path), ...figures, ...[shown].flat()]
}
