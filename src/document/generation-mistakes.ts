import type { MissingRecords, MissingResponse } from '../contract/contract.ts'
import { encodeLiteral } from '../contract/path-pattern.ts'
import { isObject } from '../validation/objects.ts'
import { type Document, followRefs, locationOf, resolveRef } from './document.ts'
import { asArray, asObject, type Pointer, type ResolvedValue } from './json-value.ts'
import type { Mistake, Place } from './mistake.ts'
import { jsonContent, operationsOf } from './operations.ts'

/** The mistake because of which a collection starts with fewer records. */
export function recordsMistake(
  document: Document,
  { path, property, reason, count }: MissingRecords,
): Mistake {
  return {
    reason: `records of ${path} cannot be generated: ${reason}`,
    location: locateProperty(document, path, property),
    assumed: count === 0 ? 'the collection starts empty' : `the collection starts with ${count}`,
    help: 'Correct the schema, or give the property an x-faker hint.',
  }
}

/** The mistake because of which a response has no body. */
export function responseMistake(document: Document, missing: MissingResponse): Mistake {
  const { operation, status, mediaType, reason } = missing
  return {
    reason: `no value matches the schema of the ${status} response of ${operation} in ${mediaType}: ${reason}`,
    location: locateResponse(document, missing),
    assumed: 'the response has no valid body',
    help: 'Correct the schema, or add an example that matches it.',
  }
}

/**
 * The place of the schema of a property in a collection's records. `path` is the path of the collection, and `names` lead to the
 * property. Without such a schema, it is the place of the path.
 */
function locateProperty(document: Document, path: string, names: readonly string[]): Place {
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

/** The place of the operation of a response. */
function locateResponse(document: Document, { method, path }: MissingResponse): Place {
  const entry = operationsOf(document).find(
    (one) =>
      one.method === method && (one.template === path || one.template.startsWith(`${path}?`)),
  )
  return locationOf(document, entry?.pointer ?? ['paths'], 'key')
}
