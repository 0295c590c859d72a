import type { ValueLimit } from '../../http/body-limits.ts'
import type { Schema } from '../contract.ts'
import { isJson } from '../is-json.ts'
import type { PropertyEncoding } from '../serialization.ts'
import { branchesOf, propertyBranches, typesOf } from './branches.ts'
import { parseJsonText } from './json-text.ts'
import { bracketNode, type FormSource, queryNodes } from './query-nodes.ts'
import { parseBrackets, type TextNode, textNode } from './text-node.ts'

type Encodings = Readonly<Record<string, PropertyEncoding>>

/**
 * The fields of a form as one object. A property is written in the style of its `encoding`, else by repeated names. As common clients
 * do it, nested values may also be written with brackets (`a[b]=1`, `a[]=1`, `a[0]=1`) or as JSON.
 */
export function formNode(
  schema: Schema,
  source: FormSource,
  limit: ValueLimit,
  encoding: Encodings = {},
): TextNode {
  const branches = branchesOf(schema)
  const form = textNode()
  const names = [...source.pairs.keys()].map((name) => {
    const [root] = parseBrackets(name)
    return source.brackets.has(root) && !isNamed(branches, name) ? root : name
  })
  for (const name of new Set(names)) {
    const types = typesOf(propertyBranches(branches, name))
    const own = encoding[name]
    const node =
      own?.style || own?.explode !== undefined ? styled(schema, name, own, source) : undefined
    form.children.set(name, node ?? fieldNode(name, types, own, { source, limit }))
  }
  return form
}

function isNamed(branches: readonly Schema[], name: string): boolean {
  return branches.some(({ properties }) => properties && Object.hasOwn(properties, name))
}

/** A property in the style of its encoding. */
function styled(
  schema: Schema,
  name: string,
  { style, explode }: PropertyEncoding,
  source: FormSource,
): TextNode | undefined {
  const [property] = propertyBranches(branchesOf(schema), name)
  const parameter = {
    name,
    schema: property ?? {},
    ...(style && { style }),
    ...(explode !== undefined && { explode }),
  }
  return queryNodes(parameter, source)[0]
}

/** A property without a style: texts of the same name, and those with brackets. */
function fieldNode(
  name: string,
  types: ReadonlySet<string>,
  encoding: PropertyEncoding | undefined,
  { source, limit }: { readonly source: FormSource; readonly limit: ValueLimit },
): TextNode {
  const texts = (source.pairs.get(name) ?? []).map(source.decode)
  const inBrackets = bracketNode(name, source, texts.length > 0 ? types : new Set())
  if (inBrackets) {
    inBrackets.texts.unshift(...texts)
    return inBrackets
  }
  const value = isJson(encoding?.contentType ?? '')
    ? parseJsonText(texts[0] ?? '', limit)
    : undefined

  return value === undefined ? textNode(texts) : { ...textNode(texts), value }
}
