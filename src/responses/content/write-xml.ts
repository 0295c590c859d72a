import type { Schema } from '../../contract/contract.ts'
import { propertiesOf } from '../../contract/schema-properties.ts'
import { isObject } from '../../validation/objects.ts'
import type { ContentWriter } from './content-writer.ts'
import { attributeText, elementText, qualifiedName, type XmlForm, xmlFormOf } from './xml-form.ts'

export const xmlWriter: ContentWriter = {
  takesText: true,
  sample: '<?xml version="1.0" encoding="UTF-8"?>\n<root/>\n',
  write: (value, { media }, name) => {
    const { schema = {} } = media
    const root = elements(value, schema, name, { isRoot: true }).join('')
    return { body: `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n` }
  },
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
