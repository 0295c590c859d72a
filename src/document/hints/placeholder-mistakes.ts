import { parametersIn, placeholdersIn } from '../../contract/templates.ts'
import { withoutNames } from '../../inference/path-shape.ts'
import { isObject } from '../../validation/objects.ts'
import { suggest } from '../../validation/usage-error.ts'
import { spell, type ValueMistake, type ValuePath } from '../../validation/value-check.ts'
import { type Document, resolveRef } from '../document.ts'
import { asObject, type JsonObject } from '../json-value.ts'
import type { OperationEntry } from '../operations.ts'

/** The fields of an operation's hints that may have placeholders, and the texts in braces that stand for a value without a name in front. */
const FIELDS = {
  set: ['now', 'absent', 'uuid', 'revision'],
  after: ['now', 'absent', 'uuid', 'revision'],
  refers: ['now', 'absent'],
  refuse: ['now', 'absent', 'uuid'],
  also: ['now', 'absent', 'uuid', 'revision'],
  where: ['now', 'absent'],
  answer: ['now', 'absent', 'uuid'],
} as const

/** Those of the body of a failure. */
const FAILURE_WORDS = ['now', 'absent']

/** What placeholders of an operation can start with, and the names that follow; `undefined` where these are not known. */
type Known = ReadonlyMap<string, readonly string[] | undefined>

/** The placeholders, the conditions and the collections of an operation's hints that name nothing. `at` leads to the hints, as in a case. */
export function placeholderMistakes(
  hints: JsonObject,
  entry: OperationEntry,
  document: Document,
  at: ValuePath = [],
): readonly ValueMistake[] {
  const known = knownNames(hints, entry, document)
  const conditionsIn = (value: unknown, path: ValuePath): readonly ValueMistake[] =>
    Object.keys(asObject(value)).flatMap((name) =>
      unknownIn(name.split('.'), [...path, name], 'key', known),
    )
  const refusals = [hints.refuse].flat().flatMap((refusal, index) => {
    return conditionsIn(asObject(refusal).unless, [...at, 'refuse', index, 'unless'])
  })
  const cases = [hints.cases].flat().flatMap((one, index) => {
    const path = [...at, 'cases', index]
    return isObject(one) ? placeholderMistakes(one, entry, document, path) : []
  })
  const failures = new Map([...known, ['error', ERROR_NAMES] as const])
  return [
    ...Object.entries(FIELDS).flatMap(([field, words]) =>
      textMistakes(hints[field], [...at, field], { names: known, words }),
    ),
    ...textMistakes(asObject(hints.failures).body, [...at, 'failures', 'body'], {
      names: failures,
      words: FAILURE_WORDS,
    }),
    ...conditionsIn(hints.when, [...at, 'when']),
    ...refusals,
    ...collectionMistakes(hints, document, known, at),
    ...cases,
  ]
}

/** What the body of a failure may say of the error. */
const ERROR_NAMES = ['code', 'message', 'status', 'field']

function knownNames(hints: JsonObject, entry: OperationEntry, document: Document): Known {
  const named = (location: string): readonly string[] =>
    entry.parameters.flatMap(({ parameter }) =>
      parameter.in === location ? [String(parameter.name)] : [],
    )
  return new Map<string, readonly string[] | undefined>([
    ['body', bodyNames(entry, document)],
    ['query', named('query')],
    ['path', named('path')],
    ['header', named('header')],
    ['record', undefined],
    ['parent', undefined],
    ['caller', undefined],
    ...Object.keys(asObject(hints.refers)).map((name) => [name, undefined] as const),
  ])
}

/** The properties of a request body; `undefined` when any may be there. */
function bodyNames(
  { operation }: OperationEntry,
  document: Document,
): readonly string[] | undefined {
  const { content } = resolveRef(document, operation.requestBody)
  const [media] = Object.values(asObject(content))
  const names = namesIn(asObject(media).schema, document, 0)

  return names.length > 0 ? names : undefined
}

/** Schemas may contain themselves. */
const MAX_DEPTH = 5

function namesIn(value: unknown, document: Document, depth: number): readonly string[] {
  if (depth > MAX_DEPTH || !isObject(value)) return []
  const { properties, allOf, anyOf, oneOf } = resolveRef(document, value)
  const branches = [allOf, anyOf, oneOf].flatMap((one) => (Array.isArray(one) ? one : []))
  const inherited = branches.flatMap((one) => namesIn(one, document, depth + 1))

  return [...new Set([...Object.keys(asObject(properties)), ...inherited])]
}

/** What texts of a hint may have in braces. */
interface Placeholders {
  readonly names: Known
  readonly words: readonly string[]
}

