import { isObject, once, onceByText } from '../validation/objects.ts'

/**
 * The format "url", which no specification defines: any absolute URL. Ajv's own refuses those of this machine and of private networks, where
 * the receivers of a developer are.
 */
export const URL_FORMAT: RegExp = /^[a-z][a-z\d+.-]*:\/\/[^\s/?#]\S*$/i

/** A JSON Schema (2020-12). Its `$ref`s are resolved, except where a schema contains itself. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  /** The value that the service sets when a client omits the property: `default` or `x-sandbox: { default: … }`. */
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly multipleOf?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minItems?: number
  readonly maxItems?: number
  readonly readOnly?: boolean
  readonly writeOnly?: boolean
  readonly nullable?: boolean
  /**
   * The values of a text without `enum` that its description lists, as in "It can be `enabled` or `disabled`." Those of an `enum` in the order
   * of the description, where that is another one.
   */
  readonly describedValues?: readonly string[]
  /** `true` where the description says that only some values have it, such as those of records that have failed. */
  readonly describedLater?: true
  /** Whether its description says that only the response of a creation has a value. */
  readonly describedOnce?: true
  /** What the value is the id of, such as `customer`: as its description or its `$ref` says, or the record that a request may expand it to. */
  readonly describedReference?: string
  readonly [keyword: string]: unknown
}

/** A compiled schema: a function that returns whether a value is valid, and then has the `errors` of that value. */
export interface SchemaValidator {
  (value: unknown): boolean
  /** Validates a value in the time that is left for its request. Absent where no value takes long. */
  within?: (value: unknown, time: ValidationTime) => boolean
  /** The errors of the value that was validated last; `null` when it was valid. */
  errors?: readonly ValidationError[] | null
}

/** How many milliseconds the validations of one request took until now, as far as they may take long. They share one limit. */
export interface ValidationTime {
  used: number
}

/** Whether a value of a request is valid. `validate.errors` says why it is not, which may be that no time is left. */
export function isValidIn(
  time: ValidationTime,
  validate: SchemaValidator,
  value: unknown,
): boolean {
  return validate.within ? validate.within(value, time) : validate(value)
}

/** One reason why a value does not match its schema, in Ajv's terms. */
export interface ValidationError {
  /** A JSON Pointer into the validated value. */
  readonly instancePath: string
  /** The keyword of the schema that the value violates. */
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message?: string
}

/** The properties of the objects that match a schema, including those of its branches. */
export interface SchemaProperties {
  readonly properties: ReadonlyMap<string, Schema>
  /** The defaults of the properties that have one. */
  readonly defaults: readonly (readonly [name: string, value: unknown])[]
  /** Whether the schema allows further properties, by `additionalProperties` or similar keywords. */
  readonly isOpen: boolean
}

/** The properties that a schema names, including those of its branches (`allOf`, `anyOf`, `oneOf`). */
export function propertiesOf(schema: Schema): ReadonlyMap<string, Schema> {
  return schemaPropertiesOf(schema).properties
}

const cache = new WeakMap<Schema, SchemaProperties>()

/** The properties of a schema. They are computed once. */
export function schemaPropertiesOf(schema: Schema): SchemaProperties {
  const known = cache.get(schema)
  if (known) return known
  const inherited = branchesOf(schema).flatMap((branch) => [
    ...schemaPropertiesOf(branch).properties,
  ])
  const properties = new Map([...inherited, ...Object.entries(schema.properties ?? {})])
  const defaults = [...properties].flatMap(([name, property]) =>
    property.default === undefined ? [] : [[name, property.default] as const],
  )
  // A schema without a keyword about properties allows any.
  const namesNone = properties.size === 0 && !schema.properties
  const computed = { properties, defaults, isOpen: namesNone || allowsMore(schema) }
  cache.set(schema, computed)

  return computed
}

/** Whether a schema explicitly allows further properties. A branch that only restricts, such as `required`, does not. */
function allowsMore(schema: Schema): boolean {
  if (schema.additionalProperties !== undefined || schema.patternProperties !== undefined)
    return true

  return branchesOf(schema).some((branch) => isAnyObject(branch) || allowsMore(branch))
}

function isAnyObject(schema: Schema): boolean {
  const namesNone = !schema.properties && branchesOf(schema).length === 0
  return namesNone && [schema.type].flat().includes('object')
}

/** The schemas in `allOf`, `anyOf` and `oneOf` of a schema. */
function branchesOf({ allOf = [], anyOf = [], oneOf = [] }: Schema): Schema[] {
  return [...allOf, ...anyOf, ...oneOf]
}

/**
 * A schema and all its branches, at any depth, each once: documents often write `anyOf: [{ type: integer }, { type: 'null' }]`, and
 * some refer to the same branch many times.
 */
