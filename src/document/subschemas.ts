import { isNode, listOf, type Node, nodeOf, type Path } from './node.ts'

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
export function subschemasOf(schema: Node): [schema: unknown, path: Path][] {
  const maps = MAPS.flatMap((key) =>
    Object.entries(nodeOf(schema[key])).map(([name, value]): [unknown, Path] => [
      value,
      [key, name],
    ]),
  )
  const lists = LISTS.flatMap((key) =>
    listOf(schema[key]).map((value, index): [unknown, Path] => [value, [key, String(index)]]),
  )
  const singles = SINGLES.filter((key) => key in schema).map((key): [unknown, Path] => [
    schema[key],
    [key],
  ])

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
