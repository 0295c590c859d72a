import { isNode, listOf, type Node, nodeOf, type Path } from './node.ts'

/** A schema, and the path to it. */
export type Placed = readonly [schema: unknown, path: Path]

/** The keywords that hold schemas: by name, in a list, or one. */
const MAPS = ['properties', 'patternProperties', 'dependentSchemas', '$defs']
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const SINGLES = [
  'items',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'contains',
  'not',
  'if',
  'then',
  'else',
]

/** The schemas directly within a schema, with the path from it to each. */
export function subschemasOf(schema: Node): Placed[] {
  const maps = MAPS.flatMap((key) =>
    Object.entries(nodeOf(schema[key])).map(([name, value]): Placed => [value, [key, name]]),
  )
  const lists = LISTS.flatMap((key) =>
    listOf(schema[key]).map((value, index): Placed => [value, [key, String(index)]]),
  )
  const singles = SINGLES.filter((key) => Object.hasOwn(schema, key)).map(
    (key): Placed => [schema[key], [key]],
  )

  return [...maps, ...lists, ...singles]
}

/**
 * The schema with each schema directly within it replaced; `true` and `false` under a single
 * keyword stay.
 */
export function mapSubschemas(schema: Node, change: (schema: unknown) => Node): Node {
  const changed = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (MAPS.includes(key) && isNode(value)) {
      return [
        key,
        Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, change(inner)])),
      ]
    }
    if (LISTS.includes(key) && Array.isArray(value)) return [key, value.map(change)]

    return [key, SINGLES.includes(key) && isNode(value) ? change(value) : value]
  })

  return Object.fromEntries(changed)
}

/**
 * Says in JSON Schema 2020-12 what OpenAPI 3.0 says with `nullable` and boolean exclusive limits.
 */
export function upgradeSchema(schema: Node): Node {
  return withNull(
    withLimit(withLimit(schema, 'exclusiveMinimum', 'minimum'), 'exclusiveMaximum', 'maximum'),
  )
}

function withLimit(schema: Node, exclusive: string, inclusive: string): Node {
  const { [exclusive]: flag, [inclusive]: limit, ...rest } = schema
  if (typeof flag !== 'boolean') return schema
  if (limit === undefined) return rest

  return { ...rest, [flag ? exclusive : inclusive]: limit }
}

const BRANCHES = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'const']

function withNull(schema: Node): Node {
  const { nullable, ...rest } = schema
  if (nullable === undefined || nullable === false) return rest
  const only = onlyBranch(rest)
  if (only) return withNull({ ...only, nullable })
  if (BRANCHES.some((key) => key in rest)) return { anyOf: [rest, { type: 'null' }] }

  return { ...rest, ...nullType(rest.type), ...nullValue(rest.enum) }
}

/** `allOf` with one schema is how 3.0 says something beside a `$ref`. */
function onlyBranch({ allOf, ...beside }: Node): Node | undefined {
  const [only, ...others] = listOf(allOf)
  if (!isNode(only) || others.length > 0) return undefined
  const isApart = Object.keys(beside).every((key) => !Object.hasOwn(only, key))

  return isApart ? { ...only, ...beside } : undefined
}

function nullType(type: unknown): Node {
  return type === undefined ? {} : { type: [...new Set([type, 'null'].flat())] }
}

function nullValue(values: unknown): Node {
  return Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {}
}
