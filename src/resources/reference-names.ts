import type { Schema } from '../contract/contract.ts'
import { isObjectSchema, itemsOf, propertiesOf, typesIn } from '../contract/schema.ts'
import { normalizeName } from '../generate/words.ts'
import { otherSpellings } from '../inference/path-shape.ts'
import type { StoredRecord } from '../records/record-table.ts'
import { asType } from '../responses/documented-value.ts'
import { getOwn, isObject, onceByText } from '../validation/objects.ts'
import type { Resource } from './resource.ts'

/**
 * The values of a record that its concrete path names: `org`, `org_id` and `organization_id` of a record below `/organizations/{org}`.
 */
export function parentValues(
  { path, schema, id }: Pick<Resource, 'path' | 'schema' | 'id'>,
  parameters: Readonly<Record<string, unknown>>,
): StoredRecord {
  const known = parentsIn(path).flatMap(({ parameter, names }) => {
    const value = getOwn(parameters, parameter)
    const properties = [...propertiesOf(schema)].filter(
      ([property, own]) =>
        property !== id &&
        names.includes(referenceName(property).of) &&
        !isOnlyObject(own) &&
        !isOfSameKind(own, path),
    )
    // Beside its file, the parent of a comment is the comment to which it replies.
    const others = properties.filter(([property]) => referenceName(property).of !== PARENT)
    const meant = others.length > 0 ? others : properties
    return meant.map(([property, own]) => [property, asType(value, own)] as const)
  })
  return Object.fromEntries(known.filter(([, value]) => value !== undefined))
}

/** Whether a description says that a parent is a record of the same collection: "Parent task identifier" in a task of a list. */
function isOfSameKind({ describedReference = '' }: Schema, path: string): boolean {
  const [, kind] = /^parent (\w+)$/i.exec(describedReference) ?? []
  return kind !== undefined && singular(kind) === singular(path.slice(path.lastIndexOf('/') + 1))
}

/** Whether a property contains no text or number: an object that shows the parent, or a list. */
function isOnlyObject(schema: Schema): boolean {
  const types = typesIn(schema)
  const isScalar = ['string', 'integer', 'number'].some((type) => types.has(type))
  return !isScalar && (isObjectSchema(schema) || itemsOf(schema) !== undefined)
}

/**
 * The values with which a record is created, in which the objects for what its path names have the key that the path has: `owner: { login:
 * 'acme' }` at `/repos/acme`. An object that has it already stays. What the record above is found by comes first.
 */
export function withParentObjects(
  values: StoredRecord,
  { path, schema, id, references = [] }: ParentReferring,
  parameters: Readonly<Record<string, unknown>>,
): StoredRecord {
  const objects = parentsIn(path).flatMap(({ parameter, names }) => {
    const value = getOwn(parameters, parameter)
    const properties = [...propertiesOf(schema)].filter(
      ([name, own]) =>
        value !== undefined &&
        name !== id &&
        names.includes(referenceName(name).of) &&
        isObjectSchema(own) &&
        !itemsOf(own),
    )
    return properties.flatMap(([name, own]) => {
      const present = getOwn(values, name)
      const above = references.find((one) => one.name === name)?.of()
      const keys = above ? [above.id, ...(above.keys ?? [])] : []
      const [key, typed] = keyFor(value, own, keys) ?? []
      if (key === undefined || (isObject(present) && present[key] === typed)) return []
      return [[name, { [key]: typed }] as const]
    })
  })
  return objects.length === 0 ? values : { ...values, ...Object.fromEntries(objects) }
}

type ParentReferring = Pick<Resource, 'path' | 'schema' | 'id' | 'references'>

/** What the object of a record may be named by. Only an id is a number. */
const KEYS = ['id', 'gid', 'uuid', 'sid', 'login', 'username', 'slug', 'key', 'name']

/** The property of an object that can have a value of a path, and the value as it has it. */
function keyFor(
  value: unknown,
  schema: Schema,
  known: readonly string[],
): readonly [name: string, value: unknown] | undefined {
  const properties = propertiesOf(schema)
  for (const key of [...known, ...KEYS]) {
    const own = properties.get(key)
    const typed = own && asType(value, own)
    if (typed !== undefined) return [key, typed]
  }
  return undefined
}

/**
 * The parameters of a path, and what properties with their values are called: `{code}` in `/orgs/{code}` is a `code`, an `org` and an `org_code`, and
 * `{acme_id}` in `/orgs/{acme_id}` is an `acme_org_id`, too.
 */
const parentsIn = onceByText((path): readonly NamedParent[] => {
  const segments = path.split('/')
  return segments.flatMap((segment, at) => {
    const parameter = /^\{([^{}]+)\}$/.exec(segment)?.[1]
    if (parameter === undefined) return []
    const before = segments[at - 1] ?? ''
    const collection = before.startsWith('{') ? [] : [singular(before)]

    // The record right above is also called the parent, and the resource that a comment or an event is about.
    const below = segments.slice(at + 1)
    const isRightAbove = below.length > 0 && !below.some((one) => one.startsWith('{'))
    const kind = collection.map((one) => `${PARENT}_${one}`)
    const above = isRightAbove ? [PARENT, ...kind, 'resource'] : []

    const { of } = referenceName(parameter)
    const called = collection.flatMap((one) => [
      `${one}_${normalizeName(parameter)}`,
      `${of}_${one}`,
    ])

    // A record has an `id` of its own, whatever the parameters above it are called.
    const own = OWN_ID.test(of) ? [] : [of]

    const names = [...own, ...collection, ...called, ...above]
    return [{ parameter, names: [...names, ...names.flatMap(otherSpellings)] }]
  })
})

const PARENT = 'parent'

/** What contains the id of the record itself. */
const OWN_ID = /^(id|uuid|guid|gid|key|slug)$/

/** A parameter of a path, and what properties with its value are called. */
interface NamedParent {
  readonly parameter: string
  readonly names: readonly string[]
}

/** The endings of properties that contain an id. An `orgid` is the id of an org. */
const ID = /(^|_)gids?$|_?(id|ids|uuid|uuids|guid|key|slug)$/

/** What a property's name says about a record that it refers to. */
interface ReferenceName {
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
