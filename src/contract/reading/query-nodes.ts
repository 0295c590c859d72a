import type { Parameter } from '../contract.ts'
import { branchesOf, propertyNames, typesOf } from './branches.ts'
import { listNodes, objectNodes } from './delimited.ts'
import { decodeForm, groupPairs, type SentPair } from './sent-pairs.ts'
import { addAt, objectNode, parseBrackets, type TextNode, textNode } from './text-node.ts'

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

type Styled = Pick<Parameter, 'name' | 'schema' | 'style' | 'explode'>

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
export function bracketNode(
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
