import { encodeLiteral } from '../contract/path-pattern.ts'
import { isObject } from '../validation/is-object.ts'
import { bundleFiles } from './bundle-files.ts'
import { type Document, followRefs, locationOf, resolveRef } from './document.ts'
import type { Pointer, ResolvedValue } from './json-pointer.ts'
import { asArray, asObject } from './json-value.ts'
import type { Place } from './mistake.ts'
import { jsonContent, operationsOf } from './operations.ts'
import { readDocument } from './read-document.ts'
import { type LoadOptions, splitCredentials } from './read-source.ts'

/**
 * The location (`books.yaml:11:30`) of the schema of a property in a collection's records. `path` is the path of the
 * collection, and `names` lead to the property. Without such a schema, it is the location of the path.
 */
export async function locateProperty(
  named: string,
  given: LoadOptions,
  path: string,
  names: readonly string[],
): Promise<string> {
  const { file, options } = splitCredentials(named, given)
  const { source } = await readDocument(file, options)
  const { document } = await bundleFiles(source, options)
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
    if (pointer) return textOf(locationOf(document, pointer))
  }
  return textOf(locationOf(document, ['paths', entries[0]?.template ?? ''], 'key'))
}

function textOf({ source, pointer, part }: Place): string {
  return source.locate(pointer, part)
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
