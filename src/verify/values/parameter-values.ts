import type { Parameter, Schema } from '../../contract/contract.ts'
import { keyword, typeOf } from './sample.ts'

/** The ends of what a JavaScript number holds exactly, of int64, and the first number beyond it. */
export const EDGES: Readonly<Record<'exact' | 'int64' | 'beyond', string>> = {
  exact: String(Number.MAX_SAFE_INTEGER),
  int64: '9223372036854775807',
  beyond: '9223372036854775808',
}

/** Values of a query or path parameter, as text. */
export interface Values {
  /** In the order in which they tell most. */
  readonly valid: readonly string[]
  readonly invalid: readonly string[]
}

/** The values of a parameter that its schema gives: the ends of its range and each of its enum, and what lies just outside. */
export function valuesOf({ schema, validate }: Parameter): Values {
  const type = typeOf(schema)
  const isNumber = type === 'integer' || type === 'number'
  const listed = keyword(schema, 'enum')
  const minimum = keyword(schema, 'minimum')
  const maximum = keyword(schema, 'maximum')
  const valid = listed ? listed.map(String) : [minimum, maximum].flatMap(textOf)
  const outside = [
    ...lengthsOutside(schema),
    ...[minimum, maximum].flatMap((end, at) =>
      end === undefined ? [] : [String(end + (at === 0 ? -1 : 1))],
    ),
    ...(listed ? ['no-such-value'] : []),
    ...(isNumber || type === 'boolean' ? ['abc'] : []),
    ...(type === 'integer' ? ['1.5', EDGES.beyond] : []),
    ...(keyword(schema, 'format') === 'uuid' ? ['abc'] : []),
  ]

  return {
    valid: valid.filter((text) => validate(read(text, isNumber))),
    // Only what the contract's own check refuses is called invalid; of the digits of a number it sees less than a reader.
    invalid: outside.filter((text) => text === EDGES.beyond || !validate(read(text, isNumber))),
  }
}

function lengthsOutside(schema: Schema): string[] {
  const { minLength = 0, maxLength } = schema
  const short = minLength > 1 ? ['x'.repeat(minLength - 1)] : []
  const long = maxLength !== undefined && maxLength < 1000 ? ['x'.repeat(maxLength + 1)] : []

  return [...short, ...long]
}

function textOf(value: number | undefined): string[] {
  return value === undefined ? [] : [String(value)]
}

function read(text: string, isNumber: boolean): unknown {
  return isNumber && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
}

/** An id that no record has, and others that no record can have, as they stand in a path. */
export function idsOf(parameter: Parameter): {
  readonly absent: readonly string[]
  readonly impossible: readonly string[]
} {
  const { schema } = parameter
  const type = typeOf(schema)
  if (type === 'integer') {
    const isWide = schema.format === 'int64'
    return {
      absent: isWide ? [EDGES.exact, '0', EDGES.int64] : ['2147483647', '0'],
      impossible: ['abc', '1.5', EDGES.beyond],
    }
  }
  if (schema.format === 'uuid') {
    return { absent: ['00000000-0000-4000-8000-000000000000'], impossible: ['abc'] }
  }
  return { absent: type === 'string' ? ['verify-absent'] : [], impossible: [] }
}
