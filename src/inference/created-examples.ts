import type { DocumentedExample, MediaType, Operation } from '../contract/contract.ts'
import { chooseResponse, contentOf } from '../contract/documented-response.ts'
import { parsePointer, plainName, type SchemaPlace } from '../contract/schema.ts'
import { getOwn, isObject } from '../validation/objects.ts'
import { doneWords } from './action-effects.ts'
import type { ShownValue } from './value-rules.ts'

/** Where the messages of a creation contain the record. */
interface CreationPlaces {
  readonly shown: SchemaPlace | undefined
  readonly sent: SchemaPlace | undefined
  /** The names of the properties that a request can have. */
  readonly names: ReadonlySet<string>
}

/**
 * Reads the examples of a creation's response. Those in its schema are left out: they may be of any record. Without an example of the request,
 * what a request can have was probably sent.
 */
export function shownByCreation(
  creation: Operation | undefined,
  { shown, sent, names }: CreationPlaces,
): ShownValue {
  if (!creation || !shown) return () => undefined
  const { status, documented } = chooseResponse(creation)
  const answers = status < 300 && documented ? contentOf(documented) : []
  const records = answers.flatMap((media) => recordsIn(media, shown.place))
  if (records.length === 0) return () => undefined
  const requests = requestsOf(creation).flatMap((media) => recordsIn(media, sent?.place ?? ''))
  const sendable = new Set([...names].map(plainName))
  const usual = usualWords(creation)
  return (name) => {
    const has = (record: Readonly<Record<string, unknown>>): boolean =>
      getOwn(record, name) !== undefined
    const isSent = requests.length > 0 ? requests.some(has) : sendable.has(plainName(name))
    if (isSent) return undefined
    const values = records.map((record) => getOwn(record, name))
    return values.find((one) => usual.has(plainName(String(one)))) ?? mostCommon(values)
  }
}

/** The words for what a creation does besides, unless its query says otherwise: `active` with `activate`, whose default is true. */
function usualWords({ parameters }: Operation): ReadonlySet<string> {
  const done = parameters.filter(
    ({ in: place, schema }) => place === 'query' && schema.default === true,
  )
  return new Set(done.flatMap(({ name }) => doneWords(name)))
}

function requestsOf({ body }: Operation): readonly Pick<MediaType, 'schema' | 'examples'>[] {
  if (!body) return []
  const { content, schema, example } = body
  return content ?? [{ schema, ...(example !== undefined && { examples: [{ value: example }] }) }]
}

/** The records in the examples of some content itself. */
function recordsIn(
  { schema, examples = [] }: Pick<MediaType, 'schema' | 'examples'>,
  place: string,
): readonly Readonly<Record<string, unknown>>[] {
  const inSchema = [schema?.example, ...[schema?.examples ?? []].flat()].filter(
    (one) => one !== undefined,
  )
  // Those of the schema are the last ones.
  const own = examples.slice(0, Math.max(0, examples.length - inSchema.length))
  return own.flatMap(shownBy).flatMap((body) => {
    const value = parsePointer(place).reduce<unknown>(
      (outer, name) => (isObject(outer) ? getOwn(outer, name) : undefined),
      body,
    )
    return [value].flat().filter(isObject)
  })
}

/** The value of an example, whose text may be what is sent. */
function shownBy({ value }: DocumentedExample): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

/** The value that most of some examples have; of several, the first. */
function mostCommon(values: readonly unknown[]): unknown {
  const known = values.filter((value) => value !== undefined && value !== null)
  const count = (value: unknown): number => known.filter((one) => one === value).length

  return known.reduce((most, one) => (count(one) > count(most) ? one : most), known[0])
}
