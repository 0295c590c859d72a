import { isNode, listOf, type Node } from './node.ts'

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
  const isApart = Object.keys(beside).every((key) => !(key in only))

  return isApart ? { ...only, ...beside } : undefined
}

function nullType(type: unknown): Node {
  return type === undefined ? {} : { type: [...new Set([type, 'null'].flat())] }
}

function nullValue(values: unknown): Node {
  return Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {}
}
