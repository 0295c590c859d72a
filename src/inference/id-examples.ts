import type { Schema } from '../contract/contract.ts'
import { listedValues, plainName, propertiesOf, typesIn } from '../contract/schema.ts'
import { isObject } from '../validation/objects.ts'
import type { Group } from './groups.ts'
import { formsOf } from './id-property.ts'
import type { InferredResource } from './infer-resource.ts'

// Ids that a document shows in other places than the schema of the records: in what refers to them.

/** Adds an id that the document shows elsewhere, where the records' own schema and paths say nothing of the form of theirs. */
export function withIdExample(
  resource: InferredResource,
  { word, parameter, item }: Group,
  idExampleOf: (word: string) => string | undefined,
): InferredResource {
  if (resource.hints.isSingle) return resource
  const property = propertiesOf(resource.context.known ?? {}).get(resource.hints.id)
  const inPaths = item.flatMap(({ parameters }) =>
    parameters.filter((one) => one.in === 'path' && one.name === parameter),
  )
  const schemas = [...(property ? [property] : []), ...inPaths.map(({ schema }) => schema)]
  const isOpen =
    schemas.length > 0 &&
    schemas.every(saysNoForm) &&
    inPaths.every(({ example }) => example === undefined)
  const idExample = isOpen ? idExampleOf(word) : undefined

  return idExample === undefined
    ? resource
    : { ...resource, hints: { ...resource.hints, idExample } }
}

/** Whether a schema allows any text, and shows none. */
function saysNoForm(schema: Schema): boolean {
  const { format, pattern, example, examples, default: usual } = schema
  const said = [format, pattern, example, examples, usual]

  return (
    typesIn(schema).has('string') &&
    listedValues(schema).length === 0 &&
    said.every((one) => one === undefined)
  )
}

/** The names of properties and parameters that contain the id of another record: `user_id` and `organizationId`. */
const REFERENCE = /^(.+?)_?(?:ids?|sid|gid|uuid|I[Dd]s?)$/

/** An id that says what it is of: `user_2xhFjEI5X2qWRvtV13BzSj8H6Dk` and `file-abc123`. */
const SAYS_ITS_KIND = /^([a-z]+)[_-](?:(?=[A-Za-z]*\d)[A-Za-z0-9]{12,}|abc\d+)$/

/** An id of letters and digits, by which the form of others is known. */
const HAS_FORM = /^(?=.*\d)(?=.*[A-Za-z])[\w.:-]{6,64}$/

/** Keywords whose values are data, and no schemas. */
const DATA: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'enum', 'const'])

/**
 * Finds ids of the records with a word, such as `users`: examples that begin with the word (`user_2xhFjEI5X2qWRvtV13BzSj8H6Dk`), else
 * those of properties and parameters called after it (`user_id`). The document is searched when the first is asked for.
 */
export function createIdExamples(root: object): (word: string) => string | undefined {
  let found: ReadonlyMap<string, string> | undefined
  return (word) => {
    found ??= idExamplesIn(root)
    for (const form of formsOf(word)) {
      const example = found.get(form)
      if (example !== undefined) return example
    }
    return undefined
  }
}

/** The first id for each word, in the plain form of names. */
function idExamplesIn(root: object): ReadonlyMap<string, string> {
  const named = new Map<string, string>()
  const ofKind = new Map<string, string>()
  const add = (ids: Map<string, string>, word: string | undefined, id: string): void => {
    const plain = plainName(word ?? '')
    if (plain !== '' && !ids.has(plain)) ids.set(plain, id)
  }
  const note = (name: string, described: unknown): void => {
    for (const example of examplesOf(described)) {
      if (HAS_FORM.test(example)) add(named, REFERENCE.exec(name)?.[1], example)
      add(ofKind, SAYS_ITS_KIND.exec(example)?.[1], example)
    }
  }
  for (const value of objectsIn(root)) {
    const { properties, name, in: place, schema } = value
    if (isObject(properties))
      for (const [property, own] of Object.entries(properties)) note(property, own)
    if (typeof name === 'string' && typeof place === 'string')
      for (const described of [value, schema]) note(name, described)
  }
  return new Map([...named, ...ofKind])
}

/** The texts that a schema shows as its examples. */
function examplesOf(schema: unknown): readonly string[] {
  if (!isObject(schema)) return []
  const { example, examples } = schema
  return [example, ...(Array.isArray(examples) ? examples : [])].filter(
    (one) => typeof one === 'string',
  )
}

/** The objects in a document, but for those in examples. */
function* objectsIn(root: object): Generator<Readonly<Record<string, unknown>>> {
  const found: object[] = [root]
  const seen = new Set<object>(found)
  // The list grows during the loop.
  for (const value of found) {
    const isList = Array.isArray(value)
    for (const [key, member] of Object.entries(value)) {
      const isNew = typeof member === 'object' && member !== null && !seen.has(member)
      if (!isNew || (!isList && DATA.has(key))) continue
      seen.add(member)
      found.push(member)
    }
    if (isObject(value)) yield value
  }
}
