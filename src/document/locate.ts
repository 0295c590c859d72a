import { encodeLiteral } from '../contract/path-pattern.ts'
import { type Document, follow, placeOf, resolve } from './document.ts'
import { joinFiles } from './join.ts'
import { isNode, listOf, nodeOf, type Path } from './node.ts'
import { jsonContent, operationsOf } from './operations.ts'
import { type LoadOptions, readRoot } from './read-source.ts'

/**
 * Where a document describes a property of a collection's records, as `books.yaml:11:30`: `path` is the collection's, and
 * `property` are the names that lead to it. Where it does not, the path's place.
 */
export async function locateProperty(
  file: string,
  options: LoadOptions,
  path: string,
  property: readonly string[],
): Promise<string> {
  const document = await joinFiles(await readRoot(file), options)
  const entries = operationsOf(document).filter(({ template }) => {
    const sent = encodeLiteral(template)
    return sent === path || sent.startsWith(`${path}/{`)
  })
  const schemas = entries.flatMap(({ operation, at }) =>
    Object.entries(nodeOf(operation.responses)).flatMap(([status, response]) => {
      const json = jsonContent(resolve(document, response).content)
      const place = [...at, 'responses', status, 'content', json?.key ?? '', 'schema']
      return json ? [{ value: json.media.schema, path: place }] : []
    }),
  )
  for (const schema of schemas) {
    const found = find(document, schema, property, 0)
    if (found) return placeOf(document, found)
  }
  return placeOf(document, ['paths', entries[0]?.template ?? ''], 'key')
}

/** So deep a schema is searched: it may contain itself. */
const DEEPEST = 50

function find(
  document: Document,
  schema: { readonly value: unknown; readonly path: Path },
  [name, ...rest]: readonly string[],
  depth: number,
): Path | undefined {
  if (name === undefined) return schema.path
  const at = follow(document, schema)
  if (!at || !isNode(at.value) || depth > DEEPEST) return undefined
  const { properties, items, allOf, anyOf, oneOf } = at.value
  const own = nodeOf(properties)
  if (Object.hasOwn(own, name)) {
    const property = { value: own[name], path: [...at.path, 'properties', name] }
    return find(document, property, rest, depth + 1) ?? property.path
  }
  const inner = [
    ...(items === undefined ? [] : [{ value: items, path: [...at.path, 'items'] }]),
    ...Object.entries({ allOf, anyOf, oneOf }).flatMap(([key, branches]) =>
      listOf(branches).map((value, index) => ({ value, path: [...at.path, key, String(index)] })),
    ),
  ]
  for (const one of inner) {
    const found = find(document, one, [name, ...rest], depth + 1)
    if (found) return found
  }
  return undefined
}
