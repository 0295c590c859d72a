/** A value as texts, before a schema says what they mean. */
export interface TextNode {
  /** The texts, each of which is the whole value or an item. */
  readonly texts: string[]
  /** The values of an object or list by name or index. */
  readonly children: Map<string, TextNode>
  /** A value that needs no schema to be understood, such as that of a JSON part. */
  readonly value?: unknown
}

export function textNode(texts: readonly string[] = []): TextNode {
  return { texts: [...texts], children: new Map() }
}

export function objectNode(pairs: Iterable<readonly [name: string, text: string]>): TextNode {
  const node = textNode()
  for (const [name, text] of pairs) childOf(node, name).texts.push(text)
  return node
}

function childOf(node: TextNode, name: string): TextNode {
  const known = node.children.get(name)
  if (known) return known
  const child = textNode()
  node.children.set(name, child)
  return child
}

/** `a[b][]` has the name `a` and the steps `b` and the empty one. */
const BRACKETS = /^([^[\]]+)((?:\[[^[\]]*\])+)$/

/** Names with more steps are taken as they are. */
const MAX_STEPS = 30

/** The name before the brackets, and the steps in them; a name without brackets has no steps. */
export function parseBrackets(name: string): readonly [root: string, steps: readonly string[]] {
  const [, root = name, brackets = ''] = BRACKETS.exec(name) ?? []
  const steps = brackets.slice(1, -1).split('][')
  return brackets === '' || steps.length > MAX_STEPS ? [name, []] : [root, steps]
}

/** Adds a text or a part at the end of the steps. An empty step is the next item of a list. */
export function addAt(node: TextNode, steps: readonly string[], part: TextNode | string): void {
  let at = node
  for (const [index, step] of steps.entries()) {
    const next = steps[index + 1]
    if (step !== '') at = childOf(at, step)
    else if (next !== undefined) at = nextItem(at, next)
  }
  if (typeof part === 'string') at.texts.push(part)
  else addPart(at, part)
}

function addPart(node: TextNode, part: TextNode): void {
  if ('value' in part) node.children.set(String(node.children.size), part)
  else node.texts.push(...part.texts)
}

/** The last item of a list of objects while it has no such property, else a new one: `a[][x]=1&a[][y]=2` is one item. */
function nextItem(list: TextNode, property: string): TextNode {
  const last = list.children.get(String(list.children.size - 1))
  return last && property !== '' && !last.children.has(property)
    ? last
    : childOf(list, String(list.children.size))
}
