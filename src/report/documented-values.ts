import type { Operation, Schema } from '../contract/contract.ts'
import { propertiesOf } from '../contract/schema-properties.ts'
import type { Entry } from './entry.ts'

/** Schemas are followed so deep, as a few contain themselves. */
const DEEPEST = 6

/** The values that a document lists for the parameters and the body of an operation, as `query.status=sold`. */
export function documentedValues({ parameters, body }: Operation): readonly string[] {
  const listed = parameters.flatMap(({ name, in: place, schema }) =>
    enumOf(schema).map((value) => `${place}.${name}=${value}`),
  )
  return [...new Set([...listed, ...(body ? listedIn(body.schema, 'body', 0) : [])])]
}

/** Of those, the ones that a request had and that were not refused for being wrong. */
export function coveredValues(
  { parameters, path, body }: Operation,
  entry: Entry,
): readonly string[] {
  const [sentPath = '', query = ''] = entry.target.split(/\?(.*)/s)
  const sent = new URLSearchParams(query)
  const inQuery = [...sent].map(([name, value]) => `query.${name}=${value}`)
  const steps = sentPath.split('/')
  const inPath = path.split('/').flatMap((step, at) => {
    const [, name] = /^\{(.+)\}$/.exec(step) ?? []
    const known = parameters.some((one) => one.in === 'path' && one.name === name)
    return known ? [`path.${name}=${steps[at]}`] : []
  })
  return [...inQuery, ...inPath, ...(body && entry.body ? sentIn(entry.body) : [])]
}

function listedIn(schema: Schema, place: string, depth: number): readonly string[] {
  if (depth > DEEPEST) return []
  return [
    ...enumOf(schema).map((value) => `${place}=${value}`),
    ...[...propertiesOf(schema)].flatMap(([name, inner]) =>
      listedIn(inner, `${place}.${name}`, depth + 1),
    ),
    ...(schema.items ? listedIn(schema.items, `${place}[]`, depth + 1) : []),
  ]
}

function sentIn(text: string): readonly string[] {
  try {
    return leaves(JSON.parse(text), 'body', 0)
  } catch {
    return []
  }
}

function leaves(value: unknown, place: string, depth: number): readonly string[] {
  if (depth > DEEPEST) return []
  if (Array.isArray(value)) return value.flatMap((one) => leaves(one, `${place}[]`, depth + 1))
  if (typeof value !== 'object' || value === null) return [`${place}=${shownValue(value)}`]
  return Object.entries(value).flatMap(([name, one]) => leaves(one, `${place}.${name}`, depth + 1))
}

/** A list of values stands in the schema, in its branches, or with the items of an array. */
function enumOf(schema: Schema): readonly string[] {
  const { allOf = [], anyOf = [], oneOf = [] } = schema
  const here = [...(schema.enum ?? []), ...(schema.const === undefined ? [] : [schema.const])]
  const inner = [...allOf, ...anyOf, ...oneOf].flatMap(enumOf)

  return [...here.map(shownValue), ...inner]
}

function shownValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
