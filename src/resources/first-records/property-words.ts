import { normalizeName } from '../../generate/named-values.ts'

/** The endings of properties that contain an id. */
const ID = /_?(id|ids|uuid|uuids|guid|gid|gids|key|slug)$/

/** What a property's name says about a record that it refers to. */
export interface ReferenceName {
  /** The name of what it refers to, such as `customer` of `customer_ids`. */
  readonly of: string
  /** Whether the name says that it contains ids, such as `customer_id`. */
  readonly hasIdSuffix: boolean
}

/** The parts of a property's name: `customerId` and `customer_ids` refer to a customer, as `customer` and `customers` do. */
export function referenceName(property: string): ReferenceName {
  const name = normalizeName(property)
  const of = name.replace(ID, '')
  return of === ''
    ? { of: name, hasIdSuffix: false }
    : { of: singular(of), hasIdSuffix: of !== name }
}

/** The name of one record of a collection: `category` of `categories`. */
export function singular(name: string): string {
  const plain = normalizeName(name)
  if (/[^aeiou]ies$/.test(plain)) return plain.replace(/ies$/, 'y')
  if (/(ss|sh|ch|x|z)es$/.test(plain)) return plain.replace(/es$/, '')
  if (/(ss|us|is)$/.test(plain)) return plain

  return plain.replace(/s$/, '')
}
