import { itemsOf, propertiesOf, typesIn } from '../../contract/schema.ts'
import { normalizeName } from '../../generate/words.ts'
import { referenceName, singular } from '../../resources/reference-names.ts'
import type { Resource } from '../../resources/resource.ts'
import { segmentsOf } from '../record-address.ts'

// Which properties refer to records of other collections, by their names and descriptions.

/** Names of keys besides the id. */
export const KEY: RegExp = /^(code|slug|key|name|sku|email|username)$/i

/**
 * The properties with ids of records that are below others, and those with more words before the name of what they refer to:
 * `ticketTypeId` of `/events/{eventId}/ticket-types`, and `from_bin_id` of `/bins`. What several collections are called is none.
 */
export function linksByLastWords(
  { id, schema }: Resource,
  resources: readonly Resource[],
): readonly RecordLink[] {
  const named = resources.flatMap((one) => (one.isSingle ? [] : [[nameOf(one), one] as const]))
  return [...propertiesOf(schema)].flatMap(([property, own]) => {
    const { of, hasIdSuffix } = referenceName(property)
    const isText = ['string', 'integer'].some((type) => typesIn(itemsOf(own) ?? own).has(type))
    if (property === id || !hasIdSuffix || !isText) return []
    const fitting = named.filter(([name]) => of === name || of.endsWith(`_${name}`))
    const longest = Math.max(...fitting.map(([name]) => name.length))
    const found = fitting.filter(([name]) => name.length === longest)
    const [only] = found
    return only && found.length === 1 ? [{ property, to: only[1] }] : []
  })
}

/** What a description of a reference begins with: "A location", "The id of the meal plan". */
const DESCRIBED =
  /^(?:(?:the|an?) )?(?:(?:unique )?(?:id|identifier|uuid|key) (?:of|for) )?(?:(?:the|an?|an existing) )?([a-z]+(?: [a-z]+){0,2})/i

/** The properties with ids whose descriptions begin with what they refer to, such as `originId`, "A location". */
export function linksByText(
  { id, schema }: Resource,
  resources: readonly Resource[],
  textOf: (property: string) => string,
): readonly RecordLink[] {
  return [...propertiesOf(schema).keys()].flatMap((property) => {
    const isReference = property !== id && referenceName(property).hasIdSuffix
    const [, said = ''] = (isReference && DESCRIBED.exec(textOf(property))) || []
    const words = said.toLowerCase().split(' ')
    const names = words.map((_, at) => words.slice(0, at + 1).join('_')).reverse()
    const to = names
      .flatMap((name) => resources.filter((one) => !one.isSingle && nameOf(one) === name))
      .at(0)
    return to ? [{ property, to }] : []
  })
}

/** The texts with a property of a record besides its id, such as `voucher_code` with the `code` of one of the `/vouchers`. */
export function linksByKey(
  { schema }: Resource,
  resources: readonly Resource[],
): readonly RecordLink[] {
  return [...propertiesOf(schema).keys()].flatMap((property) => {
    const words = normalizeName(property).split('_')
    const [of, key = ''] = [words.slice(0, -1).join('_'), words.at(-1)]
    const to = resources.find((one) => !one.isSingle && nameOf(one) === of)
    return to && KEY.test(key) && propertiesOf(to.schema).has(key) ? [{ property, to }] : []
  })
}

/** The links of properties that have no other link. */
export function without(
  links: readonly RecordLink[],
  others: readonly RecordLink[],
): readonly RecordLink[] {
  return links.filter(({ property }) => others.every((one) => one.property !== property))
}

/** A property, and the collection to which it refers. */
export interface RecordLink {
  readonly property: string
  readonly to: Resource
}

export function nameOf({ path }: Resource): string {
  return singular(segmentsOf(path).at(-1) ?? '')
}
