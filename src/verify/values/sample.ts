import type { RequestBody, Schema } from '../../contract/contract.ts'
import { propertiesOf } from '../../contract/schema-properties.ts'
import { getOwn } from '../../validation/own-property.ts'
import { isRow, type Row } from '../row.ts'

/** How a body is made. */
export interface Recipe {
  /** A record of the target: what it refers to is there. */
  readonly model: Row | undefined
  /** Told apart by it: the text of free properties. */
  readonly text: string
  /** Whether properties are filled in that may be left out. */
  readonly isFull: boolean
}

/** A body that the contract allows; `undefined` when none could be made. */
export function sampleBody({ schema, validate }: RequestBody, recipe: Recipe): unknown {
  const modelled = sample(schema, recipe)
  if (validate(modelled)) return modelled
  const plain = sample(schema, { ...recipe, model: undefined })

  return validate(plain) ? plain : undefined
}

/** The names that a schema requires, those of all its parts included. */
export function requiredOf({ required = [], allOf = [] }: Schema): readonly string[] {
  return [...new Set([...required, ...allOf.flatMap(requiredOf)])]
}

/** The first type of a schema or its branches. */
export function typeOf(schema: Schema): string | undefined {
  const [type] = [schema.type].flat().filter((one) => one !== 'null')
  if (type !== undefined) return type
  if (schema.properties) return 'object'
  const { allOf = [], anyOf = [], oneOf = [] } = schema

  return [...allOf, ...anyOf, ...oneOf].map(typeOf).find((one) => one !== undefined)
}

/** A keyword of a schema, or of the parts that it is made of. */
export function keyword<Name extends keyof Schema & string>(
  schema: Schema,
  name: Name,
): Schema[Name] | undefined {
  if (schema[name] !== undefined) return schema[name]
  return schema.allOf?.map((part) => keyword(part, name)).find((value) => value !== undefined)
}

function sample(schema: Schema, recipe: Recipe): unknown {
  if (schema.const !== undefined) return schema.const
  const [first] = keyword(schema, 'enum') ?? []
  if (first !== undefined) return first
  switch (typeOf(schema)) {
    case 'object':
      return sampleObject(schema, recipe)
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => sample(schema.items ?? {}, recipe))
    case 'integer':
    case 'number':
      return sampleNumber(schema)
    case 'boolean':
      return true
    case 'string':
      return sampleText(schema, recipe.text)
    default:
      return schema.default ?? null
  }
}

function sampleObject(schema: Schema, { model, text, isFull }: Recipe): Row {
  const required = requiredOf(schema)
  const wanted = [...propertiesOf(schema)].filter(
    ([name, property]) => required.includes(name) || (isFull && property.$ref === undefined),
  )
  return Object.fromEntries(
    wanted.map(([name, property]) => {
      const known = model?.[name]
      const isOurs = isFreeText(property) || known === undefined || known === null
      const inner = { model: isRow(known) ? known : undefined, text, isFull }
      return [name, isOurs || isRow(known) ? sample(property, inner) : known]
    }),
  )
}

/** Text in which anything may stand. */
function isFreeText(schema: Schema): boolean {
  const isBound = ['enum', 'const', 'format', 'pattern'].some((name) => keyword(schema, name))
  return typeOf(schema) === 'string' && !isBound
}

function sampleNumber(schema: Schema): number {
  const step = typeOf(schema) === 'integer' ? 1 : 0.5
  const least = schema.minimum ?? (schema.exclusiveMinimum ?? 0) + step
  const value = Math.min(Math.max(1, least), schema.maximum ?? Number.POSITIVE_INFINITY)
  const { multipleOf = 0 } = schema

  return multipleOf > 0 ? Math.ceil(value / multipleOf) * multipleOf : value
}

const FORMATS: Readonly<Record<string, string>> = {
  uuid: '00000000-0000-4000-8000-000000000000',
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  email: 'verify@example.com',
  uri: 'https://example.com/verify',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
}

function sampleText(schema: Schema, text: string): string {
  const format = keyword(schema, 'format')
  const known = format === undefined ? undefined : getOwn(FORMATS, format)
  if (known !== undefined) return known
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema

  return text.padEnd(minLength, '-').slice(0, maxLength)
}
