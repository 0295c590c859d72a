import type { MediaType, Schema, SchemaValidator } from '../contract/contract.ts'
import { generateDocumentedValue } from '../generate/generate-value.ts'
import { isObject } from '../validation/objects.ts'
import { generationTime } from './answering-service.ts'
import type { ValueContext, ValueResult } from './documented-value.ts'

/**
 * A value that is valid by the schema of a media type: the given one, else one that keeps of it what the schema allows. What the
 * schema requires in addition is generated.
 */
export async function fitValue(
  value: unknown,
  { schema, validate }: MediaType,
  context: ValueContext,
): Promise<ValueResult> {
  if (!schema || !validate || validate(value)) return { value }
  if (isObject(value)) {
    const fitted = await completed(value, schema, validate, context)
    if (fitted !== undefined) return { value: fitted }
  }
  if (Array.isArray(value)) {
    const items = await fitItems(value, schema, validate, context)
    if (validate(items)) return { value: items }
  }
  return { reason: 'the value of the operation does not match its schema' }
}

/** An object with the given properties that its schema allows; `undefined` when none is valid. */
async function completed(
  value: Readonly<Record<string, unknown>>,
  schema: Schema,
  validate: SchemaValidator,
  { operation, service }: ValueContext,
): Promise<unknown> {
  const identity = JSON.stringify(value.id ?? Object.values(value)[0])
  const generated = await generateDocumentedValue({
    schema,
    validate,
    seed: [service.settings.seed, operation.id, identity].join(' '),
    now: generationTime(service),
    locale: service.settings.locale,
    preset: value,
  })
  return generated.isValid ? generated.value : undefined
}

/** The items of a list, each completed if it has to be. */
function fitItems(
  items: readonly unknown[],
  schema: Schema,
  validate: SchemaValidator,
  context: ValueContext,
): Promise<readonly unknown[]> {
  const isValid: SchemaValidator = (item) => validate([item])
  return Promise.all(
    items.map(async (item) => {
      if (isValid(item) || !isObject(item) || !schema.items) return item
      return (await completed(item, schema.items, isValid, context)) ?? item
    }),
  )
}
