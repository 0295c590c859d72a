import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { MAX_BODY_DEPTH, type ValueLimit } from '../http/body-limits.ts'
import { getOwn, isObject, setOwn } from '../validation/objects.ts'
import type { Schema } from './contract.ts'
import { invalidBody } from './json.ts'
import {
  type Branches,
  branchesOf,
  itemBranches,
  type Preference,
  propertyBranches,
  propertyNames,
  scalar,
  type Typing,
  typesOf,
} from './meanings.ts'

/** The parser refuses or renames `constructor`, `toString` and the like. With a prefix, they are names like any other. */
const PREFIX = '_'

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: PREFIX,
  transformTagName: (name) => PREFIX + name,
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  // The parser does not count the root.
  maxNestedTags: MAX_BODY_DEPTH - 1,
})

/**
 * The possible values of an XML text by a schema; the text itself without a schema. Throws a 400 with the place of an error,
 * and a 413 for too many elements and attributes.
 */
export function xmlMeanings(
  text: string,
  schema: Schema | undefined,
  limit: ValueLimit,
): readonly unknown[] {
  limit.count(countElements(text, limit.left))
  const root = rootOf(text)
  if (!schema) return [text]
  const branches = branchesOf(schema)
  const others = new Set<Preference>()
  const value = elementValue(root, branches, { preference: 'type', others, limit })

  return [
    value,
    ...[...others].map((preference) => elementValue(root, branches, { preference, others, limit })),
  ]
}

const [QUOTE, APOSTROPHE, SLASH, EQUALS, END, SPACE] = [0x22, 0x27, 0x2f, 0x3d, 0x3e, 0x20]

/** The number of elements and attributes, up to the first one too many. The parser would make objects of all of them first. */
function countElements(text: string, max: number): number {
  let count = 0
  let at = text.indexOf('<')
  while (at !== -1 && count <= max) {
    if (text.startsWith('<!--', at)) at = text.indexOf('-->', at)
    else if (text.startsWith('<![CDATA[', at)) at = text.indexOf(']]>', at)
    else if (!'/?!'.includes(text[at + 1] ?? '/')) {
      const tag = countInTag(text, at, max - count)
      count += tag.count
      at = tag.end
    }
    if (at !== -1) at = text.indexOf('<', at + 1)
  }
  return count
}

/** An element and its attributes: the words between white space, outside of quotes. */
function countInTag(
  text: string,
  start: number,
  max: number,
): { readonly count: number; readonly end: number } {
  let count = 1
  let quote = 0
  let isAfterSpace = false
  let at = start + 1
  for (; at < text.length && count <= max; at += 1) {
    const code = text.charCodeAt(at)
    if (quote !== 0) {
      if (code === quote) quote = 0
      continue
    }
    if (code === END) break
    if (code === QUOTE || code === APOSTROPHE) quote = code
    else if (isAfterSpace && code > SPACE && code !== SLASH && code !== EQUALS) count += 1
    isAfterSpace = code <= SPACE
  }
  return { count, end: at }
}

function rootOf(text: string): XmlElement {
  // The parser accepts elements that are not closed.
  const result = XMLValidator.validate(text)
  if (result !== true) {
    const { msg, line, col } = result.err
    throw invalidBody(`must be valid XML: ${msg.replace(/\.$/, '')} (line ${line}, column ${col})`)
  }
  const [root] = elementsIn(parse(text))
  if (!root) throw invalidBody('must be valid XML: it has no element')
  return root
}

function parse(text: string): unknown {
  try {
    return parser.parse(text)
  } catch (cause) {
    // The parser refuses deep nesting and unsafe entities in its own words.
    if (cause instanceof Error) throw invalidBody(`must be valid XML: ${cause.message}`)
    throw cause
  }
}

/** The elements in what the parser makes of the content of an element: one object for each element or text. */
function elementsIn(content: unknown): readonly XmlElement[] {
  if (!Array.isArray(content)) return []
  const elements: XmlElement[] = []
  for (const node of content) {
    if (!isObject(node)) continue
    const name = Object.keys(node).find((key) => key !== ':@' && key !== '#text')
    if (name === undefined) continue
    const inner = node[name]
    const attributes = isObject(node[':@']) ? Object.entries(node[':@']) : []
    elements.push({
      name: name.slice(PREFIX.length),
      attributes: new Map(
        attributes.map(([key, value]) => [key.slice(PREFIX.length), String(value)]),
      ),
      children: elementsIn(inner),
      text: textIn(inner),
    })
  }
  return elements
}

