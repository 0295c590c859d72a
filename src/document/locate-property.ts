import { encodeLiteral } from '../contract/path-pattern.ts'
import { isObject } from '../validation/objects.ts'
import { type Document, followRefs, locationOf, resolveRef } from './document.ts'
import type { Pointer, ResolvedValue } from './json-pointer.ts'
import { asArray, asObject } from './json-value.ts'
import type { Place } from './mistake.ts'
import { jsonContent, operationsOf } from './operations.ts'

/**
 * The place of the schema of a property in a collection's records. `path` is the path of the collection, and `names` lead to the
 * property. Without such a schema, it is the place of the path.
 */
export function locateProperty(document: Document, path: string, names: readonly string[]): Place {
  const entries = operationsOf(document).filter(({ template }) => {
    const encoded = encodeLiteral(template)
    return encoded === path || encoded.startsWith(`${path}/{`)
  })
  const schemas = entries.flatMap(({ operation, pointer }) =>
    Object.entries(asObject(operation.responses)).flatMap(([status, response]) => {
      const json = jsonContent(resolveRef(document, response).content)
      const schema = [...pointer, 'responses', status, 'content', json?.key ?? '', 'schema']
      return json ? [{ value: json.media.schema, pointer: schema }] : []
    }),
  )
  for (const schema of schemas) {
    const pointer = findProperty(document, schema, names, 0)
    if (pointer) return locationOf(document, pointer)
  }
  return locationOf(document, ['paths', entries[0]?.template ?? ''], 'key')
}

/** A schema may contain itself. */
const MAX_SEARCH_DEPTH = 50

function findProperty(
  document: Document,
  schema: ResolvedValue,
  [name, ...rest]: readonly string[],
  depth: number,
): Pointer | undefined {
  if (name === undefined) return schema.pointer
  const resolved = followRefs(document, schema)
  if (!resolved || !isObject(resolved.value) || depth > MAX_SEARCH_DEPTH) return undefined
  const { pointer, value } = resolved
  const properties = asObject(value.properties)
  if (Object.hasOwn(properties, name)) {
    const property = { value: properties[name], pointer: [...pointer, 'properties', name] }
    return findProperty(document, property, rest, depth + 1) ?? property.pointer
  }
  const { items, allOf, anyOf, oneOf } = value
  const subschemas = [
    ...(items === undefined ? [] : [{ value: items, pointer: [...pointer, 'items'] }]),
    ...Object.entries({ allOf, anyOf, oneOf }).flatMap(([keyword, branches]) =>
      asArray(branches).map((branch, index) => ({
        value: branch,
        pointer: [...pointer, keyword, String(index)],
      })),
    ),
  ]
  for (const subschema of subschemas) {
    const found = findProperty(document, subschema, [name, ...rest], depth + 1)
    if (found) return found
  }
  return undefined
}
