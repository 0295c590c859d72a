import type { MediaType, Schema } from '../../contract/contract.ts'
import { propertiesOf, withBranches } from '../../contract/schema.ts'
import { generateDocumentedValue } from '../../generate/generate-value.ts'
import { isObject } from '../../validation/objects.ts'

/** A value in the form of an error, before it says what happened. */
export interface ErrorTemplate {
  readonly value: unknown
  readonly isExample: boolean
  /** Why the value does not match the schema; absent when it does. */
  readonly reason?: string
}

/** How a template is found. */
export interface TemplateOptions {
  readonly status: number
  readonly seed: string
  /** Generated dates count from this time, in epoch milliseconds. */
  readonly now: number
  /** Whether examples of the document are ignored. */
  readonly isDynamic: boolean
}

/** Generated templates by media type. Making one takes longer than the rest of a refusal. */
const generated = new WeakMap<MediaType, Map<string, Promise<ErrorTemplate>>>()

/** A documented example of an error, preferably one that names its status; else a generated value. */
export function errorTemplate(media: MediaType, options: TemplateOptions): Promise<ErrorTemplate> {
  const { status, isDynamic, seed } = options
  const examples = isDynamic ? [] : validExamples(media)
  const example = examples.find((one) => JSON.stringify(one).includes(String(status)))
  const [first] = examples
  if (first !== undefined)
    return Promise.resolve({ value: structuredClone(example ?? first), isExample: true })
  const bySeed = generated.get(media) ?? new Map<string, Promise<ErrorTemplate>>()
  generated.set(media, bySeed)
  const template = bySeed.get(seed) ?? generate(media, options)
  bySeed.set(seed, template)

  return template.then((made) => ({ ...made, value: structuredClone(made.value) }))
}

const examplesOf = new WeakMap<MediaType, readonly unknown[]>()

function validExamples(media: MediaType): readonly unknown[] {
  const known = examplesOf.get(media)
  if (known) return known
  const valid = (media.examples ?? [])
    .map(({ value }) => validExample(value, media))
    .filter((value) => value !== undefined)
  examplesOf.set(media, valid)

  return valid
}

/** The value of an example. A text may be JSON. */
function validExample(value: unknown, { validate }: MediaType): unknown {
  const parsed = typeof value === 'string' ? parseJson(value) : undefined
  return [parsed, value].find((one) => one !== undefined && (validate?.(one) ?? isObject(one)))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function generate(
  { schema = {}, validate }: MediaType,
  { seed, now }: TemplateOptions,
): Promise<ErrorTemplate> {
  const { value, isValid, reason } = await generateDocumentedValue({
    schema,
    seed,
    now,
    place: 'error',
    ...(validate && { validate }),
  })
  if (isValid) return { value, isExample: false }

  return {
    value: value ?? simpleObject(schema),
    isExample: false,
    reason: reason ?? 'no value matches its schema',
  }
}

/** An object with the texts and numbers that a schema names, where no value matches the schema; `undefined` without such. */
function simpleObject(schema: Schema): Readonly<Record<string, unknown>> | undefined {
  const entries = [...propertiesOf(schema)].flatMap(([name, property]): [string, unknown][] => {
    const [type] = withBranches(property).flatMap(({ type: own = [] }) => own)
    if (type === 'integer' || type === 'number') return [[name, 0]]
    return type === 'string' ? [[name, '']] : []
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}
