import type { Schema } from '../contract/contract.ts'
import { areEqual } from '../validation/objects.ts'
import { demandedValues, isForbidden, isRecursive, itemSchemas, limitOf } from './constraints.ts'
import { schemaOf, schemasOf, sharedList } from './keywords.ts'
import { containsLimits, matches } from './matches.ts'
import { itemPlace, MAX_VALUES, type Maker, type Place } from './place.ts'

/** No list has more items. */
const MAX_DEMANDED = 3000

/** How many times an item is made anew because it equals an earlier one. */
const MAX_TRIES = 12

/** A list whose items match all of the schemas; `undefined` when it cannot be made. */
export function listValue(
  applied: readonly Schema[],
  open: ReadonlySet<Schema>,
  place: Place,
  maker: Maker,
): unknown {
  const min = limitOf(applied, 'minItems', Math.max) ?? 0
  const max = limitOf(applied, 'maxItems', Math.min) ?? Number.POSITIVE_INFINITY
  const contained = applied.flatMap((schema) => containedBy(schema))
  const demanded = Math.max(min, ...contained.map(({ min }) => min))
  if (demanded > max)
    return maker.fail(place, `no list has at least ${demanded} and at most ${max} items`)
  if (demanded > MAX_DEMANDED)
    return maker.fail(place, `lists of ${demanded} items are not generated`)
  if (applied.some((schema) => demandedValues(schema) > MAX_VALUES))
    return maker.fail(place, `values with more than ${MAX_VALUES} values are not generated`)

  const isDistinct = applied.some(({ uniqueItems }) => uniqueItems === true)
  const prefix = Math.max(0, ...applied.map((schema) => schemasOf(schema, 'prefixItems').length))
  const usual = usualLength(applied, open, place, maker)
  const wanted = Math.min(max, Math.max(demanded, usual, maker.isSmall ? 0 : prefix))
  const items: unknown[] = []
  for (let at = 0; at < wanted; at += 1) {
    const schemas = itemSchemas(applied, at)
    if (isForbidden(schemas)) break
    const item = makeItem(
      { schemas, at, items, isDistinct, contained },
      itemPlace(place, at, open),
      maker,
    )
    if (item === undefined) break
    items.push(item)
  }
  if (items.length < demanded) {
    return maker.fail(place, `it needs ${demanded} items, and only ${items.length} can be made`)
  }
  return items
}

interface Contained {
  readonly schema: Schema
  readonly min: number
  readonly max: number
}

function containedBy(schema: Schema): readonly Contained[] {
  const contains = schemaOf(schema, 'contains')
  if (!contains) return []
  const [min, max] = containsLimits(schema)
  return [{ schema: contains, min, max }]
}

/** How many items a list has if its schema leaves it open. */
function usualLength(
  applied: readonly Schema[],
  open: ReadonlySet<Schema>,
  place: Place,
  maker: Maker,
): number {
  const schemas = itemSchemas(applied, 0)
  if (schemas.length === 0 || isRecursive(schemas, open)) return 0
  // An empty list shows nothing, so that of a small value has an item if it is all that there is.
  if (maker.isSmall) return place.depth === 0 ? 1 : 0

  return place.random.part('length').integer(1, place.depth < 3 ? 3 : 2)
}

interface ItemRequest {
  readonly schemas: readonly Schema[]
  readonly at: number
  readonly items: readonly unknown[]
  readonly isDistinct: boolean
  readonly contained: readonly Contained[]
}

function makeItem(
  { schemas, at, items, isDistinct, contained }: ItemRequest,
  place: Place,
  maker: Maker,
): unknown {
  const needed = contained.filter(({ min }) => at < min).map(({ schema }) => schema)
  const full = contained.filter(({ max }) => at >= max).map(({ schema }) => ({ not: schema }))
  const all = sharedList([...schemas, ...needed, ...full])
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const random = attempt === 0 ? place.random : place.random.part(`again ${attempt}`)
    const hasExamples = attempt === 0 && place.hasExamples
    const item = maker.make(all, { ...place, random, hasExamples })
    if (item === undefined) return undefined
    if (!isDistinct || items.every((other) => !areEqual(other, item))) return item
  }
  return leftOver(all, items)
}

/** One of the listed values that is not in the list yet. */
function leftOver(schemas: readonly Schema[], items: readonly unknown[]): unknown {
  const listed = schemas.flatMap((schema) => schema.enum ?? [])
  return [
    ...listed,
    true,
    false,
    null,
    ...Array.from({ length: items.length + 1 }, (_, at) => at),
  ].find(
    (value) =>
      schemas.every((schema) => matches(schema, value)) &&
      items.every((other) => !areEqual(other, value)),
  )
}
