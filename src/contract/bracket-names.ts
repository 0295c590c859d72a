import { isObject, once, setOwn } from '../validation/objects.ts'
import type { Schema } from './contract.ts'
import { parseBrackets } from './meanings.ts'

// Forms write `book[title]` for the title in an object `book`. Some documents declare a property by that name.

/** A schema whose properties with brackets are in objects: `book[title]` is the `title` of `book`. Another schema is returned as it is. */
export const nestedSchema: (schema: Schema) => Schema = once((schema) => {
  const { properties = {}, required } = schema
  if (!Object.keys(properties).some(isBracketed)) return schema
  const nested: Record<string, Schema> = {}
  for (const [name, property] of Object.entries(properties)) {
    const [root, steps] = stepsOf(name)
    setOwn(nested, root, withProperty(nested[root], steps, property))
  }
  const roots = required?.map((name) => stepsOf(name)[0])

  return { ...schema, properties: nested, ...(roots && { required: [...new Set(roots)] }) }
})

function withProperty(
  schema: Schema | undefined,
  [name, ...rest]: readonly string[],
  property: Schema,
): Schema {
  if (name === undefined) return property
  const inner = schema?.properties ?? {}
  return {
    type: 'object',
    properties: { ...inner, [name]: withProperty(inner[name], rest, property) },
  }
}

/** The value of a form whose schema is nested so. Another value is returned as it is. */
export function nestedValue(value: unknown): unknown {
  if (!isObject(value) || !Object.keys(value).some(isBracketed)) return value
  const nested: Record<string, unknown> = {}
  for (const [name, inner] of Object.entries(value)) {
    const [root, steps] = stepsOf(name)
    setOwn(nested, root, withInner(nested[root], steps, inner))
  }
  return nested
}

function withInner(value: unknown, [name, ...rest]: readonly string[], inner: unknown): unknown {
  if (name === undefined) return inner
  const copy: Record<string, unknown> = isObject(value) ? { ...value } : {}
  setOwn(copy, name, withInner(copy[name], rest, inner))

  return copy
}

function isBracketed(name: string): boolean {
  return parseBrackets(name)[1].length > 0
}

/** The name before the brackets, and the names in them. The empty ones of lists, as in `tags[]`, are left out. */
function stepsOf(name: string): readonly [root: string, steps: readonly string[]] {
  const [root, steps] = parseBrackets(name)
  return [root, steps.filter((step) => step !== '')]
}