function textMistakes(
  value: unknown,
  path: ValuePath,
  known: Placeholders,
): readonly ValueMistake[] {
  if (Array.isArray(value))
    return value.flatMap((one, at) => textMistakes(one, [...path, at], known))
  if (isObject(value))
    return Object.entries(value).flatMap(([name, one]) => textMistakes(one, [...path, name], known))
  if (typeof value !== 'string') return []
  const words = [...value.matchAll(/\{(\w+)\}/g)].flatMap(([text]) =>
    wordMistakes(text, value, path, known),
  )
  if (words.length > 0) return words
  return placeholdersIn(value)
    .filter(([, name]) => name !== undefined)
    .flatMap((names) => unknownIn(names, path, 'value', known.names))
}

/** The texts in braces that the values of new records may have, by their first words. */
const VALUE_WORDS = [
  ...['now', 'changed', 'absent', 'self', 'path', 'revision'],
  ...['caller', 'slug', 'count', 'records', 'size', 'referring'],
]

/** The texts in the hints `values` of a path that stand for nothing there. */
export function valueMistakes(values: JsonObject): readonly ValueMistake[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (typeof value !== 'string') return []
    const path = ['values', name]
    const [, word] = /^\{(\w+)(?: .+)?\}$/.exec(value) ?? []
    if (word !== undefined && VALUE_WORDS.includes(word)) return []
    const [placeholder] = placeholdersIn(value)
    if (placeholder) {
      const text = `{${placeholder.join('.')}}`
      const reason = `${text} is not for ${spell(path)}: an operation can set it, by "set"`
      return [{ path, part: 'value' as const, reason }]
    }
    if (word === undefined) return []
    const reason = `unknown value "${value}" in ${spell(path)}`
    const known = VALUE_WORDS.map((one) => `{${one}}`)
    return [{ path, part: 'value' as const, reason, ...suggest(value, known) }]
  })
}

/** Texts in braces that stand for a whole value only. */
const WHOLE = ['{absent}', '{revision}']

/** A text in braces within another one, which stands for nothing. In a longer text, it may be meant as it is. */
function wordMistakes(
  text: string,
  value: string,
  path: ValuePath,
  { names, words }: Placeholders,
): readonly ValueMistake[] {
  const isLonger = text !== value
  const allowed = words.map((word) => `{${word}}`)
  if (isLonger && WHOLE.includes(text)) {
    const reason = `${text} in ${spell(path)} cannot be a part of a longer text`
    return [{ path, part: 'value', reason }]
  }
  if (allowed.includes(text)) return []
  const known = [...words, ...names.keys()]
  const found = suggest(
    text,
    known.map((name) => `{${name}}`),
  )
  const isMeant = !isLonger || suggest(text.slice(1, -1), known).suggestion !== undefined
  const reason = `unknown value "${text}" in ${spell(path)}`

  return isMeant ? [{ path, part: 'value', reason, ...found }] : []
}

function unknownIn(
  [first = '', second]: readonly string[],
  path: ValuePath,
  part: 'key' | 'value',
  known: Known,
): readonly ValueMistake[] {
  const mistake = (name: string, names: readonly string[]): ValueMistake => {
    const reason = `unknown name "${name}" in ${spell(path)}`
    return { path, part, reason, ...suggest(name, names) }
  }
  if (!known.has(first)) return [mistake(first, [...known.keys()])]
  const names = known.get(first)
  if (second === undefined || !names || names.includes(second)) return []

  return [
    mistake(
      `${first}.${second}`,
      names.map((name) => `${first}.${name}`),
    ),
  ]
}

/** The collections that references and other changes name, and that no path of the document leads to. */
function collectionMistakes(
  hints: JsonObject,
  { root }: Document,
  known: Known,
  at: ValuePath,
): readonly ValueMistake[] {
  const given = Object.keys(asObject(asObject(root['x-sandbox']).resources))
  const templates = [...Object.keys(asObject(root.paths)), ...given]
  const collections = new Set(templates.map(withoutNames))
  const named = [
    ...Object.entries(asObject(hints.refers)).map(
      ([name, one]) => [[...at, 'refers', name, 'in'], asObject(one).in] as const,
    ),
    ...[hints.also].flat().map((one, index) => {
      return [[...at, 'also', index, 'in'], asObject(one).in] as const
    }),
  ]
  return named.flatMap(([path, collection]) => {
    if (typeof collection !== 'string') return []
    const like = withoutNames(collection)
    if ([...collections].some((one) => one === like || one.startsWith(`${like}/`))) {
      return parametersIn(collection).flatMap((name) =>
        unknownIn(['path', name], path, 'value', known),
      )
    }
    const reason = `unknown path "${collection}" in ${spell(path)}`
    return [{ path, part: 'value' as const, reason, ...suggest(collection, templates) }]
  })
}
