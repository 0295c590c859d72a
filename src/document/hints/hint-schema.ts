import { isObject } from '../../validation/objects.ts'
import {
  fields,
  integerFrom,
  is,
  listOf,
  oneOf,
  type ValueCheck,
} from '../../validation/value-check.ts'

/** A JSON Schema of a hint, with the keywords that `checkOf` knows. Without any of them, every value is allowed. */
export interface HintSchema {
  /** What the value is, in errors: `a duration such as 30s`; of an enumeration, what its members are, such as `action`. */
  readonly title?: string
  readonly description?: string
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'boolean'
  readonly enum?: readonly string[]
  readonly const?: boolean
  readonly pattern?: string
  readonly minimum?: number
  readonly items?: HintSchema
  readonly properties?: Readonly<Record<string, HintSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: HintSchema | false
  /** The value is as one of these schemas says, of which each is for another type. */
  readonly anyOf?: readonly [HintSchema, ...HintSchema[]]
  readonly default?: unknown
}

/** The check of a hint that does the same as its schema, with errors that name the place and the nearest name. */
export function checkOf(schema: HintSchema): ValueCheck {
  const { title, type, minimum = 0, items = {}, anyOf } = schema
  if (anyOf) {
    const [first, ...others] = anyOf.map((one) => ({ isFor: isFor(one), check: checkOf(one) }))
    return (value, ...rest) =>
      (others.find((one) => one.isFor(value)) ?? first)?.check(value, ...rest)
  }
  if (schema.enum) return oneOf(title ?? 'value', schema.enum)
  if (schema.const !== undefined) return is(String(schema.const), (one) => one === schema.const)
  switch (type) {
    case 'object':
      return objectCheck(schema)
    case 'array':
      return listOf(checkOf(items))
    case 'integer':
      return integerFrom(minimum)
    case 'boolean':
      return is('true or false', (value) => typeof value === 'boolean')
    case 'string':
      return textCheck(schema)
    default:
      return () => undefined
  }
}

/** Whether a value has the type of a schema, so that it is checked by this one. */
function isFor({ const: only, type }: HintSchema): (value: unknown) => boolean {
  if (only !== undefined) return (value) => value === only
  if (type === 'array') return Array.isArray
  return type === 'object' ? isObject : (value) => typeof value === type
}

function textCheck({ title = 'a text', pattern = '' }: HintSchema): ValueCheck {
  const expression = new RegExp(pattern)
  return is(title, (value) => typeof value === 'string' && expression.test(value))
}

function objectCheck({ properties, required, additionalProperties }: HintSchema): ValueCheck {
  if (!additionalProperties) {
    const checks = Object.entries(properties ?? {}).map(([name, one]) => [name, checkOf(one)])
    return fields(Object.fromEntries(checks), required)
  }
  const check = checkOf(additionalProperties)
  return (value, path, mistakes) => {
    if (!isObject(value)) return is('an object', isObject)(value, path, mistakes)
    for (const [name, member] of Object.entries(value)) check(member, [...path, name], mistakes)
  }
}
