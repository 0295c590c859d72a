import type { Schema } from '../contract/contract.ts'
import { isNumeric, itemsOf, plainName, propertiesOf, typesIn } from '../contract/schema.ts'
import type { Group } from './groups.ts'
import { isSameWord, wordsOf } from './id-property.ts'
import { CALLERS, ROLE } from './path-shape.ts'

// Which property of a record names the one above it.

/** A collection that a path may be an alias of, or the other way around. */
export interface AliasCandidate {
  /** Whether the record above shows a list that is called as the collection, such as the `tags` of a task. */
  readonly isListedAbove?: () => boolean
  readonly group: Group
  /** The schemas of its records in responses. */
  readonly schemas: readonly Schema[]
  /** The property that contains the id; empty when nothing describes the records. */
  readonly id: string
  /** The property by which the record above is found that a parameter of the path names, and its schema. */
  readonly keyAbove: (parameter: string) => KeyAbove | undefined
}

interface KeyAbove {
  readonly name: string
  readonly schema?: Schema | undefined
}

/** The last words of names that contain ids. */
const ID_WORDS = /^(ids?|uuid|gid|guid|sid|key|slug|code|name|number)$/

/** What the record right above is called, whatever it is. */
const ANY_PARENT: readonly string[] = ['resource', 'item', 'target', 'subject']

/** A parameter that only one of two paths has. */
interface ParentParameter {
  readonly parameter: string
  /** The segment before it. */
  readonly after: string
  readonly schema?: Schema | undefined
  /** Whether the record right above has it. */
  readonly isLast?: boolean
}

/**
 * The property of a record that has the value of a path parameter, by the name of the parameter or of the collection before it. Records at
 * the other path may have it, or the requests that create them there.
 */
export function parentProperty(
  own: AliasCandidate,
  { parameter, after, schema, isLast = false }: ParentParameter,
  flatter: AliasCandidate = own,
): string | undefined {
  const names = [stemOf(parameter), after.includes('{') ? '' : plainName(after)].filter(Boolean)
  const named = { names, parameter, schema, keyAbove: own.keyAbove }
  const found =
    propertyFor(own, named) ??
    propertyFor(flatter, named) ??
    propertyFor(flatter, { ...named, schemas: sentSchemas(flatter) })

  if (found !== undefined || !isLast) return found
  if (CALLERS.test(after)) return roleIn(own, named)
  const other = propertyFor(own, { ...named, names: ANY_PARENT, isOne: true })
  // A text such as `subject` rather says what a record is about.
  return other?.startsWith('/') || hasIdWord(other ?? '') ? other : undefined
}

/** The only property of a record that names a person by what the person is to it, such as `author_id` for `/users/{username}/posts`. */
function roleIn(own: AliasCandidate, named: WantedProperty): string | undefined {
  const all = own.schemas.flatMap((schema) => [...propertiesOf(schema).keys()])
  const roles = new Set(all.map(stemOf).filter((stem) => ROLE.test(stem)))
  const [only] = roles.size === 1 ? roles : []

  return only === undefined ? undefined : propertyFor(own, { ...named, names: [only], isOne: true })
}

/** The schemas of the records in the requests that create them. */
function sentSchemas({ group }: AliasCandidate): readonly Schema[] {
  const creation = group.collection.find(({ method }) => method === 'POST')
  return creation?.body ? [sentSchema(creation.body.schema)] : []
}

/** What a property is looked for by. */
interface WantedProperty {
  readonly names: readonly string[]
  readonly parameter: string
  /** The schema of the parameter. */
  readonly schema?: Schema | undefined
  /** Finds the property by which the record that the parameter names is found. */
  readonly keyAbove?: AliasCandidate['keyAbove']
  /** The schemas that may have the property. Default: those of the records. */
  readonly schemas?: readonly Schema[]
  /** Whether it is no list. Default: it may be one. */
  readonly isOne?: boolean
}

/** A property of records with one of some names, which has the value of a path parameter. */
export function propertyFor(
  of: Pick<AliasCandidate, 'schemas' | 'id'>,
  { names, parameter, schema, keyAbove, schemas = of.schemas, isOne = false }: WantedProperty,
): string | undefined {
  const properties = new Map(schemas.flatMap((one) => [...propertiesOf(one)]))
  const found = [...properties].flatMap(([name, property]) => {
    if (isOne && itemsOf(property)) return []
    // The id and the key above are read last, as that takes long in a large document.
    if (!names.some((one) => isSameWord(one, stemOf(name))) || name === of.id) return []
    const own = itemsOf(property) ?? property
    const key = keyAbove?.(parameter)
    const isHeld = canHold(own, schema) && !isOtherKind(own, key?.schema)
    if (isScalar(own)) return isHeld ? [{ place: name, isId: hasIdWord(name) }] : []
    const inner = keyWithin(own, { parameter, schema, key })
    return inner === undefined ? [] : [{ place: `/${name}/${inner}`, isId: false }]
  })
  const best = found.find(({ isId }) => isId) ?? found[0]

  return best?.place
}

/** A name without the word that says that it contains an id. */
export function stemOf(name: string): string {
  const words = wordsOf(name)
  const isId = words.length > 1 && ID_WORDS.test(words.at(-1) ?? '')
  const stem = (isId ? words.slice(0, -1) : words).join('')

  return ID_WORDS.test(stem) ? '' : stem
}

export function hasIdWord(name: string): boolean {
  return ID_WORDS.test(wordsOf(name).at(-1) ?? '')
}

/** The property of an embedded object by which a path names its record. */
function keyWithin(
  own: Schema,
  {
    parameter,
    schema,
    key,
  }: Pick<WantedProperty, 'parameter' | 'schema'> & { readonly key: KeyAbove | undefined },
): string | undefined {
  const words = wordsOf(parameter)
  const last = words.at(-1) ?? ''
  // `external_id` of a customer has the `external_customer_id`.
  const around = words.map((_, at) => words.toSpliced(at, 1).join(''))
  const named = [...propertiesOf(own).keys()].filter(
    (one) => wordsOf(one).length > 1 && around.includes(plainName(one)),
  )
  const usual = [last, 'id', 'uuid', 'gid', 'login', 'username', 'slug', 'key', 'name']
  return [...named, ...(key === undefined ? [] : [key.name]), ...usual].find((name) => {
    const inner = propertiesOf(own).get(name)
    return inner !== undefined && isScalar(inner) && canHold(inner, schema)
  })
}

export function isScalar(schema: Schema): boolean {
  const types = typesIn(schema)
  return types.has('string') || types.has('integer') || types.has('number')
}

/** Whether a property can have the values of a path parameter. Most documents declare these as texts. */
function canHold(property: Schema, parameter: Schema | undefined): boolean {
  if (!parameter || !isNumeric(parameter)) return true
  return isNumeric(property) || property.format === undefined
}

/** Whether a number stands for what is named by a text: it is another property of the record above, which shows none such. */
function isOtherKind(property: Schema, key: Schema | undefined): boolean {
  const types = typesIn(key ?? {})
  return isNumeric(property) && types.has('string') && !types.has('integer')
}

/** The schema of the record in a request, which may be its only property. */
export function sentSchema(body: Schema): Schema {
  const schema = itemsOf(body) ?? body
  const properties = propertiesOf(schema)
  const [only] = [...properties.values()]

  return properties.size === 1 && only && propertiesOf(only).size > 0 ? only : schema
}
