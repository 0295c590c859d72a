import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { MAX_BODY_DEPTH, type ValueLimit } from '../http/body-limits.ts'
import { isObject } from '../validation/objects.ts'
import type { Schema } from './contract.ts'
import { invalidBody } from './json.ts'
import { branchesOf, type Preference } from './meanings.ts'
import { elementValue, type XmlElement } from './xml-value.ts'

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
