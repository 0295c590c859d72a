import { asArray, asObject, type JsonObject } from './json-value.ts'
import { mapSubschemas } from './subschemas.ts'

/** The message that a schema describes. Requests have no read-only properties, responses no write-only ones. */
export type Direction = 'request' | 'response'

type AccessKeyword = 'readOnly' | 'writeOnly'

/** A schema without the properties that do not occur in this direction, at any depth. `$ref`s stay as they are. */
export function forDirection(schema: JsonObject, direction: Direction): JsonObject {
  return withoutMarked(schema, direction === 'request' ? 'readOnly' : 'writeOnly', new Set())
}

const BRANCHES = ['allOf', 'anyOf', 'oneOf']

/** `removed` are the properties that enclosing schemas of the same value remove. */
function withoutMarked(
  schema: JsonObject,
  keyword: AccessKeyword,
  removed: ReadonlySet<string>,
): JsonObject {
  const names = new Set([...removed, ...markedProperties(schema, keyword)])
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (BRANCHES.includes(key)) {
      const branches = asArray(value)
      return [[key, branches.map((branch) => withoutMarked(asObject(branch), keyword, names))]]
    }
    if (key === 'properties') return [[key, omit(asObject(value), names)]]
    if (key !== 'required') return [[key, value]]
    const required = asArray(value).filter((name) => !names.has(String(name)))

    return required.length > 0 ? [[key, required]] : []
  })
  const { allOf, anyOf, oneOf, ...rest } = Object.fromEntries(entries)
  const inner = mapSubschemas(rest, (value) => withoutMarked(asObject(value), keyword, new Set()))

  return { ...inner, ...withoutUndefined({ allOf, anyOf, oneOf }) }
}

/** The names of the properties that a schema, or a branch of it, marks with the keyword. */
function markedProperties(schema: JsonObject, keyword: AccessKeyword): string[] {
  const own = Object.entries(asObject(schema.properties)).filter(([, property]) =>
    isMarked(property, keyword),
  )
  const branches = BRANCHES.flatMap((key) => asArray(schema[key]))

  return [
    ...own.map(([name]) => name),
    ...branches.flatMap((branch) => markedProperties(asObject(branch), keyword)),
  ]
}

function isMarked(property: unknown, keyword: AccessKeyword): boolean {
  const { allOf, [keyword]: flag } = asObject(property)

  return flag === true || asArray(allOf).some((branch) => isMarked(branch, keyword))
}

function omit(properties: JsonObject, names: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !names.has(name)))
}

function withoutUndefined(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))
}
