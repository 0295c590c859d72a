import type { DocumentedExample, MediaType } from '../contract/contract.ts'
import { isObject } from '../validation/objects.ts'

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
  if (typeof value !== 'string') return isValid(value, media) ? { value } : undefined
  if (isText) return { value, isSerialized: true }
  const parsed = parseJson(value)
  // A schema that allows any value allows the text, too, which is hardly what its author means.
  if (isObject(parsed) || Array.isArray(parsed)) {
    if (isValid(parsed, media)) return { value: parsed }
  }
  if (isValid(value, media)) return { value }

  return parsed !== undefined && isValid(parsed, media) ? { value: parsed } : undefined
}

/** An example of a sequence is the list of its items. */
function isValid(value: unknown, { validate, isSequence }: MediaType): boolean {
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
