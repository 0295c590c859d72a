import type { MediaType } from '../../contract/contract.ts'
import { parsePointer, schemaAt } from '../../contract/schema.ts'
import type { ExampleContent } from '../../responses/documented-examples.ts'
import { type BodyContext, contentFor, type Shown, withValueAt } from './record-body.ts'

/**
 * A body that contains records where no body is valid, such as by two branches of `oneOf` that allow the same. The document then
 * contradicts itself, and clients rather need the records than an empty body.
 */
export async function invalidRecordBody(
  shown: Shown,
  { schema = {} }: MediaType,
  context: BodyContext,
): Promise<ExampleContent | undefined> {
  const { record: place } = context.hints
  if (place === undefined) return undefined
  const value = await contentFor(shown, schemaAt(schema, place) ?? {}, context)

  return value === undefined ? undefined : { value: withValueAt({}, parsePointer(place), value) }
}
