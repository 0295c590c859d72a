import type { MediaType, Operation, Schema } from '../contract/contract.ts'
import { generateDocumentedValue, type ValueRequest } from '../generate/generate-value.ts'
import { isObject } from '../validation/objects.ts'
import { type AnsweringService, generationTime } from './answering-service.ts'
import type { ContentWriter } from './content/writers.ts'
import { type ExampleContent, firstExample } from './documented-examples.ts'
import { knownValues } from './known-values.ts'

/** What the value of a body is made for. */
export interface ValueContext {
  readonly operation: Operation
  /** The values of the path parameters. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly service: AnsweringService
  /** Whether examples of the document are left out. */
  readonly isGenerated?: boolean
}

/** A value, or why there is none. */
export type ValueResult = ExampleContent | { readonly reason: string }

/** How many items a sequence has. */
const SEQUENCE_LENGTH = 3

/**
 * The value of a body: a documented example that is valid by its schema, else a generated value. Properties that the request names
 * have the values of the request, where the schema allows them.
 */
export async function documentedValue(
  media: MediaType,
  context: ValueContext,
  writer: Pick<ContentWriter, 'takesText' | 'isSequence' | 'sample'>,
): Promise<ValueResult> {
  const { operation, parameters } = context
  const { schema } = media
  const known = knownValues(operation, parameters, schema)
  const example = context.isGenerated ? undefined : firstExample(media, writer.takesText)
  if (example)
    return example.isSerialized ? example : { value: withKnown(example.value, known, media) }

  const { sample } = writer
  if (sample !== undefined && isText(schema) && isValid(sample, media)) return { value: sample }
  const isSequence = media.isSequence || (writer.isSequence && !isList(schema) && !isText(schema))

  return isSequence ? generatedItems(media, context) : generatedValue(media, context, known)
}

/** Whether a schema describes a text, or nothing. */
function isText(schema: Schema | undefined): boolean {
  return !schema || schema.type === 'string' || Object.keys(schema).length === 0
}

function isList(schema: Schema | undefined): boolean {
  return [schema?.type].flat().includes('array')
}

function isValid(value: unknown, { validate }: MediaType): boolean {
  return !validate || validate(value)
}

async function generatedValue(
  media: MediaType,
  context: ValueContext,
  preset: Readonly<Record<string, unknown>>,
): Promise<ValueResult> {
  const request = requestFor(media, context)
  const generated = await generateDocumentedValue({ ...request, preset })
  if (generated.isValid) return { value: generated.value }
  const simple = [[], {}, null].find((value) => isValid(value, media))

  return simple === undefined ? { reason: reasonOf(generated) } : { value: simple }
}

/** The values of a sequence, each by the same schema. */
async function generatedItems(media: MediaType, context: ValueContext): Promise<ValueResult> {
  const request = requestFor(media, context)
  const items = await Promise.all(
    Array.from({ length: SEQUENCE_LENGTH }, (_, index) =>
      generateDocumentedValue({ ...request, seed: `${request.seed} ${index}` }),
    ),
  )
  const failed = items.find((item) => !item.isValid)

  return failed ? { reason: reasonOf(failed) } : { value: items.map(({ value }) => value) }
}

function requestFor(
  { schema = {}, validate }: MediaType,
  { operation, parameters, service }: ValueContext,
): ValueRequest & { readonly seed: string } {
  return {
    schema,
    ...(validate && { validate }),
    seed: [service.settings.seed, operation.id, JSON.stringify(parameters)].join(' '),
    now: generationTime(service),
    locale: service.settings.locale,
    place: placeOf(operation),
  }
}

function reasonOf({ reason = 'no valid value was found' }: { readonly reason?: string }): string {
  return reason
}

/** A value with the known values of its properties, if it is valid with them. */
function withKnown(
  value: unknown,
  known: Readonly<Record<string, unknown>>,
  { validate }: MediaType,
): unknown {
  if (!isObject(value) || Object.keys(known).length === 0) return value
  const changed = { ...value, ...known }

  return !validate || validate(changed) ? changed : value
}

/** What a value is called: the last segment of the path that is no parameter. */
export function placeOf({ path }: Operation): string {
  const segments = path.split('/').filter((segment) => segment !== '' && !segment.includes('{'))
  return segments.at(-1) ?? 'value'
}
