import type { ValueLimit } from '../http/body-limits.ts'
import { parseJsonText } from './body-content.ts'
import type { Parameter, PropertyEncoding, Schema } from './contract.ts'
import { isJson } from './json.ts'
import {
  addAt,
  branchesOf,
  objectNode,
  parseBrackets,
  propertyBranches,
  propertyNames,
  type TextNode,
  textNode,
  typesOf,
} from './meanings.ts'

/** What the names and raw values of a query, form or cookie header mean for one parameter. */
export interface FormSource {
  readonly pairs: ReadonlyMap<string, readonly string[]>
  /** The names with brackets, such as `a[b]`, by the name before the brackets. */
  readonly brackets: ReadonlyMap<string, readonly (readonly [name: string, steps: Steps])[]>
  /** The names that parameters have used. */
  readonly used: Set<string>
  /** The names of all parameters, which are no properties of a parameter with free names. */
  readonly known: ReadonlySet<string>
  readonly decode: (raw: string) => string
}

type Steps = readonly string[]

/** `known` are the names of all parameters. */
export function createFormSource(
  pairs: readonly SentPair[],
  known: readonly string[],
  decode: FormSource['decode'] = decodeForm,
): FormSource {
  const grouped = groupPairs(pairs)
  const brackets = new Map<string, (readonly [string, Steps])[]>()
  for (const name of grouped.keys()) {
    const [root, steps] = parseBrackets(name)
    if (steps.length === 0) continue
    const entries = brackets.get(root) ?? []
    brackets.set(root, entries)
    entries.push([name, steps])
  }
  return { pairs: grouped, brackets, used: new Set(), known: new Set(known), decode }
}

export type Styled = Pick<Parameter, 'name' | 'schema' | 'style' | 'explode'>

const DELIMITERS: Readonly<Record<string, RegExp>> = {
  form: /,/,
  spaceDelimited: /%20|\+| /,
  pipeDelimited: /%7C|\|/i,
}

/**
 * The possible meanings of a parameter in the style `form`, `spaceDelimited`, `pipeDelimited` or `deepObject`, as documented first;
 * empty when it was not sent.
 *
 * Clients differ, so a list may also be sent by a repeated name, by `name[]` or `name[0]`, or in one text with the delimiter, and an
 * object by `name[property]` or as JSON, where that is the only meaning that the schema allows.
 */
export function queryNodes(parameter: Styled, source: FormSource): readonly TextNode[] {
  const { name, schema, style = 'form' } = parameter
  const types = typesOf(branchesOf(schema))
  const raws = source.pairs.get(name)
  if (raws) source.used.add(name)
  const nodes = raws ? namedNodes(parameter, raws, types, source) : []
  const inBrackets = bracketNode(name, source, types)
  if (inBrackets) return [...nodes, inBrackets]
  const explode = parameter.explode ?? style === 'form'
  const isSpread = explode && style !== 'deepObject' && types.has('object')

  return isSpread && !raws ? spreadNodes(parameter, source) : nodes
}

/** The possible meanings of the values of a name, as documented first. */
function namedNodes(
  { style = 'form', explode = style === 'form' }: Styled,
  raws: readonly string[],
  types: ReadonlySet<string>,
  { decode }: FormSource,
): readonly TextNode[] {
  const delimited = { delimiter: DELIMITERS[style] ?? /,/, decode }
  const [only = ''] = raws
  const whole = [textNode(raws.map(decode)), ...plusNodes(raws, decode)]
  const lists = types.has('array') && style !== 'deepObject' ? listNodes(raws, delimited) : []
  const objects = types.has('object') && raws.length === 1 ? objectNodes(only, delimited) : []

  return explode ? [...whole, ...lists, ...objects] : [...objects, ...lists, ...whole]
}

/** The text with plus signs that were not encoded, as in a date with a time zone. */
function plusNodes(raws: readonly string[], decode: (raw: string) => string): readonly TextNode[] {
  if (decode !== decodeForm || !raws.some((raw) => raw.includes('+'))) return []
  return [textNode(raws.map((raw) => decode(raw.replaceAll('+', '%2B'))))]
}

/** `name[a]=1&name[b][]=2`. */
function bracketNode(
  name: string,
  { pairs, brackets, used, decode }: FormSource,
  types: ReadonlySet<string>,
): TextNode | undefined {
  if (types.size > 0 && !types.has('object') && !types.has('array')) return undefined
  const entries = brackets.get(name)
  if (!entries) return undefined
  const node = textNode()
  for (const [key, steps] of entries) {
    used.add(key)
    for (const raw of pairs.get(key) ?? []) addAt(node, steps, decode(raw))
  }
  return node
}

/** The properties of an object, each of which is a parameter of its own. An object with free names has those of no other parameter. */
function spreadNodes(
  { schema }: Styled,
  { pairs, used, known, decode }: FormSource,
): readonly TextNode[] {
  const named = propertyNames(branchesOf(schema))
  const names =
    named.length > 0
      ? named.filter((name) => pairs.has(name))
      : [...pairs.keys()].filter((name) => !known.has(parseBrackets(name)[0]))
  if (names.length === 0) return []
  for (const name of names) used.add(name)

  return [
    objectNode(names.flatMap((name) => (pairs.get(name) ?? []).map((raw) => [name, decode(raw)]))),
  ]
}

/** A name and its value in a query, a form or a cookie header. */
interface SentPair {
  readonly name: string
  /** As it was sent: percent-encoded, because an encoded delimiter does not separate values. */
  readonly raw: string
}

