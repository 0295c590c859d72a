import { fromMarkdown } from 'mdast-util-from-markdown'
import type { OperationDocumentation, TextElement, TextPart } from '../contract/documentation.ts'
import { isObject } from '../validation/objects.ts'

/** A node of the syntax tree of CommonMark. */
type Node = ReturnType<typeof fromMarkdown>['children'][number]

/** Longer texts are cut. */
const MAX_LENGTH = 50_000
/**
 * How many marks the texts of one operation have that are parsed. The parser's time grows with the square of them, and the sandbox answers
 * nobody meanwhile. Of public documents, the most is 1,300. The other texts stay as they are written.
 */
const MAX_MARKS = 4000
/** Quotes and lists that are deeper inside each other are left out. */
const MAX_DEPTH = 30

/** A text without these is one paragraph, as it is written. */
const MARK = /[`*_[\]<>&\\#\n]|[-+~]|\d[.)]|^\s/g

/** The keywords whose values are data: a `description` in them describes nothing. */
const DATA: ReadonlySet<string> = new Set([
  ...['example', 'examples', 'default', 'enum', 'const', 'encoding'],
])

/** The descriptions of an operation that are more than one plain paragraph, as parts, by the text. */
export function textsOf(
  documentation: OperationDocumentation,
): Readonly<Record<string, readonly TextPart[]>> {
  const texts = new Map<string, readonly TextPart[]>()
  let left = MAX_MARKS
  for (const text of descriptionsIn(documentation)) {
    const marks = text.match(MARK)?.length ?? 0
    if (marks === 0 || marks > left || texts.has(text)) continue
    left -= marks
    const parts = parseText(text)
    if (!isPlain(parts, text)) texts.set(text, parts)
  }
  return Object.fromEntries(texts)
}

/** Whether the parts are one paragraph, which is the text as it is written. */
function isPlain([first, ...others]: readonly TextPart[], text: string): boolean {
  if (others.length > 0 || typeof first !== 'object' || first.kind !== 'paragraph') return false
  return first.parts.length === 1 && first.parts[0] === text
}

/** The descriptions in a value, the nearest first. */
function descriptionsIn(root: object): readonly string[] {
  const found: string[] = []
  const values: unknown[] = [root]
  // The list grows during the loop.
  for (const value of values) {
    for (const member of membersOf(value)) values.push(member)
    const description = isObject(value) ? value.description : undefined
    if (typeof description === 'string') found.push(description)
  }
  return found
}

/** The members of an object or a list in which descriptions can be. */
function membersOf(value: unknown): readonly unknown[] {
  return Object.entries(typeof value === 'object' && value !== null ? value : [])
    .filter(([key]) => !DATA.has(key) && !key.startsWith('x-'))
    .map(([, member]) => member)
}

/** The parts of a text in CommonMark. HTML in it is text, and a picture is a link to it. */
export function parseText(text: string): readonly TextPart[] {
  const cut = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text
  const { children } = fromMarkdown(cut)
  const targets = new Map(
    children.flatMap((node) => (node.type === 'definition' ? [[node.identifier, node.url]] : [])),
  )

  return partsOf(children, targets, 0)
}

/** The addresses that are defined apart from the links. */
type Targets = ReadonlyMap<string, string>

function partsOf(nodes: readonly Node[], targets: Targets, depth: number): readonly TextPart[] {
  if (depth > MAX_DEPTH) return ['…']
  return nodes.flatMap((node) => {
    const part = partOf(node, targets, depth + 1)
    return part === undefined ? [] : [part]
  })
}

/** The kinds of the nodes that only contain others. */
const KINDS: Readonly<Partial<Record<Node['type'], TextElement['kind']>>> = {
  emphasis: 'emphasis',
  strong: 'strong',
  heading: 'heading',
  paragraph: 'paragraph',
  blockquote: 'quote',
  listItem: 'item',
}

function partOf(node: Node, targets: Targets, depth: number): TextPart | undefined {
  const parts = 'children' in node ? partsOf(node.children, targets, depth) : []
  const kind = KINDS[node.type]
  if (kind !== undefined) return { kind, parts }
  switch (node.type) {
    case 'text':
      return node.value
    case 'html':
      return /^<br *\/?>$/i.test(node.value) ? { kind: 'line-break', parts: [] } : node.value
    case 'inlineCode':
      return { kind: 'code', parts: [node.value] }
    case 'code':
      return { kind: 'code-block', parts: [node.value] }
    case 'break':
      return { kind: 'line-break', parts: [] }
    case 'thematicBreak':
      return { kind: 'rule', parts: [] }
    case 'list':
      return node.ordered
        ? { kind: 'numbered-list', parts, start: node.start ?? 1 }
        : { kind: 'list', parts }
    case 'link':
      return { kind: 'link', parts, url: node.url }
    case 'linkReference':
      return { kind: 'link', parts, url: targets.get(node.identifier) ?? '' }
    case 'image':
      return { kind: 'link', parts: [node.alt || node.url], url: node.url }
    case 'imageReference':
      return {
        kind: 'link',
        parts: [node.alt || node.identifier],
        url: targets.get(node.identifier) ?? '',
      }
    default:
      return undefined
  }
}
