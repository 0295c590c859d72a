import type { Schema } from '../contract/contract.ts'
import { propertiesOf } from '../contract/schema-properties.ts'
import { getOwn } from '../validation/own-property.ts'
import type { Faker } from './create-faker.ts'

/** A value that cannot be generated. */
export class UngenerableValueError extends Error {
  override readonly name = 'UngenerableValueError'
  /** The property names that lead to the value. */
  readonly property: readonly string[]
  /** Whether an `x-faker` hint is the cause. */
  readonly isHinted: boolean

  constructor(property: readonly string[], isHinted: boolean, cause: unknown) {
    const [line = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n')
    super(line.replace(/\.$/, ''), { cause })
    this.property = property
    this.isHinted = isHinted
  }

  /** The same error for the property that contains the value. */
  within(name: string): UngenerableValueError {
    return new UngenerableValueError([name, ...this.property], this.isHinted, this.cause)
  }
}

const WORDS = (
  'amber autumn bridge candle cedar cobalt coral delta ember field forest garden harbour hazel island ivory jade ' +
  'lantern linden marble meadow mirror morning north ocean orchard paper pebble quartz river saffron shadow silver ' +
  'stone summer thistle timber valley velvet violet walnut window winter'
).split(' ')

/** The schemas that are being generated, from the outside. A schema that contains itself would never end. */
type Open = readonly Schema[]

/** The number of schemas inside each other. Values of a large API contain nearly all of its schemas. */
const MAX_DEPTH = 12

/**
 * A plausible value for a schema: by its `x-faker` hint, else by its enum, format and type. Returns `undefined` where a schema
 * contains itself. `place` names the value in errors.
 */
export function generateValue(
  place: string,
  schema: Schema,
  faker: Faker,
  open: Open = [],
): unknown {
  if (open.includes(schema) || open.length >= MAX_DEPTH) return undefined
  const inside = [...open, schema]
  const merged = withAllOf(schema)
  const hint = merged['x-faker']
  if (hint !== undefined) return generateByHint(hint, faker)
  if (merged.const !== undefined) return merged.const
  if (merged.enum) return faker.helpers.arrayElement(merged.enum)
  const branches = merged.oneOf ?? merged.anyOf ?? []
  const branch = branches.find((one) => !inside.includes(one))
  if (branch) return generateValue(place, branch, faker, inside)

  return generateByType(
    place,
    { ...merged, properties: Object.fromEntries(propertiesOf(schema)) },
    faker,
    inside,
  )
}

/** A schema with the keywords of its `allOf`, except properties, which `propertiesOf` collects. */
function withAllOf({ allOf = [], ...own }: Schema): Schema {
  return Object.fromEntries([...allOf.map(withAllOf), own].flatMap((one) => Object.entries(one)))
}

function generateByType(place: string, schema: Schema, faker: Faker, open: Open): unknown {
  const { properties = {} } = schema
  const [type = Object.keys(properties).length > 0 ? 'object' : 'null'] = [schema.type].flat()
  switch (type) {
    case 'integer':
      return faker.number.int({
        ...range(schema, 1, 1000),
        ...(schema.multipleOf && { multipleOf: schema.multipleOf }),
      })
    case 'number':
      return faker.number.float({
        ...range(schema, 0, 1000),
        multipleOf: schema.multipleOf ?? 0.01,
      })
    case 'boolean':
      return faker.datatype.boolean()
    case 'string':
      return generateText(place, schema, faker)
    case 'array':
      return generateArray(place, schema, faker, open)
    case 'object':
      return generateObject(place, Object.entries(properties), faker, open)
    default:
      return null
  }
}

/** An object with a value for each property. */
export function generateObject(
  place: string,
  properties: Iterable<readonly [name: string, schema: Schema]>,
  faker: Faker,
  open: Open = [],
): Record<string, unknown> {
  const values = Array.from(properties, ([name, schema]) => {
    try {
      return [name, generateValue(`${place}.${name}`, schema, faker, open)] as const
    } catch (error) {
      throw error instanceof UngenerableValueError
        ? error.within(name)
        : new UngenerableValueError([name], false, error)
    }
  })
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

/** `x-faker: helpers.arrayElement` or `x-faker: { helpers.arrayElement: [[Bella, Max]] }`: a method and its arguments. */
function generateByHint(hint: unknown, faker: Faker): unknown {
  const [[path, args] = ['', []]] =
    typeof hint === 'object' && hint !== null ? Object.entries(hint) : [[String(hint), []]]
  const [moduleName = '', methodName = ''] = path.split('.')
  try {
    const module = ownOf(faker, moduleName)
    const method = ownOf(module, methodName)
    if (typeof method !== 'function') throw new TypeError(`faker has no ${path}`)
    return Reflect.apply(method, module, Array.isArray(args) ? args : [args])
  } catch (cause) {
    throw new UngenerableValueError([], true, cause)
  }
}

/**
 * An own property only: by what is inherited, `constructor` of `constructor`, a document could have its text run as code.
 */
function ownOf(value: unknown, name: string): unknown {
  return getOwn(Object(value), name)
}

function range(schema: Schema, low: number, width: number): { min: number; max: number } {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, type } = schema
  const step = type === 'number' ? (multipleOf ?? 0.01) : 1
  const lowest = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + step)
  const highest = maximum ?? (exclusiveMaximum === undefined ? undefined : exclusiveMaximum - step)
  const min = lowest ?? Math.min(low, highest ?? low)

