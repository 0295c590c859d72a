import type { Schema } from '../../contract/contract.ts'
import { propertiesOf } from '../../contract/schema.ts'
import { isObject } from '../../validation/objects.ts'

/** A value as an XML document. `name` is that of its element, where the schema has none. */
export function writeXml(value: unknown, schema: Schema, name: string): string {
  const root = elements(value, schema, name, { isRoot: true }).join('')
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`
}

/** How deep a value is nested at most. */
const MAX_DEPTH = 100

interface Place {
  readonly isRoot?: boolean
  readonly depth?: number
}

/** The elements of a value: several for a list that is not wrapped, none for `null`. */
function elements(
  value: unknown,
  schema: Schema,
  name: string,
  { isRoot = false, depth = 0 }: Place,
): readonly string[] {
  if (value === undefined || depth > MAX_DEPTH) return []
  const form = xmlFormOf(schema)
  if (!Array.isArray(value)) {
    if (value === null && !isRoot) return []
    return [element(form.name ?? name, form, value, schema, depth)]
  }
  const { items = {} } = schema
  const isWrapped = isRoot || form.isWrapped
  const outer = isWrapped ? (form.name ?? name) : name
  const inner = xmlFormOf(items).name ?? (isRoot ? singular(outer) : outer)
  const children = value.flatMap((item) => elements(item, items, inner, { depth: depth + 1 }))

  return isWrapped ? [tag(outer, form, '', children.join(''))] : children
}

function element(
  name: string,
  form: XmlForm,
  value: unknown,
  schema: Schema,
  depth: number,
): string {
  if (!isObject(value)) return tag(name, form, '', elementText(value, form.isCdata))
  const properties = propertiesOf(schema)
  let attributes = ''
  let content = ''
  for (const [key, inner] of Object.entries(value)) {
    const property = properties.get(key) ?? {}
    const own = xmlFormOf(property)
    if (own.kind === 'attribute' && typeof inner !== 'object') {
      attributes += ` ${qualifiedName(own.name ?? key, own)}="${attributeText(inner)}"`
    } else if (own.kind === 'text' && typeof inner !== 'object') {
      content += elementText(inner, own.isCdata)
    } else content += elements(inner, property, key, { depth: depth + 1 }).join('')
  }
  return tag(name, form, attributes, content)
}

function tag(name: string, form: XmlForm, attributes: string, content: string): string {
  const qualified = qualifiedName(name, form)
  const prefix = form.prefix === undefined ? '' : `:${form.prefix}`
  const namespace =
    form.namespace === undefined ? '' : ` xmlns${prefix}="${attributeText(form.namespace)}"`
  const start = `<${qualified}${namespace}${attributes}`

  return content === '' ? `${start}/>` : `${start}>${content}</${qualified}>`
}

/** The name of an item in a list whose items have none: `book` in `books`. */
function singular(name: string): string {
  return /[^s]s$/.test(name) ? name.slice(0, -1) : 'item'
}

/** What the `xml` object of a schema says (OpenAPI, "XML Object"). */
interface XmlForm {
  readonly name?: string
  readonly namespace?: string
  readonly prefix?: string
  readonly kind: 'element' | 'attribute' | 'text'
  readonly isCdata: boolean
  readonly isWrapped: boolean
}

/** The form of a schema. `nodeType` (OpenAPI 3.2) replaces `attribute` and `wrapped`. */
function xmlFormOf({ xml, allOf }: Schema): XmlForm {
  const inherited = allOf?.find((branch) => isObject(branch.xml))?.xml
  const { name, namespace, prefix, attribute, wrapped, nodeType } =
    [xml, inherited].find(isObject) ?? {}
  const isAttribute = nodeType === undefined ? attribute === true : nodeType === 'attribute'
  const isText = nodeType === 'text' || nodeType === 'cdata'
  const other = isText ? 'text' : 'element'

  return {
    ...(typeof name === 'string' && name !== '' && { name }),
    ...(typeof namespace === 'string' && { namespace }),
    ...(typeof prefix === 'string' && prefix !== '' && { prefix: xmlName(prefix) }),
    kind: isAttribute ? 'attribute' : other,
    isCdata: nodeType === 'cdata',
    isWrapped: nodeType === undefined ? wrapped === true : nodeType === 'element',
  }
}

/** A name with its prefix. */
function qualifiedName(name: string, { prefix }: XmlForm): string {
  return prefix === undefined ? xmlName(name) : `${prefix}:${xmlName(name)}`
}

/** A name that XML allows: other characters become underscores. */
function xmlName(name: string): string {
  const plain = name.replace(/[^\p{L}\p{N}_.-]/gu, '_')
  return /^[\p{L}_]/u.test(plain) ? plain : `_${plain}`
}

/** The text of an element. */
function elementText(value: unknown, isCdata: boolean): string {
  const text = plainText(value)
  if (isCdata) return `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`

  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** The text of an attribute, to be written in double quotes. */
function attributeText(value: unknown): string {
  return elementText(value, false)
    .replaceAll('"', '&quot;')
    .replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** XML 1.0 has no way to write other control characters and halves of a pair. */
function plainText(value: unknown): string {
  const text = value === null || value === undefined ? '' : String(value)
  return text.replace(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, (character) =>
    '\t\n\r'.includes(character) ? character : '',
  )
}
