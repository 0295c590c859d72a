import type { Schema } from '../contract/contract.ts'
import { escapeKey, isObjectSchema, itemsOf, plainName, propertiesOf } from '../contract/schema.ts'
import { PARTS } from './value-rules.ts'

/** A place in a record by which lists can be filtered or sorted. */
export interface Target {
  /** The name without spelling: that of the property, behind those of the objects around it. */
  readonly plain: string
  /** A name, or a JSON Pointer. */
  readonly place: string
  readonly schema: Schema
}

/**
 * The places of a record: its properties, those of the parts that have them, and what its relationships lead to. `nameOf` has the name in
 * the record of a property that the response may call otherwise.
 */
export function targetsIn(
  schema: Schema,
  nameOf: (property: string) => string = (name) => name,
): readonly Target[] {
  return [...propertiesOf(schema)].flatMap(([shown, property]): readonly Target[] => {
    const target = { plain: plainName(shown), place: nameOf(shown), schema: property }
    if (!isObjectSchema(property)) return [target]
    if (target.plain === RELATIONSHIPS) return [target, ...relatedIn(target)]
    if (!PARTS.test(target.plain)) return [target]
    const inner = innerTargets(target).map((one) => ({
      ...one,
      plain: one.plain.slice(target.plain.length),
    }))
    return [target, ...inner]
  })
}

/** The places of the properties in an object, or in the objects of a list. */
export function innerTargets({ plain, place, schema }: Target): readonly Target[] {
  const outer = place.startsWith('/') ? place : `/${escapeKey(place)}`
  return [...propertiesOf(itemsOf(schema) ?? schema)].map(([name, property]) => ({
    plain: plain + plainName(name),
    place: `${outer}/${escapeKey(name)}`,
    schema: property,
  }))
}

const RELATIONSHIPS = 'relationships'

/** The records that the `relationships` of a record (JSON:API) lead to, each by its name. */
function relatedIn(relationships: Target): readonly Target[] {
  return innerTargets(relationships).flatMap((one) => {
    const plain = one.plain.slice(RELATIONSHIPS.length)
    return innerTargets({ ...one, plain }).flatMap((inner) =>
      inner.plain === `${plain}data` ? [{ ...inner, plain }] : [],
    )
  })
}

/** Whether a property has the properties of another record, or of several. */
export function isReference(schema: Schema): boolean {
  const inner = itemsOf(schema) ?? schema
  return isObjectSchema(inner) && propertiesOf(inner).size > 0
}
