import { setOwn } from '../validation/own-property.ts'
import type { Schema } from './contract.ts'
import { InexactNumber } from './inexact-number.ts'

/** What a schema says of an object's properties, gathered from its branches. */
interface Shape {
  readonly properties: ReadonlyMap<string, Schema>
  /** Those that have a default. */
  readonly presets: readonly (readonly [name: string, preset: unknown])[]
  /** Whether the schema takes properties beyond these, by `additionalProperties` or the like. */
  readonly isOpen: boolean
}

/** How a value is shaped by its schema. */
interface Shaping {
  /** Whether missing properties get their `default`. */
  readonly defaults: boolean
  /** Called with the place of each property that is dropped; left out, none is dropped. */
  readonly onDrop?: (place: string) => void
}

/** A value without the properties that its schema does not know and, if so asked, with the schema's defaults. */
export function normalize(
  schema: Schema,
  value: unknown,
  place: string,
  shaping: Shaping,
): unknown {
  if (Array.isArray(value)) {
    const { items } = schema
    if (!items) return value
    return value.map((item, index) => normalize(items, item, `${place}[${index}]`, shaping))
  }
  if (!isObject(value)) return value

  const { properties, presets, isOpen } = shapeOf(schema)
  const shaped: Record<string, unknown> = {}
  for (const [name, inner] of Object.entries(value)) {
    const known = properties.get(name)
    if (known) setOwn(shaped, name, normalize(known, inner, `${place}.${name}`, shaping))
    else if (isOpen || !shaping.onDrop) setOwn(shaped, name, inner)
    else shaping.onDrop(`${place}.${name}`)
  }
  if (!shaping.defaults) return shaped
  for (const [name, preset] of presets) {
    if (!Object.hasOwn(value, name)) setOwn(shaped, name, structuredClone(preset))
  }
  return shaped
}

/** Where in the value a number stands that JavaScript cannot hold exactly, as `.a[0]`, and how it was written. */
export function findInexactNumber(value: unknown): { place: string; text: string } | undefined {
  if (value instanceof InexactNumber) return { place: '', text: value.text }
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, inner] of Object.entries(value)) {
    const found = findInexactNumber(inner)
    if (!found) continue
    const step = Array.isArray(value) ? `[${name}]` : `.${name}`
    return { place: step + found.place, text: found.text }
  }
  return undefined
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
  const presets = [...properties].flatMap(([name, { default: preset }]) =>
    preset === undefined ? [] : [[name, preset] as const],
  )
  // A schema with no word about properties takes any.
  const isSilent = properties.size === 0 && !schema.properties
  const gathered = { properties, presets, isOpen: isSilent || takesMore(schema) }
  shapes.set(schema, gathered)

  return gathered
}

/**
 * Whether a schema says that there may be more properties. A branch that only demands something, as `required`, does not.
 */
function takesMore(schema: Schema): boolean {
  if (schema.additionalProperties !== undefined || schema.patternProperties !== undefined)
    return true

  return branchesOf(schema).some((branch) => isAnyObject(branch) || takesMore(branch))
}

function isAnyObject(schema: Schema): boolean {
  const isSilent = !schema.properties && branchesOf(schema).length === 0
  return isSilent && [schema.type].flat().includes('object')
}

/** What a schema is joined of by `allOf`, `anyOf` and `oneOf`. */
export function branchesOf({ allOf = [], anyOf = [], oneOf = [] }: Schema): readonly Schema[] {
  return [...allOf, ...anyOf, ...oneOf]
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !(value instanceof InexactNumber)
}
