import type { Schema } from '../../contract/contract.ts'
import { isObject } from '../../validation/objects.ts'

/** What the `xml` object of a schema says (OpenAPI, "XML Object"). */
export interface XmlForm {
  readonly name?: string
  readonly namespace?: string
  readonly prefix?: string
  readonly kind: 'element' | 'attribute' | 'text'
  readonly isCdata: boolean
  readonly isWrapped: boolean
}

/** The form of a schema. `nodeType` (OpenAPI 3.2) replaces `attribute` and `wrapped`. */
export function xmlFormOf({ xml, allOf }: Schema): XmlForm {
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
export function qualifiedName(name: string, { prefix }: XmlForm): string {
  return prefix === undefined ? xmlName(name) : `${prefix}:${xmlName(name)}`
}

/** A name that XML allows: other characters become underscores. */
function xmlName(name: string): string {
  const plain = name.replace(/[^\p{L}\p{N}_.-]/gu, '_')
  return /^[\p{L}_]/u.test(plain) ? plain : `_${plain}`
}

/** The text of an element. */
export function elementText(value: unknown, isCdata: boolean): string {
  const text = plainText(value)
  if (isCdata) return `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`

  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** The text of an attribute, to be written in double quotes. */
export function attributeText(value: unknown): string {
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