function textIn(content: unknown): string {
  if (!Array.isArray(content)) return ''
  let text = ''
  for (const node of content) {
    if (isObject(node) && node['#text'] !== undefined) text += String(node['#text'])
  }
  return text
}

/** An element of an XML text. Names have no prefix. */
interface XmlElement {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly XmlElement[]
  readonly text: string
}

/** The value of an element by a schema and its `xml` objects (OpenAPI, "XML Object"). */
function elementValue(element: XmlElement, branches: Branches, typing: Typing): unknown {
  const { attributes, children, text } = element
  const types = typesOf(branches)
  if (/^(true|1)$/.test(attributes.get('nil') ?? '') && types.has('null')) return null
  const isEmpty = children.length === 0 && attributes.size === 0
  const isSimple = [...types].some((type) => type !== 'object' && type !== 'array')
  if (types.has('array') && !(isEmpty && isSimple)) return items(children, branches, typing)
  if (types.has('object') || !isEmpty) {
    return isEmpty && isSimple
      ? scalar(text, branches, types, typing)
      : object(element, branches, typing)
  }
  return scalar(trimmed(text, types), branches, types, typing)
}

/** White space is part of a string, but not of a number. */
function trimmed(text: string, types: ReadonlySet<string>): string {
  return types.has('string') || types.size === 0 ? text : text.trim()
}

function items(elements: readonly XmlElement[], branches: Branches, typing: Typing): unknown[] {
  return elements.map((child, index) => elementValue(child, itemBranches(branches, index), typing))
}

function object(element: XmlElement, branches: Branches, typing: Typing): Record<string, unknown> {
  const value: Record<string, unknown> = {}
  const byName = new Map<string, XmlElement[]>()
  for (const child of element.children) {
    const same = byName.get(child.name)
    if (same) same.push(child)
    else byName.set(child.name, [child])
  }
  for (const name of propertyNames(branches)) {
    const property = propertyBranches(branches, name)
    const found = propertyValue({ element, byName }, name, property, typing)
    if (found !== undefined) setOwn(value, name, found)
  }
  for (const [name, same] of byName) {
    const inner = propertyBranches(branches, name)
    const values = same.map((one) => elementValue(one, inner, typing))
    setOwn(value, name, values.length === 1 ? values[0] : values)
  }
  return value
}

/** An element, and its children that no property has used. */
interface OpenElement {
  readonly element: XmlElement
  readonly byName: Map<string, XmlElement[]>
}

/** The value of a property: of an attribute, of a child element, or of the child elements that are the items of a list. */
function propertyValue(
  { element, byName }: OpenElement,
  name: string,
  branches: Branches,
  typing: Typing,
): unknown {
  const { xmlName, isAttribute, isText, isWrapped } = xmlOf(branches)
  const key = xmlName ?? name
  const types = typesOf(branches)
  if (isAttribute) {
    const text = element.attributes.get(key)
    return text === undefined ? undefined : scalar(text, branches, types, typing)
  }
  if (isText) return scalar(element.text, branches, types, typing)
  const isList = types.has('array')
  const itemName = (isList && !isWrapped && xmlOf(itemBranches(branches, 0)).xmlName) || key
  const children = byName.get(itemName) ?? []
  byName.delete(itemName)
  const [first] = children
  if (!first) return undefined
  if (!isList) return elementValue(first, branches, typing)

  return items(isWrapped ? first.children : children, branches, typing)
}

interface XmlHints {
  readonly xmlName: string | undefined
  readonly isAttribute: boolean
  readonly isText: boolean
  readonly isWrapped: boolean
}

/** What the `xml` objects of a schema say. `nodeType` is OpenAPI 3.2's. */
function xmlOf(branches: Branches): XmlHints {
  const hints = branches.flatMap(({ xml }) => (isObject(xml) ? [xml] : []))
  const first = (key: string): unknown =>
    hints.map((xml) => getOwn(xml, key)).find((one) => one !== undefined)
  const xmlName = first('name')
  const nodeType = first('nodeType')

  return {
    xmlName: typeof xmlName === 'string' ? xmlName : undefined,
    isAttribute: first('attribute') === true || nodeType === 'attribute',
    isText: nodeType === 'text' || nodeType === 'cdata',
    isWrapped: first('wrapped') === true || nodeType === 'element',
  }
}
