import { getOwn, isObject, setOwn } from '../validation/objects.ts'
import {
  type Branches,
  itemBranches,
  propertyBranches,
  propertyNames,
  scalar,
  type Typing,
  typesOf,
} from './meanings.ts'

/** An element of an XML text. Names have no prefix. */
export interface XmlElement {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly XmlElement[]
  readonly text: string
}

/** The value of an element by a schema and its `xml` objects (OpenAPI, "XML Object"). */
export function elementValue(element: XmlElement, branches: Branches, typing: Typing): unknown {
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
