import { objectNode, type TextNode, textNode } from './text-node.ts'

/** How a list or object is written in one text. */
export interface Delimited {
  /** Between items. It is looked for before decoding, because an encoded delimiter is part of an item. */
  readonly delimiter: RegExp
  /** Between properties that are written as `name=value`, where values may contain the delimiter. */
  readonly beforeName?: RegExp
  /** Whether the properties of an object are written as `name=value`, else as alternating names and values. */
  readonly hasNames?: boolean
  readonly decode: (raw: string) => string
}

/** The items of a text. A text without a delimiter may have been encoded as a whole: then the second node has its parts. */
export function listNodes(
  raws: readonly string[],
  { delimiter, decode }: Delimited,
): readonly TextNode[] {
  const documented = raws.flatMap((raw) => raw.split(delimiter)).map(decode)
  const nodes = [textNode(documented)]
  const [only = ''] = documented
  const parts = only.split(delimiter)
  if (documented.length === 1 && parts.length > 1) nodes.push(textNode(parts))
  if (only === '' && documented.length === 1) nodes.push(EMPTY_LIST)

  return nodes
}

/** A list without items, which some styles write as an empty text. */
const EMPTY_LIST: TextNode = { texts: [], children: new Map(), value: [] }

/** The properties in a text. */
export function objectNodes(raw: string, delimited: Delimited): readonly TextNode[] {
  const decoded = delimited.decode(raw)
  const texts = decoded === raw ? [raw] : [raw, decoded]
  return texts
    .map((text) => pairsIn(text, delimited))
    .filter((pairs) => pairs.length > 0)
    .map(objectNode)
}

function pairsIn(
  text: string,
  { delimiter, beforeName = delimiter, hasNames, decode }: Delimited,
): readonly (readonly [string, string])[] {
  if (hasNames) {
    const pairs = text.split(beforeName).map((part) => part.split(/=(.*)/s))
    return pairs.every(({ length }) => length > 1)
      ? pairs.map(([name = '', value = '']) => [decode(name), decode(value)])
      : []
  }
  const parts = text.split(delimiter)
  if (parts.length % 2 === 1) return []
  return parts.flatMap((name, index) =>
    index % 2 === 0 ? [[decode(name), decode(parts[index + 1] ?? '')] as const] : [],
  )
}
