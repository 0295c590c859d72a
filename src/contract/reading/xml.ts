import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { isObject } from '../../validation/is-object.ts'
import type { Schema } from '../contract.ts'
import { invalidBody } from './body-text.ts'
import { branchesOf } from './branches.ts'
import type { Preference } from './typed-value.ts'
import { elementValue, type XmlElement } from './xml-value.ts'

/** In levels. */
const MAX_DEPTH = 100

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: MAX_DEPTH,
})

/** The possible values of an XML text by a schema; the text itself without a schema. Throws a 400 with the place of an error. */
export function xmlMeanings(text: string, schema: Schema | undefined): readonly unknown[] {
  const root = rootOf(text)
  if (!schema) return [text]
  const branches = branchesOf(schema)
  const others = new Set<Preference>()
  const value = elementValue(root, branches, { preference: 'type', others })

  return [
    value,
    ...[...others].map((preference) => elementValue(root, branches, { preference, others })),
  ]
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
  return content.filter(isObject).flatMap((node) => {
    const [name] = Object.keys(node).filter((key) => key !== ':@' && key !== '#text')
    if (name === undefined) return []
    const inner = node[name]
    const attributes = isObject(node[':@']) ? Object.entries(node[':@']) : []

    return [
      {
        name,
        attributes: new Map(attributes.map(([key, value]) => [key, String(value)])),
        children: elementsIn(inner),
        text: textIn(inner),
      },
    ]
  })
}

function textIn(content: unknown): string {
  if (!Array.isArray(content)) return ''
  return content
    .flatMap((node) => (isObject(node) && node['#text'] !== undefined ? String(node['#text']) : []))
    .join('')
}
