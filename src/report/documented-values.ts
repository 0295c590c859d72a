import type { Operation, Schema } from '../contract/contract.ts'
import { propertiesOf } from '../contract/schema-properties.ts'
import type { ReportEntry } from './report-entry.ts'

/** A schema can contain itself. */
const MAX_DEPTH = 6

/** The enum values of the parameters and the body of an operation, for instance `query.status=sold`. */
export function documentedValues({ parameters, body }: Operation): readonly string[] {
  const ofParameters = parameters.flatMap(({ name, in: location, schema }) =>
    enumValues(schema).map((value) => `${location}.${name}=${value}`),
  )
  const ofBody = body ? valuesInSchema(body.schema, 'body', 0) : []

  return [...new Set([...ofParameters, ...ofBody])]
}

/** All values of a request, in the same form. */
export function coveredValues(
  operation: Operation,
  { target, body }: ReportEntry,
): readonly string[] {
  const [path = '', query = ''] = target.split(/\?(.*)/s)
  const inQuery = [...new URLSearchParams(query)].map(([name, value]) => `query.${name}=${value}`)
  const inBody = operation.body && body ? valuesInBody(body) : []

  return [...inQuery, ...valuesInPath(operation, path), ...inBody]
}

function valuesInPath({ parameters, path }: Operation, sent: string): readonly string[] {
  const segments = sent.split('/')
  return path.split('/').flatMap((segment, at) => {
    const [, name] = /^\{(.+)\}$/.exec(segment) ?? []
    const isParameter = parameters.some((one) => one.in === 'path' && one.name === name)
    return isParameter ? [`path.${name}=${segments[at]}`] : []
  })
}

function valuesInSchema(schema: Schema, path: string, depth: number): readonly string[] {
  if (depth > MAX_DEPTH) return []
  return [
    ...enumValues(schema).map((value) => `${path}=${value}`),
    ...[...propertiesOf(schema)].flatMap(([name, property]) =>
      valuesInSchema(property, `${path}.${name}`, depth + 1),
    ),
    ...(schema.items ? valuesInSchema(schema.items, `${path}[]`, depth + 1) : []),
  ]
}

function valuesInBody(text: string): readonly string[] {
  try {
    return scalars(JSON.parse(text), 'body', 0)
  } catch {
    return []
  }
}

function scalars(value: unknown, path: string, depth: number): readonly string[] {
  if (depth > MAX_DEPTH) return []
  if (Array.isArray(value)) return value.flatMap((item) => scalars(item, `${path}[]`, depth + 1))
  if (typeof value !== 'object' || value === null) return [`${path}=${toText(value)}`]
  return Object.entries(value).flatMap(([name, member]) =>
    scalars(member, `${path}.${name}`, depth + 1),
  )
}

/** The values of `enum` and `const`, also of the parts of a schema. */
function enumValues(schema: Schema): readonly string[] {
  const { allOf = [], anyOf = [], oneOf = [] } = schema
  const own = [...(schema.enum ?? []), ...(schema.const === undefined ? [] : [schema.const])]

  return [...own.map(toText), ...[...allOf, ...anyOf, ...oneOf].flatMap(enumValues)]
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
