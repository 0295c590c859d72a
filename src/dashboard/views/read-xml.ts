import type { Schema } from '../../contract/contract.ts'
import { branchesOf, type Preference } from '../../contract/meanings.ts'
import { elementValue, type XmlElement } from '../../contract/xml-value.ts'
import { ValueLimit } from '../../http/body-limits.ts'

/** Longer texts are no value. */
const MAX_LENGTH = 1_000_000

/** The value of an XML text by a schema without references, as the sandbox reads it; `undefined` for a text that is no XML. */
export function readXml(text: string, schema: Schema): unknown {
  if (text.length > MAX_LENGTH) return undefined
  // It loads nothing: external entities are left out.
  const parsed = new DOMParser().parseFromString(text, 'application/xml')
  if (parsed.getElementsByTagName('parsererror').length > 0) return undefined
  const limit = ValueLimit.ofXml(MAX_LENGTH)
  const others = new Set<Preference>()
  const root = toElement(parsed.documentElement)

  return elementValue(root, branchesOf(schema), { preference: 'type', others, limit })
}

function toElement(element: Element): XmlElement {
  const texts = [...element.childNodes].filter((node) => node instanceof Text)
  return {
    name: element.localName,
    attributes: new Map([...element.attributes].map((one) => [one.localName, one.value])),
    children: [...element.children].map(toElement),
    text: texts.map(({ data }) => data).join(''),
  }
}