  return { min, max: highest ?? min + width }
}

function generateText(place: string, schema: Schema, faker: Faker): string {
  const { format, pattern, minLength = 0, maxLength = 1000 } = schema
  if (pattern !== undefined) return faker.helpers.fromRegExp(pattern.replace(/^\^|\$$/g, ''))
  const word = (): string => faker.helpers.arrayElement(WORDS)
  const number = faker.number.int({ min: 1, max: 999 })
  const formatted: Readonly<Record<string, () => string>> = {
    date: () => faker.date.past({ years: 5 }).toISOString().slice(0, 10),
    'date-time': () => faker.date.past({ years: 5 }).toISOString(),
    email: () => `${word()}.${word()}@example.com`,
    hostname: () => `${word()}.example.com`,
    duration: () => `P${number}D`,
    byte: () => btoa(word()),
    ipv4: () => `192.0.2.${number % 256}`,
    ipv6: () => `2001:db8::${number}`,
    'json-pointer': () => `/${word()}/${number}`,
    time: () => faker.date.past({ years: 5 }).toISOString().slice(11),
    url: () => `https://example.com/${word()}/${number}`,
    uri: () => `https://example.com/${word()}/${number}`,
    'uri-reference': () => `/${word()}/${number}`,
    uuid: () => faker.string.uuid(),
  }
  const make = getOwn(formatted, format ?? '')
  if (make) return make()
  const phrase = `${word()} ${word()}`
  const name = phrase.charAt(0).toUpperCase() + phrase.slice(1)

  return name.padEnd(minLength, ` ${place.slice(0, 1)}`).slice(0, maxLength)
}

function generateArray(place: string, schema: Schema, faker: Faker, open: Open): unknown[] {
  const { items, minItems = 0, maxItems = Math.max(minItems, 3) } = schema
  if (!items) return []
  const min = Math.min(Math.max(minItems, 1), maxItems)
  const length = faker.number.int({ min, max: Math.max(min, Math.min(maxItems, 5)) })
  const values: unknown[] = []
  const seen = new Set<string>()
  for (let tries = 0; values.length < length && tries < length * 50; tries += 1) {
    const value = generateValue(place, items, faker, open)
    const isRepeated = schema.uniqueItems && seen.has(JSON.stringify(value))
    if (value === undefined) return values
    if (!isRepeated) values.push(value)
    seen.add(JSON.stringify(value))
  }
  return values
}
