import type { Schema, SchemaValidator } from '../../contract/contract.ts'
import type { BodyPlace, EnvelopeFigure } from '../../contract/hints.ts'
import {
  isNumeric,
  parsePointer,
  propertiesOf,
  typesIn,
  withBranches,
} from '../../contract/schema.ts'
import { getOwn, isObject } from '../../validation/objects.ts'
import type { ReadFigure } from './page-figures.ts'

/** What is written into the body of a list. */
export interface EnvelopeFigures {
  /** The figures by their places. */
  readonly envelope: Readonly<Record<BodyPlace, EnvelopeFigure>>
  readonly figure: ReadFigure
  /** The schema of the body, and its check. */
  readonly schema: Schema
  readonly validate: SchemaValidator
}

/** A change of a body at one place. */
type Change = (body: unknown) => unknown

/**
 * A copy of a valid body with true figures. A figure that there is not, such as the link to the page after the last, is `null`
 * or left out, as the schema allows. What would make the body invalid is not written.
 */
export function writeEnvelope(body: unknown, figures: EnvelopeFigures): unknown {
  const { validate } = figures
  const changes = Object.keys(figures.envelope).map((place) => changesAt(place, figures))
  const written = changes.reduce((changed, [first]) => first?.(changed) ?? changed, body)
  if (validate(written)) return written

  return changes.reduce((changed: unknown, possible) => {
    for (const change of possible) {
      const next = change(changed)
      if (validate(next)) return next
    }
    return changed
  }, body)
}

/** What can be written for the figure at a place, the best first. */
function changesAt(place: BodyPlace, figures: EnvelopeFigures): readonly Change[] {
  const { envelope, schema } = figures
  const path = parsePointer(place)
  const own = schemaAt(schema, path)
  const name = envelope[place]
  const value = name && figures.figure(name)
  if (value !== undefined && value !== null)
    return valuesAs(own, value).map((one) => (body) => withValue(body, path, one))

  const group = path.slice(0, -1)
  const setTo =
    (none: unknown): Change =>
    (body) =>
      isObject(valueAt(body, group)) ? withValue(body, path, none) : body
  const remove: Change = (body) => withoutValue(body, path)
  const removeGroup: Change = (body) => withoutValue(body, group)
  const isOptional = !isRequiredIn(schemaAt(schema, group), path.at(-1) ?? '')
  const isLoneGroup =
    group.length > 0 && hasNoFigures(place.slice(0, place.lastIndexOf('/')), figures)

  return [
    ...(typesIn(own).has('null') ? [setTo(null)] : []),
    ...(isLoneGroup ? [removeGroup] : []),
    ...(isOptional ? [remove] : []),
    setTo(isNumeric(own) ? 0 : ''),
  ]
}

/** Whether an object has no figures at all, such as `next: { href }` on the last page. */
function hasNoFigures(group: BodyPlace, { envelope, figure }: EnvelopeFigures): boolean {
  const inside = Object.entries(envelope).filter(([place]) => place.startsWith(`${group}/`))
  return inside.every(([, name]) => (figure(name) ?? null) === null)
}

/** The forms of a value that a schema may allow, the likely one first. A number may be declared as text, and an address as a path. */
function valuesAs(schema: Schema, value: unknown): readonly unknown[] {
  const types = typesIn(schema)
  const isText = types.has('string') && !isNumeric(schema)
  if (typeof value === 'number') return isText ? [String(value)] : [value, String(value)]
  const isNumberText = typeof value === 'string' && String(Number(value)) === value
  if (isNumberText && isNumeric(schema) && !types.has('string')) return [Number(value)]
  const [, path] = /^https?:\/\/[^/]+(\/.*)$/.exec(String(value)) ?? []

  return path === undefined ? [value] : [value, path]
}

function schemaAt(schema: Schema, path: readonly string[]): Schema {
  return path.reduce((at: Schema, key) => propertiesOf(at).get(key) ?? {}, schema)
}

function isRequiredIn(schema: Schema, name: string): boolean {
  return withBranches(schema).some(({ required }) => required?.includes(name))
}

function valueAt(body: unknown, path: readonly string[]): unknown {
  return path.reduce((at, key) => (isObject(at) ? getOwn(at, key) : undefined), body)
}

/** A copy of a body with another value at a place. Objects on the way to it are added. */
function withValue(body: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value
  if (body !== undefined && body !== null && !isObject(body)) return body
  const object = isObject(body) ? body : {}

  return { ...object, [key]: withValue(getOwn(object, key), rest, value) }
}

/** A copy of a body without the value at a place. */
function withoutValue(body: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined || !isObject(body) || !Object.hasOwn(body, key)) return body
  if (rest.length > 0) return { ...body, [key]: withoutValue(body[key], rest) }
  const { [key]: _, ...others } = body

  return others
}
