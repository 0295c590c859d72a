import type { ValueLimit } from '../../http/body-limits.ts'
import { setOwn } from '../../validation/objects.ts'
import { INTEGER_PATTERN, parseExact } from '../parse-text.ts'
import { type Branches, itemBranches, propertyBranches, typesOf } from './branches.ts'
import { parseJsonText } from './json-text.ts'
import type { TextNode } from './text-node.ts'

/**
 * How a text is understood for which the schema allows several types: as the most special one, as a string, as `null` when it is
 * empty, or as a list of one item.
 */
export type Preference = 'type' | 'text' | 'null' | 'list'

/** How texts become values, and which other preferences would make another value of them. */
export interface Typing {
  readonly preference: Preference
  /** The preferences that would make another value. */
  readonly others: Set<Preference>
  /** How many values may be made. */
  readonly limit: ValueLimit
}

/** A list may contain itself, so a text could be an item of endless lists. */
const MAX_LISTS = 8

/** The value of texts by a schema. What is no value of the schema stays a string, which the validator refuses. */
export function typedValue(node: TextNode, branches: Branches, typing: Typing, lists = 0): unknown {
  if ('value' in node) return node.value
  typing.limit.count(1)
  const types = typesOf(branches)
  if (node.children.size > 0) return structure(node, branches, types, typing)
  const [first = ''] = node.texts
  const json = node.texts.length === 1 ? jsonIn(first, types, typing.limit) : undefined
  if (json !== undefined) return json
  if (lists > MAX_LISTS || !isList(node, types, typing))
    return scalar(first, branches, types, typing)

  return node.texts.map((text, index) => {
    const items = itemBranches(branches, index)
    return typedValue({ texts: [text], children: new Map() }, items, typing, lists + 1)
  })
}

/** The list or object that a text is as JSON, if the schema allows it. */
function jsonIn(text: string, types: ReadonlySet<string>, limit: ValueLimit): unknown {
  const [, bracket] = /^\s*([[{])/.exec(text) ?? []
  if (bracket === undefined || !types.has(bracket === '[' ? 'array' : 'object')) return undefined
  return parseJsonText(text, limit)
}

/** Whether texts are the items of a list. Of a single text, that depends on the preference when the schema allows both. */
function isList({ texts }: TextNode, types: ReadonlySet<string>, typing: Typing): boolean {
  if (texts.length !== 1) return types.has('array') || texts.length > 1
  if (!types.has('array')) return false
  if ([...types].every((type) => type === 'array' || type === 'object')) return true
  typing.others.add('list')
  return typing.preference === 'list'
}

/** A list when the schema allows one and all names are indexes, else an object. */
function structure(
  { children, texts }: TextNode,
  branches: Branches,
  types: ReadonlySet<string>,
  typing: Typing,
): unknown {
  const names = [...children.keys()]
  const isIndexed = names.every((name) => /^\d{1,6}$/.test(name))
  if (isIndexed && (types.has('array') || !types.has('object'))) {
    const sorted = [...children].sort(([one], [other]) => Number(one) - Number(other))
    const nodes = [...texts.map(leaf), ...sorted.map(([, child]) => child)]
    return nodes.map((child, index) => typedValue(child, itemBranches(branches, index), typing))
  }
  const object: Record<string, unknown> = {}
  for (const [name, child] of children) {
    setOwn(object, name, typedValue(child, propertyBranches(branches, name), typing))
  }
  return object
}

function leaf(text: string): TextNode {
  return { texts: [text], children: new Map() }
}

/** The value of one text. */
export function scalar(
  text: string,
  branches: Branches,
  types: ReadonlySet<string>,
  { preference, others }: Typing,
): unknown {
  const special = text === '' && types.has('null') ? null : specialValue(text, branches, types)
  if (special === undefined) return text
  if (types.size > 0 && !types.has('string')) return special
  // An empty text is a string first, any other text is a number or true first.
  const isText = special === null && text === '' ? preference !== 'null' : preference === 'text'
  others.add(text === '' ? 'null' : 'text')

  return isText ? text : special
}

/** The value of a text as another type than a string; `undefined` when it is none. */
function specialValue(text: string, branches: Branches, types: ReadonlySet<string>): unknown {
  const isType = (type: string): boolean => types.has(type)
  if (isType('integer') && INTEGER_PATTERN.test(text)) return numberOrUndefined(text)
  if (isType('number') && NUMBER_PATTERN.test(text)) return numberOrUndefined(text)
  if (isType('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  if (isType('null') && text === 'null') return null

  return types.size === 0 ? enumMember(text, branches) : undefined
}

const NUMBER_PATTERN = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i

/** A number that JavaScript does not hold exactly stays a text, which the validator refuses. */
function numberOrUndefined(text: string): number | undefined {
  const value = parseExact(text)
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** Schemas with `enum` often have no type. */
function enumMember(text: string, branches: Branches): unknown {
  const members = branches.flatMap((schema) => [...(schema.enum ?? []), schema.const])
  return members.find((one) => typeof one !== 'string' && one !== undefined && String(one) === text)
}
