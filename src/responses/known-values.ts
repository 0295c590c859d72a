import type { Operation, Schema } from '../contract/contract.ts'
import { plainName, propertiesOf, withBranches } from '../contract/schema.ts'

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
