import type {
  DocumentedExample,
  MediaType,
  Operation,
  Schema,
  SchemaValidator,
} from '../contract/contract.ts'
import { plainName, propertiesOf, withBranches } from '../contract/schema.ts'
import type { ResponseSource } from '../http/message.ts'
import { isObject, once } from '../validation/objects.ts'
import { type AnsweringService, generateFor, type WantedValue } from './answering-service.ts'
import type { ContentWriter } from './content/writers.ts'
import { withRepeated } from './repeated-values.ts'

/** What the value of a body is made for. */
export interface ValueContext {
  readonly operation: Operation
  /** The values of the path parameters. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly service: AnsweringService
  /** The body of a request whose response has no record: what both have is the same in both. Default: none. */
  readonly sent?: unknown
  /** Whether examples of the document are left out. */
  readonly isGenerated?: boolean
}

/** A value, or why there is none. */
export type ValueResult = ValueContent | { readonly reason: string }

/** The content of a response by a value. */
export interface ValueContent extends ExampleContent {
  /** What the value is made of; default: it is generated. */
  readonly source?: ResponseSource
  /** Why it contains no stored records. */
  readonly sourceReason?: string
  /** Why it does not match its schema; absent when it does. */
  readonly invalid?: string
}

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
  const made = await madeValue(media, context, writer)
  if ('reason' in made || made.isSerialized || !isObject(context.sent)) return made
  return { ...made, value: withRepeated(made.value, context.sent, media) }
}

async function madeValue(
  media: MediaType,
  context: ValueContext,
  writer: Pick<ContentWriter, 'takesText' | 'isSequence' | 'sample'>,
): Promise<ValueResult> {
  const { operation, parameters } = context
  const { schema } = media
  const known = knownValues(operation, parameters, schema)
  const example = context.isGenerated ? undefined : firstExample(media, writer.takesText)
  if (example)
    return example.isSerialized
      ? { ...example, source: 'example' }
      : { value: withKnown(example.value, known, media), source: 'example' }

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
  const wanted = wantedFor(media, context)
  const generated = await generateFor(context.service, { ...wanted, preset })
  if (generated.isValid) return { value: generated.value }
  const simple = [[], {}, null].find((value) => isValid(value, media))

  return simple === undefined ? { reason: reasonOf(generated) } : { value: simple }
}

/** The values of a sequence, each by the same schema. */
async function generatedItems(media: MediaType, context: ValueContext): Promise<ValueResult> {
  const wanted = wantedFor(media, context)
  const items = await Promise.all(
    Array.from({ length: SEQUENCE_LENGTH }, (_, index) =>
      generateFor(context.service, { ...wanted, seed: [...wanted.seed, index] }),
    ),
  )
  const failed = items.find((item) => !item.isValid)

  return failed ? { reason: reasonOf(failed) } : { value: items.map(({ value }) => value) }
}

function wantedFor(
  { schema = {}, validate }: MediaType,
  { operation, parameters }: ValueContext,
): WantedValue {
  return {
    schema,
    ...(validate && { validate }),
    seed: [operation.id, JSON.stringify(parameters)],
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
export const placeOf: (operation: Operation) => string = once(({ path }) => {
  const segments = path.split('/').filter((segment) => segment !== '' && !segment.includes('{'))
  return segments.at(-1) ?? 'value'
})

/** The content of a response by an example. */
export interface ExampleContent {
  readonly value: unknown
  /** Whether the value is the text as it is sent. */
  readonly isSerialized?: true
}

/** The first example that each media type can send. Examples never change, and validating them takes time. */
const firsts = new WeakMap<MediaType, ExampleContent | undefined>()

/** The first example of a media type that is valid by its schema. `isText`: a text may be the content as it is sent. */
export function firstExample(media: MediaType, isText: boolean): ExampleContent | undefined {
  if (firsts.has(media)) return firsts.get(media)
  let first: ExampleContent | undefined
  for (const example of media.examples ?? []) {
    first ??= contentOfExample(example, media, isText)
  }
  firsts.set(media, first)

  return first
}

/** The example with a name, if it is valid by its schema. */
export function namedExample(
  name: string,
  media: MediaType,
  isText: boolean,
): ExampleContent | undefined {
  const example = media.examples?.find((one) => one.name === name)
  return example && contentOfExample(example, media, isText)
}

function contentOfExample(
  { value }: DocumentedExample,
  media: MediaType,
  isText: boolean,
): ExampleContent | undefined {
  if (typeof value !== 'string') return isValidExample(value, media) ? { value } : undefined
  if (isText) return { value, isSerialized: true }
  const parsed = parseJson(value)
  // A schema that allows any value allows the text, too, which is hardly what its author means.
  if (isObject(parsed) || Array.isArray(parsed)) {
    if (isValidExample(parsed, media)) return { value: parsed }
  }
  if (isValidExample(value, media)) return { value }

  return parsed !== undefined && isValidExample(parsed, media) ? { value: parsed } : undefined
}

/** An example of a sequence is the list of its items. */
function isValidExample(value: unknown, { validate, isSequence }: MediaType): boolean {
  if (!validate) return true
  if (!isSequence) return validate(value)

  return Array.isArray(value) && value.every((item) => validate(item))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type PathValues = Readonly<Record<string, unknown>>

/**
 * The values of a response's properties that the request's path names: a property with the name of a path parameter, and `id` for
 * the parameter at the end of the path.
 */
export function knownValues(
  { path }: Pick<Operation, 'path'>,
  parameters: PathValues,
  schema: Schema | undefined,
): PathValues {
  if (!schema) return {}
  const properties = propertiesOf(schema)
  const names = [...properties.keys()]
  const last = /\{([^{}]+)\}$/.exec(path)?.[1]
  const known = Object.entries(parameters).flatMap(([parameter, value]) => {
    const same = names.find((name) => plainName(name) === plainName(parameter))
    const name = same ?? (parameter === last && names.includes('id') ? 'id' : undefined)
    const typed = name === undefined ? undefined : asType(value, properties.get(name) ?? {})
    return name === undefined || typed === undefined ? [] : [[name, typed] as const]
  })

  return Object.fromEntries(known)
}

/** A value of a parameter as a property has it; `undefined` when the types differ. */
export function asType(value: unknown, schema: Schema): unknown {
  const types = withBranches(schema).flatMap(({ type = [] }) => type)
  if (types.length === 0) return value
  if (typeof value === 'number' && !types.some((type) => type === 'integer' || type === 'number'))
    return types.includes('string') ? String(value) : undefined
  if (typeof value === 'string' && !types.includes('string')) {
    const number = Number(value)
    const isNumber = types.includes('integer') || types.includes('number')
    return isNumber && String(number) === value ? number : undefined
  }
  return typeof value === 'object' ? undefined : value
}

/**
 * A value that is valid by the schema of a media type: the given one, else one that keeps of it what the schema allows. What the
 * schema requires in addition is generated.
 */
export function fitValue(
  value: unknown,
  { schema, validate }: MediaType,
  context: ValueContext,
): ValueResult | Promise<ValueResult> {
  return !schema || !validate || validate(value)
    ? { value }
    : madeToFit(value, schema, validate, context)
}

async function madeToFit(
  value: unknown,
  schema: Schema,
  validate: SchemaValidator,
  context: ValueContext,
): Promise<ValueResult> {
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
  const generated = await generateFor(service, {
    schema,
    validate,
    seed: [operation.id, identity],
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