export function withBranches(schema: Schema): readonly Schema[] {
  const all = new Set<Schema>()
  const open = [schema]
  for (let one = open.pop(); one; one = open.pop()) {
    if (all.has(one)) continue
    all.add(one)
    // The last one is visited first.
    for (const branch of branchesOf(one).reverse()) open.push(branch)
  }
  return [...all]
}

/** The types that a schema and its branches name; empty when any is allowed. */
export const typesIn: (schema: Schema) => ReadonlySet<string> = once((schema) => {
  const branches = withBranches(schema)
  const types = branches.flatMap(({ type = [] }) => type)
  const values = branches.flatMap((branch) => branch.enum ?? [])
  const isNullable = branches.some(({ nullable }) => nullable === true) || values.includes(null)

  return new Set(isNullable && types.length > 0 ? [...types, 'null'] : types)
})

/** Whether a schema allows numbers. */
export function isNumeric(schema: Schema): boolean {
  const types = typesIn(schema)
  return types.has('integer') || types.has('number')
}

/** The values of the `enum`s and `const`s of a schema and its branches; empty when it lists none. */
export function listedValues(schema: Schema): readonly unknown[] {
  return withBranches(schema).flatMap((branch) => [
    ...(branch.enum ?? []),
    ...('const' in branch ? [branch.const] : []),
  ])
}

/** Whether the values of a schema are objects with any properties. */
export function isFreeObject(schema: Schema): boolean {
  const isAny = isObjectSchema(schema) && propertiesOf(schema).size === 0
  return isAny && !itemsOf(schema) && schema.additionalProperties !== false
}

/** Whether one of some branches is an id, and another the record that has it: a request can expand the one to the other. */
export function isExpandable(branches: readonly Schema[]): boolean {
  const isId = ({ type, enum: values }: Schema): boolean =>
    (type === 'string' || type === 'integer') && values === undefined

  return (
    branches.some(isId) &&
    branches.some((one) => isObjectSchema(one) && ID_NAMES.some((id) => propertiesOf(one).has(id)))
  )
}

const ID_NAMES = ['id', '_id', 'uuid', 'gid', 'sid', 'key']

/** The values of a text that its description lists: it may have others, too, unless it has an `enum`. */
export function describedValues(schema: Schema): readonly string[] {
  return withBranches(schema).flatMap((branch) => branch.describedValues ?? [])
}

/** A schema within the schema of a body, and its place as a JSON Pointer. */
export interface SchemaPlace {
  readonly place: string
  readonly schema: Schema
}

/** How deep envelopes are. */
const MAX_DEPTH = 2

/** The schema of a body and those of the properties in it, from the outside. Those of the items of lists are not among them. */
export function placesIn(body: Schema): readonly SchemaPlace[] {
  const found: SchemaPlace[] = [{ place: '', schema: body }]
  let level: readonly SchemaPlace[] = found
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    level = level.flatMap(({ place, schema }) =>
      isList(schema)
        ? []
        : [...propertiesOf(schema)].map(([name, property]) => ({
            place: `${place}/${escapeKey(name)}`,
            schema: property,
          })),
    )
    found.push(...level)
  }
  return found
}

/** The name at the end of a place, such as `items` of `/data/items`. */
export function nameAt(place: string): string {
  return unescapeKey(place.slice(place.lastIndexOf('/') + 1))
}

export function depthOf(place: string): number {
  return place.split('/').length - 1
}

function isList(schema: Schema): boolean {
  return itemsOf(schema) !== undefined
}

/** The schema of the items of a list; `undefined` when the schema is of no list. */
export const itemsOf: (schema: Schema) => Schema | undefined = once((schema) => {
  const list = withBranches(schema).find(({ type, items }) =>
    type === undefined ? items !== undefined : [type].flat().includes('array'),
  )
  return list && (list.items ?? {})
})

/** The schema of the values of an object that may have any names, such as ids; `undefined` for other schemas. */
function valuesOf(schema: Schema): Schema | undefined {
  if (propertiesOf(schema).size > 0) return undefined
  const map = withBranches(schema).find(({ additionalProperties }) => isMap(additionalProperties))
  const { additionalProperties } = map ?? {}

  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}

const ID_AT_END = /(id|uuid|guid|key|code|slug)$/i

/**
 * The schema of the values of an object that has records by their ids: its names are free, or its only property stands for them all, because it
 * is called like the path parameter with the id; `undefined` for other schemas.
 */
export function valuesById(schema: Schema, parameter: string | undefined): Schema | undefined {
  const [only, ...others] = propertiesOf(schema)
  if (!only) return valuesOf(schema)
  const [name, values] = only
  const isId = ID_AT_END.test(name) && plainName(name) === plainName(parameter ?? '')

  return isId && others.length === 0 && isObjectSchema(values) ? values : undefined
}

/** Whether a schema describes objects. */
export const isObjectSchema: (schema: Schema) => boolean = once((schema) =>
  withBranches(schema).some(
    ({ type, properties, additionalProperties }) =>
      [type].flat().includes('object') ||
      (type === undefined && (properties !== undefined || isMap(additionalProperties))),
  ),
)

