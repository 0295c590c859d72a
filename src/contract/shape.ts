import type { Schema } from './contract.ts'
import { InexactNumber } from './json.ts'

/** What a schema says of an object's properties, gathered from its branches. */
interface Shape {
  readonly properties: ReadonlyMap<string, Schema>
  /** Whether properties beyond these are the schema's business too, by `additionalProperties` or the like. */
  readonly isOpen: boolean
}

/** How a value is brought into its schema's shape. */
interface Shaping {
  /** Whether missing properties get their `default`. */
  readonly defaults: boolean
  /** Told the place of each property that is dropped. */
  readonly onDrop: (place: string) => void
}

/** The value without the properties that its schema does not know, and with the schema's defaults when asked for. */
export function shape(schema: Schema, value: unknown, place: string, shaping: Shaping): unknown {
  if (Array.isArray(value)) {
    const { items } = schema
    if (!items) return value
    return value.map((item, index) => shape(items, item, `${place}[${index}]`, shaping))
  }
  if (!isObject(value)) return value

  const { properties, isOpen } = shapeOf(schema)
  const kept: [string, unknown][] = []
  for (const [name, inner] of Object.entries(value)) {
    const known = properties.get(name)
    if (known) kept.push([name, shape(known, inner, `${place}.${name}`, shaping)])
    else if (isOpen) kept.push([name, inner])
    else shaping.onDrop(`${place}.${name}`)
  }
  if (shaping.defaults) kept.push(...missingDefaults(properties, value))

  return Object.fromEntries(kept)
}

/** Where in the value a number stands that JavaScript cannot hold exactly, and how it was written. */
export function findInexact(
  value: unknown,
  place: string,
): { place: string; text: string } | undefined {
  if (value instanceof InexactNumber) return { place, text: value.text }
  if (Array.isArray(value)) return firstInexact(value.map((item, at) => [`${place}[${at}]`, item]))
  if (!isObject(value)) return undefined

  return firstInexact(Object.entries(value).map(([name, inner]) => [`${place}.${name}`, inner]))
}

function firstInexact(
  entries: readonly [string, unknown][],
): { place: string; text: string } | undefined {
  for (const [place, value] of entries) {
    const found = findInexact(value, place)
    if (found) return found
  }
  return undefined
}

function missingDefaults(
  properties: ReadonlyMap<string, Schema>,
  value: Readonly<Record<string, unknown>>,
): [string, unknown][] {
  return [...properties]
    .filter(([name, { default: preset }]) => preset !== undefined && !Object.hasOwn(value, name))
    .map(([name, { default: preset }]) => [name, structuredClone(preset)])
}

/** The properties that a schema knows, those of its branches (`allOf`, `anyOf`, `oneOf`) included. */
export function propertiesOf(schema: Schema): ReadonlyMap<string, Schema> {
  return shapeOf(schema).properties
}

const shapes = new WeakMap<Schema, Shape>()

function shapeOf(schema: Schema): Shape {
  const known = shapes.get(schema)
  if (known) return known
  const inner = branchesOf(schema).flatMap((branch) => [...shapeOf(branch).properties])
  const properties = new Map([...inner, ...Object.entries(schema.properties ?? {})])
  // A schema with no word about properties takes any.
  const isSilent = properties.size === 0 && !schema.properties
  const gathered = { properties, isOpen: isSilent || takesMore(schema) }
  shapes.set(schema, gathered)

  return gathered
}

/** Whether it says that there may be more. A branch that adds a demand only, as `required`, says nothing of the kind. */
function takesMore(schema: Schema): boolean {
  if (schema.additionalProperties !== undefined || schema.patternProperties !== undefined)
    return true

  return branchesOf(schema).some((branch) => isAnyObject(branch) || takesMore(branch))
}

function isAnyObject(schema: Schema): boolean {
  const isSilent = !schema.properties && branchesOf(schema).length === 0
  return isSilent && [schema.type].flat().includes('object')
}

function branchesOf({ allOf = [], anyOf = [], oneOf = [] }: Schema): readonly Schema[] {
  return [...allOf, ...anyOf, ...oneOf]
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !(value instanceof InexactNumber)
}