/** The first pairs of a text, by default all. A pair without `=` has an empty value. Empty pairs are counted and left out. */
export function parsePairs(
  text: string,
  separator: RegExp = /&/,
  limit?: number,
): readonly SentPair[] {
  return text.split(separator, limit).flatMap((pair) => {
    if (pair === '') return []
    const at = pair.indexOf('=')
    const name = at === -1 ? pair : pair.slice(0, at)
    return [{ name: decodeForm(name), raw: at === -1 ? '' : pair.slice(at + 1) }]
  })
}

/** Decodes a part of a query or form: `+` is a space. Malformed encoding stays as it is (WHATWG URL, section 5.1). */
function decodeForm(raw: string): string {
  if (!/[%+]/.test(raw)) return raw
  return new URLSearchParams(`v=${raw.replaceAll('&', '%26')}`).get('v') ?? raw
}

/** The pairs by name, in the order of the first occurrence of each name. */
function groupPairs(pairs: readonly SentPair[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>()
  for (const { name, raw } of pairs) {
    const known = groups.get(name)
    if (known) known.push(raw)
    else groups.set(name, [raw])
  }
  return groups
}

type Encodings = Readonly<Record<string, PropertyEncoding>>

/**
 * The fields of a form as one object. A property is written in the style of its `encoding`, else by repeated names. As common clients
 * do it, nested values may also be written with brackets (`a[b]=1`, `a[]=1`, `a[0]=1`) or as JSON.
 */
export function formNode(
  schema: Schema,
  source: FormSource,
  limit: ValueLimit,
  encoding: Encodings = {},
): TextNode {
  const branches = branchesOf(schema)
  const form = textNode()
  const names = [...source.pairs.keys()].map((name) => {
    const [root] = parseBrackets(name)
    return source.brackets.has(root) && !isNamed(branches, name) ? root : name
  })
  for (const name of new Set(names)) {
    const types = typesOf(propertyBranches(branches, name))
    const own = encoding[name]
    const node =
      own?.style || own?.explode !== undefined ? styled(schema, name, own, source) : undefined
    form.children.set(name, node ?? fieldNode(name, types, own, { source, limit }))
  }
  return form
}

function isNamed(branches: readonly Schema[], name: string): boolean {
  return branches.some(({ properties }) => properties && Object.hasOwn(properties, name))
}

/** A property in the style of its encoding. */
function styled(
  schema: Schema,
  name: string,
  { style, explode }: PropertyEncoding,
  source: FormSource,
): TextNode | undefined {
  const [property] = propertyBranches(branchesOf(schema), name)
  const parameter = {
    name,
    schema: property ?? {},
    ...(style && { style }),
    ...(explode !== undefined && { explode }),
  }
  return queryNodes(parameter, source)[0]
}

/** A property without a style: texts of the same name, and those with brackets. */
function fieldNode(
  name: string,
  types: ReadonlySet<string>,
  encoding: PropertyEncoding | undefined,
  { source, limit }: { readonly source: FormSource; readonly limit: ValueLimit },
): TextNode {
  const texts = (source.pairs.get(name) ?? []).map(source.decode)
  const inBrackets = bracketNode(name, source, texts.length > 0 ? types : new Set())
  if (inBrackets) {
    inBrackets.texts.unshift(...texts)
    return inBrackets
  }
  const value = isJson(encoding?.contentType ?? '')
    ? parseJsonText(texts[0] ?? '', limit)
    : undefined

  return value === undefined ? textNode(texts) : { ...textNode(texts), value }
}

/** How a list or object is written in one text. */
export interface Delimited {
  /** Between items. It is looked for before decoding, because an encoded delimiter is part of an item. */
  readonly delimiter: RegExp
  /** Between properties that are written as `name=value`, where values may contain the delimiter. */
  readonly beforeName?: RegExp
  /** Whether the properties of an object are written as `name=value`, else as alternating names and values. */
  readonly hasNames?: boolean
  readonly decode: (raw: string) => string
}

/** The items of a text. A text without a delimiter may have been encoded as a whole: then the second node has its parts. */
export function listNodes(
  raws: readonly string[],
  { delimiter, decode }: Delimited,
): readonly TextNode[] {
  const documented = raws.flatMap((raw) => raw.split(delimiter)).map(decode)
  const nodes = [textNode(documented)]
  const [only = ''] = documented
  const parts = only.split(delimiter)
  if (documented.length === 1 && parts.length > 1) nodes.push(textNode(parts))
  if (only === '' && documented.length === 1) nodes.push(EMPTY_LIST)

  return nodes
}

/** A list without items, which some styles write as an empty text. */
const EMPTY_LIST: TextNode = { texts: [], children: new Map(), value: [] }

/** The properties in a text. */
export function objectNodes(raw: string, delimited: Delimited): readonly TextNode[] {
  const decoded = delimited.decode(raw)
  const texts = decoded === raw ? [raw] : [raw, decoded]
  return texts
    .map((text) => pairsIn(text, delimited))
    .filter((pairs) => pairs.length > 0)
    .map(objectNode)
}

function pairsIn(
  text: string,
  { delimiter, beforeName = delimiter, hasNames, decode }: Delimited,
): readonly (readonly [string, string])[] {
  if (hasNames) {
    const pairs = text.split(beforeName).map((part) => part.split(/=(.*)/s))
    return pairs.every(({ length }) => length > 1)
      ? pairs.map(([name = '', value = '']) => [decode(name), decode(value)])
      : []
  }
  const parts = text.split(delimiter)
  if (parts.length % 2 === 1) return []
  return parts.flatMap((name, index) =>
    index % 2 === 0 ? [[decode(name), decode(parts[index + 1] ?? '')] as const] : [],
  )
}
