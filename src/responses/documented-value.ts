import type { MediaType, Operation } from '../contract/contract.ts'
import { generateDocumentedValue } from '../generate/documented-value.ts'
import { isObject } from '../validation/is-object.ts'
import { type AnsweringService, generationTime } from './answering-service.ts'
import { type ExampleContent, firstExample } from './documented-examples.ts'
import { knownValues } from './known-values.ts'

/** What the value of a body is made for. */
export interface ValueContext {
  readonly operation: Operation
  /** The values of the path parameters. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly service: AnsweringService
  /** Values of properties that the body should have where its schema allows them. They precede those of the path. */
  readonly values?: Readonly<Record<string, unknown>>
  /** Whether documented examples are left out. */
  readonly isGenerated?: boolean
}

/** A value, or why there is none. */
export type ValueResult = ExampleContent | { readonly reason: string }

/** How many items a sequence has. */
const SEQUENCE_LENGTH = 3

/**
 * The value of a body: a documented example that is valid by its schema, else a generated value. Properties that the request names
 * have the values of the request, where the schema allows them. `isText`: a text example is the content as it is sent.
 */
export async function documentedValue(
  media: MediaType,
  context: ValueContext,
  isText: boolean,
): Promise<ValueResult> {
  const { operation, parameters, isGenerated = false, values = {} } = context
  const known = { ...knownValues(operation, parameters, media.schema), ...values }
  const example = isGenerated ? undefined : firstExample(media, isText)
  if (example)
    return example.isSerialized ? example : { value: withKnown(example.value, known, media) }

  return generatedValue(media, context, known)
}

async function generatedValue(
  media: MediaType,
  { operation, parameters, service }: ValueContext,
  preset: Readonly<Record<string, unknown>>,
): Promise<ValueResult> {
  const { schema, validate, isSequence } = media
  if (!schema) return { value: {} }
  const request = {
    schema,
    ...(validate && { validate }),
    now: generationTime(service),
    place: placeOf(operation),
  }
  const seed = [service.settings.seed, operation.id, JSON.stringify(parameters)].join(' ')
  if (isSequence) {
    const items = await Promise.all(
      Array.from({ length: SEQUENCE_LENGTH }, (_, index) =>
        generateDocumentedValue({ ...request, seed: `${seed} ${index}` }),
      ),
    )
    const failed = items.find(({ isValid }) => !isValid)
    return failed ? { reason: reasonOf(failed) } : { value: items.map(({ value }) => value) }
  }
  const generated = await generateDocumentedValue({ ...request, seed, preset })
  if (generated.isValid) return { value: generated.value }
  const simple = [[], {}, null].find((value) => validate?.(value))

  return simple === undefined ? { reason: reasonOf(generated) } : { value: simple }
}

function reasonOf({ reason = 'no valid value was found' }: { readonly reason?: string }): string {
  return reason.replace(/\.$/, '')
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
function placeOf({ path }: Operation): string {
  const segments = path.split('/').filter((segment) => segment !== '' && !segment.includes('{'))
  return segments.at(-1) ?? 'value'
}
