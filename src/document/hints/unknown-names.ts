import { suggest } from '../../validation/usage-error.ts'
import { spell, type ValueMistake, type ValuePath } from '../../validation/value-check.ts'
import { asObject, asString, type JsonObject } from '../json-value.ts'
import type { ParameterEntry } from '../operations.ts'

/** The query parameters that the hints of an operation name and that the operation does not have. */
export function unknownNamesIn(
  { paging, filters, sort }: JsonObject,
  parameters: readonly ParameterEntry[],
): readonly ValueMistake[] {
  const known = parameters
    .filter(({ parameter }) => parameter.in === 'query')
    .map(({ parameter }) => String(parameter.name))
  const named = [
    ...membersOf('paging', paging, ['parameter', 'size', 'before']),
    ...membersOf('sort', sort, ['by', 'direction']),
    ...Object.keys(asObject(filters)).map((name): Named => [['filters', name], name]),
  ]

  return unknown('query parameter', named, known)
}

/** The paths and operations that the hints of a path name and that the document does not have. */
export function unknownPathsIn(
  hints: JsonObject,
  templates: readonly string[],
  operationIds: readonly string[],
): readonly ValueMistake[] {
  const { item, view } = hints
  const items = asString(item) === undefined ? [] : [[['item'], String(item)] as const]
  const views = asString(view) === undefined ? [] : [[['view'], String(view)] as const]

  return [...unknown('path', items, templates), ...unknown('operation', views, operationIds)]
}

type Named = readonly [path: ValuePath, name: string]

function membersOf(field: string, value: unknown, names: readonly string[]): readonly Named[] {
  return names.flatMap((name) => {
    const member = asString(asObject(value)[name])
    return member === undefined ? [] : [[[field, name], member] as const]
  })
}

function unknown(
  kind: string,
  named: readonly Named[],
  known: readonly string[],
): readonly ValueMistake[] {
  return named
    .filter(([, name]) => !known.includes(name))
    .map(([path, name]) => ({
      path,
      // The names of filters are keys.
      part: path[0] === 'filters' ? 'key' : 'value',
      reason: `unknown ${kind} "${name}" in ${spell(path)}`,
      ...suggest(name, known),
    }))
}
