import type { ValueLimit } from '../http/body-limits.ts'
import { getOwn, setOwn } from '../validation/objects.ts'
import { parseJsonText } from './body-content.ts'
import type { Schema } from './contract.ts'
import { INTEGER_PATTERN, parseExact } from './parse-text.ts'
import { withBranches } from './schema.ts'

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

/** The schemas that may apply to one value: a schema and all its branches. */
export type Branches = readonly Schema[]

/** What follows from branches, found once: a body may have a hundred thousand values of the same schema. */
interface Known {
  types?: ReadonlySet<string>
  names?: readonly string[]
  /** The branches of the properties that the schemas name. */
  readonly properties: Map<string, Branches>
  /** The branches of the other properties. */
  others?: Branches
  /** The branches of the items that have no schema of their own. */
  items?: Branches
}

const bySchema = new WeakMap<Schema, Branches>()
const known = new WeakMap<Branches, Known>()

function knownOf(branches: Branches): Known {
  const found = known.get(branches) ?? { properties: new Map() }
  known.set(branches, found)
  return found
}

export function branchesOf(schema: Schema | undefined): Branches {
  if (schema === undefined) return NONE
  const found = bySchema.get(schema) ?? withBranches(schema)
  bySchema.set(schema, found)
  return found
}

const NONE: Branches = []

/** The branches of several schemas. Those of a single one are always the same list. */
function branchesOfAll(schemas: readonly Schema[]): Branches {
  return schemas.length > 1 ? schemas.flatMap(branchesOf) : branchesOf(schemas[0])
}

/** The types that the branches allow. Without `type`, they follow from other keywords; empty when any value is allowed. */
export function typesOf(branches: Branches): ReadonlySet<string> {
  const own = knownOf(branches)
  own.types ??= findTypes(branches)
  return own.types
}

function findTypes(branches: Branches): ReadonlySet<string> {
  const types = branches.flatMap(({ type }) => type ?? [])
  return new Set(types.length > 0 ? types : branches.flatMap(impliedTypes))
}

function impliedTypes(schema: Schema): readonly string[] {
  return [
    ...(schema.properties || typeof schema.additionalProperties === 'object' ? ['object'] : []),
    ...(schema.items || schema.prefixItems ? ['array'] : []),
    ...(schema.pattern !== undefined || schema.minLength !== undefined ? ['string'] : []),
    ...(schema.minimum !== undefined || schema.maximum !== undefined ? ['number'] : []),
  ]
}

/** The schemas of a property. */
export function propertyBranches(branches: Branches, name: string): Branches {
  const own = knownOf(branches)
  const found = own.properties.get(name)
  if (found) return found
  const named = branches.flatMap(({ properties = {} }) => schemaIn(getOwn(properties, name)))
  if (named.length > 0) {
    const all = branchesOfAll(named)
    own.properties.set(name, all)
    return all
  }
  own.others ??= branchesOfAll(
    branches.flatMap(({ additionalProperties }) => schemaIn(additionalProperties)),
  )
  return own.others
}

/** The names of the properties, each once. */
export function propertyNames(branches: Branches): readonly string[] {
  const own = knownOf(branches)
  own.names ??= [...new Set(branches.flatMap(({ properties }) => Object.keys(properties ?? {})))]
  return own.names
}

/** The schemas of an item of a list. */
export function itemBranches(branches: Branches, index: number): Branches {
  const isOwn = branches.some(
    ({ prefixItems }) => Array.isArray(prefixItems) && index < prefixItems.length,
  )
  if (isOwn) return findItemBranches(branches, index)
  const own = knownOf(branches)
  own.items ??= findItemBranches(branches, index)
  return own.items
}

function findItemBranches(branches: Branches, index: number): Branches {
  return branchesOfAll(
    branches.flatMap(({ items, prefixItems }) => {
      const own: unknown = Array.isArray(prefixItems) ? prefixItems[index] : undefined
      return isSchema(own) ? own : schemaIn(items)
    }),
  )
}

/** The schema as a list; none for `true` and `false`. */
function schemaIn(value: unknown): readonly Schema[] {
  return isSchema(value) ? [value] : []
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value as texts, before a schema says what they mean. */
export interface TextNode {
  /** The texts, each of which is the whole value or an item. */
  readonly texts: string[]
  /** The values of an object or list by name or index. */
  readonly children: Map<string, TextNode>
  /** A value that needs no schema to be understood, such as that of a JSON part. */
  readonly value?: unknown
}

export function textNode(texts: readonly string[] = []): TextNode {
  return { texts: [...texts], children: new Map() }
}

export function objectNode(pairs: Iterable<readonly [name: string, text: string]>): TextNode {
  const node = textNode()
  for (const [name, text] of pairs) childOf(node, name).texts.push(text)
  return node
}

function childOf(node: TextNode, name: string): TextNode {
  const known = node.children.get(name)
  if (known) return known
  const child = textNode()
  node.children.set(name, child)
  return child
}

/** `a[b][]` has the name `a` and the steps `b` and the empty one. */
const BRACKETS = /^([^[\]]+)((?:\[[^[\]]*\])+)$/

/** Names with more steps are taken as they are. */
const MAX_STEPS = 30

/** The name before the brackets, and the steps in them; a name without brackets has no steps. */
export function parseBrackets(name: string): readonly [root: string, steps: readonly string[]] {
  const [, root = name, brackets = ''] = BRACKETS.exec(name) ?? []
  const steps = brackets.slice(1, -1).split('][')
  return brackets === '' || steps.length > MAX_STEPS ? [name, []] : [root, steps]
}

/** Adds a text or a part at the end of the steps. An empty step is the next item of a list. */
export function addAt(node: TextNode, steps: readonly string[], part: TextNode | string): void {
  let at = node
  for (const [index, step] of steps.entries()) {
    const next = steps[index + 1]
    if (step !== '') at = childOf(at, step)
    else if (next !== undefined) at = nextItem(at, next)
  }
  if (typeof part === 'string') at.texts.push(part)
  else addPart(at, part)
}

function addPart(node: TextNode, part: TextNode): void {
  if ('value' in part) node.children.set(String(node.children.size), part)
  else node.texts.push(...part.texts)
}

/** The last item of a list of objects while it has no such property, else a new one: `a[][x]=1&a[][y]=2` is one item. */
function nextItem(list: TextNode, property: string): TextNode {
  const last = list.children.get(String(list.children.size - 1))
  return last && property !== '' && !last.children.has(property)
    ? last
    : childOf(list, String(list.children.size))
}
