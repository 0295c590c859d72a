import { parametersIn, placeholdersIn } from '../../contract/templates.ts'
import { withoutNames } from '../../inference/path-shape.ts'
import { isObject } from '../../validation/objects.ts'
import { suggest } from '../../validation/usage-error.ts'
import { spell, type ValueMistake, type ValuePath } from '../../validation/value-check.ts'
import { type Document, resolveRef } from '../document.ts'
import { asObject, type JsonObject } from '../json-value.ts'
import type { OperationEntry } from '../operations.ts'

/** The fields of an operation's hints that may have placeholders. */
const FIELDS = ['set', 'after', 'refers', 'refuse', 'also', 'where', 'answer'] as const

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
    ...FIELDS.flatMap((field) => textMistakes(hints[field], [...at, field], known)),
    ...textMistakes(asObject(hints.failures).body, [...at, 'failures', 'body'], failures),
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

/** Texts in braces that stand for a value without a name in front. */
const WORDS = ['now', 'absent', 'uuid']

function textMistakes(value: unknown, path: ValuePath, known: Known): readonly ValueMistake[] {
  if (Array.isArray(value))
    return value.flatMap((one, at) => textMistakes(one, [...path, at], known))
  if (isObject(value))
    return Object.entries(value).flatMap(([name, one]) => textMistakes(one, [...path, name], known))
  if (typeof value !== 'string') return []
  const [, word] = /^\{(\w+)\}$/.exec(value) ?? []
  if (word !== undefined && !WORDS.includes(word)) {
    const names = [...WORDS, ...known.keys()].map((name) => `{${name}}`)
    const reason = `unknown value "${value}" in ${spell(path)}`
    return [{ path, part: 'value', reason, ...suggest(value, names) }]
  }
  return placeholdersIn(value).flatMap((names) => unknownIn(names, path, 'value', known))
}

function unknownIn(
  [first = '', second]: readonly string[],
  path: ValuePath,
  part: 'key' | 'value',
  known: Known,
): readonly ValueMistake[] {
  if (first === 'uuid') return []
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