/** Whether objects may have properties that their schema does not name, with any values. */
export function allowsAnyProperty(schema: Schema): boolean {
  return withBranches(schema).every(
    ({ additionalProperties = true, unevaluatedProperties = true }) =>
      [additionalProperties, unevaluatedProperties].every(isAnything),
  )
}

function isAnything(schema: unknown): boolean {
  return schema === true || (isMap(schema) && Object.keys(Object(schema)).length === 0)
}

/** The properties that a schema or one of its branches requires. */
export const requiredNames: (schema: Schema) => ReadonlySet<string> = once(
  (schema) => new Set(withBranches(schema).flatMap(({ required = [] }) => required)),
)

function isMap(additional: unknown): boolean {
  return typeof additional === 'object'
}

/** A name as a step of a JSON Pointer (RFC 6901). */
export function escapeKey(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** The place of a property, which may be a name or a JSON pointer already. */
export function pointerTo(place: string): string {
  return place.startsWith('/') ? place : `/${escapeKey(place)}`
}

/** The schema at a place of a body; `undefined` when no property leads there. */
export function schemaAt(body: Schema, place: string): Schema | undefined {
  let schema: Schema | undefined = body
  for (const name of parsePointer(place))
    schema = schema && (propertiesOf(schema).get(name) ?? itemAt(schema, name))

  return schema
}

function itemAt(schema: Schema, name: string): Schema | undefined {
  return name === '0' ? itemsOf(schema) : undefined
}

/** The schema of the record at a place of a body: that of the items where the body has a list of records. */
export function recordSchemaAt(body: Schema, place = ''): Schema | undefined {
  const schema = schemaAt(body, place)
  return schema && (itemsOf(schema) ?? schema)
}

/** The number of schemas inside each other, and of values in all. Deeper and further parts are left out. */
const MAX_PLAIN_DEPTH = 8
const MAX_VALUES = 5000

/**
 * A copy of a schema that JSON can represent. Schemas of a document are shared and may contain themselves: such a schema, and
 * parts of a very large one, are replaced by `{}`, which allows any value.
 */
export function plainSchema(schema: Schema): Schema {
  let left = MAX_VALUES
  const copy = (value: unknown, open: readonly unknown[]): unknown => {
    left -= 1
    if (Array.isArray(value)) return value.map((item) => copy(item, open))
    if (!isObject(value)) return value
    if (open.includes(value) || open.length > 2 * MAX_PLAIN_DEPTH || left < 0) return {}
    const inner = [...open, value]
    const entries = Object.entries(value).filter(([, part]) => typeof part !== 'function')

    return Object.fromEntries(entries.map(([key, part]) => [key, copy(part, inner)]))
  }
  const { examples: _examples, ...rest } = schema
  const copied = copy(rest, [schema])

  return isObject(copied) ? copied : {}
}

const readOnlyCache = new WeakMap<Schema, ReadonlySet<string>>()

/** The properties of a schema that only the service sets, including those of its branches. They are computed once. */
export function readOnlyNames(schema: Schema): ReadonlySet<string> {
  const known = readOnlyCache.get(schema)
  if (known) return known
  const names = new Set(
    withBranches(schema).flatMap(({ properties = {} }) =>
      Object.entries(properties).flatMap(([name, property]) =>
        isReadOnly(property) ? [name] : [],
      ),
    ),
  )
  readOnlyCache.set(schema, names)

  return names
}

/** Whether a schema is read-only: itself, by a part in `allOf`, or by all alternatives besides null. */
function isReadOnly({ readOnly, allOf = [], oneOf = [], anyOf = [] }: Schema): boolean {
  if (readOnly !== undefined) return readOnly
  const alternatives = [...oneOf, ...anyOf].filter(({ type }) => type !== 'null')

  return allOf.some(isReadOnly) || (alternatives.length > 0 && alternatives.every(isReadOnly))
}

/** A name without its spelling: `petId`, `pet_id` and `pet[id]` are the same. */
export const plainName: (name: string) => string = onceByText((name) =>
  name.toLowerCase().replace(/[^a-z0-9]/g, ''),
)

/** The keys and list positions in a JSON Pointer (RFC 6901) that is not percent-encoded. */
export const parsePointer: (pointer: string) => readonly string[] = onceByText((pointer) => {
  const keys = pointer.split('/').slice(1)
  return keys.map(unescapeKey)
})

function unescapeKey(key: string): string {
  return key.includes('~') ? key.replaceAll('~1', '/').replaceAll('~0', '~') : key
}

/** Whether two schemas describe the same records: they are the same, or have the same properties. */
export function isSameRecord(one: Schema, other: Schema): boolean {
  if (one === other) return true
  const names = [...propertiesOf(one).keys()]
  const others = propertiesOf(other)

  return names.length > 1 && names.length === others.size && names.every((name) => others.has(name))
}
