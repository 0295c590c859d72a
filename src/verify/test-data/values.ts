import type { Operation, Parameter, Schema } from '../../contract/contract.ts'
import { propertiesOf } from '../../contract/schema.ts'
import { isObject } from '../../validation/objects.ts'

/** The names of required properties, also of all `allOf` parts. */
export function requiredOf({ required = [], allOf = [] }: Schema): readonly string[] {
  return [...new Set([...required, ...allOf.flatMap(requiredOf)])]
}

/** The first type of a schema or of its parts, other than null. */
export function typeOf(schema: Schema): string | undefined {
  const [type] = [schema.type].flat().filter((one) => one !== 'null')
  if (type !== undefined) return type
  if (schema.properties) return 'object'
  const { allOf = [], anyOf = [], oneOf = [] } = schema

  return [...allOf, ...anyOf, ...oneOf].map(typeOf).find((one) => one !== undefined)
}

export function isNumber(schema: Schema): boolean {
  return ['integer', 'number'].includes(typeOf(schema) ?? '')
}

/** The names of the properties of a schema that are numbers. */
export function numberNames(schema: Schema): readonly string[] {
  return [...propertiesOf(schema)].flatMap(([name, one]) => (isNumber(one) ? [name] : []))
}

/** The value of a keyword of a schema, of its `allOf` parts, or of its only alternative besides null. */
export function keyword<Name extends keyof Schema & string>(
  schema: Schema,
  name: Name,
): Schema[Name] | undefined {
  const { [name]: own, allOf = [] } = withoutNull(schema)
  if (own !== undefined) return own
  return allOf.map((part) => keyword(part, name)).find((value) => value !== undefined)
}

/** A schema with the keywords of its only alternative besides null: some frameworks write each optional property as such a choice. */
export function withoutNull(schema: Schema): Schema {
  const { anyOf, oneOf = anyOf } = schema
  if (oneOf?.length !== 2) return schema
  const [only, another] = oneOf.filter(({ type }) => type !== 'null')
  return only && !another ? { ...only, ...schema } : schema
}

/** Whether a schema is that of a date, with or without a time. */
export function isDate(schema: Schema): boolean {
  return /^date(-time)?$/.test(keyword(schema, 'format') ?? '')
}

/** The largest exact integer of JavaScript, the largest int64, and the integer after that. */
export const INTEGER_LIMITS: Readonly<Record<'exact' | 'int64' | 'beyond', string>> = {
  exact: String(Number.MAX_SAFE_INTEGER),
  int64: '9223372036854775807',
  beyond: '9223372036854775808',
}

/**
 * Texts of a parameter for requests, the most important ones first: valid ones (the limits of its range, its enum), and invalid ones
 * just outside.
 */
export function parameterValues({ schema, validate }: Parameter): {
  readonly valid: readonly string[]
  readonly invalid: readonly string[]
} {
  const type = typeOf(schema)
  const isNumber = type === 'integer' || type === 'number'
  const listed = keyword(schema, 'enum')
  const minimum = keyword(schema, 'minimum')
  const maximum = keyword(schema, 'maximum')
  const valid = listed ? listed.map(String) : [...toTexts(minimum), ...toTexts(maximum)]
  const outside = [
    ...lengthsOutside(schema),
    ...toTexts(minimum, -1),
    ...toTexts(maximum, 1),
    ...(listed ? ['no-such-value'] : []),
    ...(isNumber || type === 'boolean' ? ['abc'] : []),
    ...(type === 'integer' ? ['1.5'] : []),
    ...(type === 'integer' && isLimited(schema) ? [INTEGER_LIMITS.beyond] : []),
    ...(keyword(schema, 'format') === 'uuid' ? ['abc'] : []),
    ...(isDate(schema) ? ['no-date'] : []),
  ]

  return {
    // A service may refuse an integer that many programs round.
    valid: valid.filter((text) => validate(read(text, isNumber)) && !(isNumber && isRounded(text))),
    // The contract decides what is invalid. It cannot see the rounded digits of a large integer.
    invalid: outside.filter(
      (text) => text === INTEGER_LIMITS.beyond || !validate(read(text, isNumber)),
    ),
  }
}

/** Whether 2^63 is no valid integer of a schema. Without a limit, it is one. */
function isLimited(schema: Schema): boolean {
  return (
    /^int(32|64)$/.test(keyword(schema, 'format') ?? '') || keyword(schema, 'maximum') !== undefined
  )
}

function lengthsOutside(schema: Schema): string[] {
  const { minLength = 0, maxLength } = withoutNull(schema)
  const short = minLength > 1 ? ['x'.repeat(minLength - 1)] : []
  const long = maxLength !== undefined && maxLength < 1000 ? ['x'.repeat(maxLength + 1)] : []

  return [...short, ...long]
}

function toTexts(limit: number | undefined, distance = 0): string[] {
  return limit === undefined ? [] : [String(limit + distance)]
}

function isRounded(text: string): boolean {
  return Math.abs(Number(text)) > Number.MAX_SAFE_INTEGER
}

function read(text: string, isNumber: boolean): unknown {
  return isNumber && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
}

/** Ids for paths: valid ids that no record has (`absent`), and invalid ids (`impossible`). */
export function unknownIds({ schema, validate }: Parameter): {
  readonly absent: readonly string[]
  readonly impossible: readonly string[]
} {
  const type = typeOf(schema)
  if (type === 'integer') {
    const isWide = keyword(schema, 'format') === 'int64'
    const absent = isWide ? [INTEGER_LIMITS.exact, '0', INTEGER_LIMITS.int64] : ['2147483647', '0']
    return {
      absent: absent.filter((one) => validate(Number(one))),
      impossible: ['abc', '1.5', ...(isLimited(schema) ? [INTEGER_LIMITS.beyond] : [])],
    }
  }
  const isUuid = keyword(schema, 'format') === 'uuid'
  const absent = isUuid ? '00000000-0000-4000-8000-000000000000' : 'verify-absent'
  return {
    absent: type === 'string' && validate(absent) ? [absent] : [],
    impossible: isUuid ? ['abc'] : [],
  }
}

/** The parameter for the page size of a list, with its limits. */
export interface PageSize {
  readonly name: string
  readonly maximum: number | undefined
  readonly default: number | undefined
}

/** The parameter for the page size of a list; `undefined` when there is none. */
export function pageSizeOf(list: Operation): PageSize | undefined {
  const name = list.hints?.paging?.size ?? 'limit'
  const { schema } = list.parameters.find((one) => one.in === 'query' && one.name === name) ?? {}
  if (!schema) return undefined
  const preset = typeof schema.default === 'number' ? schema.default : undefined

  return { name, maximum: keyword(schema, 'maximum'), default: preset }
}

/** The longest page as part of a query. */
export function longestPage(list: Operation): [name: string, value: string][] {
  const { name = '', maximum } = pageSizeOf(list) ?? {}
  return maximum === undefined ? [] : [[name, String(maximum)]]
}

/** Whether a record has all of the sent values, unchanged. */
export function includesValues(record: unknown, sent: unknown): boolean {
  if (isObject(sent)) {
    return (
      isObject(record) &&
      Object.entries(sent).every(([name, value]) => includesValues(record[name], value))
    )
  }
  return JSON.stringify(record) === JSON.stringify(sent)
}
