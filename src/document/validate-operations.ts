import { isObject } from '../validation/is-object.ts'
import { parseInstant } from './deprecation.ts'
import { type Document, locationOf, resolveRef } from './document.ts'
import { hintMistakes } from './hints.ts'
import type { Pointer } from './json-pointer.ts'
import { asObject } from './json-value.ts'
import type { Mistake } from './mistake.ts'
import { type OperationEntry, operationsOf, parameterNamesIn } from './operations.ts'

/** Finds mistakes in paths and operations that OpenAPI's own schema does not detect. */
export function validateOperations(document: Document): Mistake[] {
  const entries = operationsOf(document)
  const templates = [...new Set(entries.map(({ template }) => template))]

  return [
    ...templates.flatMap((template) => validateTemplate(template, document)),
    ...findIdenticalTemplates(templates, document),
    ...findDuplicateIds(entries, document),
    ...entries.flatMap((entry) => [
      ...findUndeclaredParameters(entry, document),
      ...findUnusedParameters(entry, document),
      ...validateDeprecation(entry, document),
      ...validateResponseHints(entry, document),
    ]),
  ]
}

function validateTemplate(template: string, document: Document): Mistake[] {
  const names = parameterNamesIn(template)
  const place = locationOf(document, ['paths', template], 'key')
  if (/[{}]/.test(template.replaceAll(/\{[^{}]+\}/g, ''))) {
    const advice = 'Write each parameter as {name}.'
    return [{ why: `the path "${template}" has unbalanced braces`, place, advice }]
  }
  const duplicate = names.find((name, index) => names.indexOf(name) < index)
  if (duplicate === undefined) return []

  const why = `the path "${template}" contains {${duplicate}} twice`
  return [{ why, place, advice: 'Rename one of the two.' }]
}

function findIdenticalTemplates(templates: readonly string[], document: Document): Mistake[] {
  const withoutNames = (template: string): string => template.replaceAll(/\{[^{}]*\}/g, '{}')

  return templates.flatMap((template, index) => {
    const earlier = templates
      .slice(0, index)
      .find((other) => withoutNames(other) === withoutNames(template))
    if (earlier === undefined) return []
    const place = locationOf(document, ['paths', template], 'key')
    const why = `the paths "${earlier}" and "${template}" differ only in their parameter names`

    return [{ why, place, advice: 'Move all operations to one of the two paths.' }]
  })
}

function findDuplicateIds(entries: readonly OperationEntry[], document: Document): Mistake[] {
  return entries.flatMap(({ operation: { operationId }, pointer }, index) => {
    const earlier = entries
      .slice(0, index)
      .find(({ operation }) => operation.operationId === operationId)
    if (operationId === undefined || !earlier) return []
    const place = locationOf(document, [...pointer, 'operationId'])
    const owner = `${earlier.method} ${earlier.template}`
    const why = `the operationId "${String(operationId)}" is already used by ${owner}`

    return [{ why, place, advice: 'Give each operation a unique operationId.' }]
  })
}

function findUndeclaredParameters(entry: OperationEntry, document: Document): Mistake[] {
  const { method, template, pointer, parameters } = entry
  const isDeclared = (name: string): boolean =>
    parameters.some(({ parameter }) => parameter.in === 'path' && parameter.name === name)
  const place = locationOf(document, pointer, 'key')

  return parameterNamesIn(template)
    .filter((name) => !isDeclared(name))
    .map((name) => ({
      why: `${method} ${template} does not declare the parameter {${name}}`,
      place,
      advice: `Add a parameter with "name: ${name}" and "in: path".`,
    }))
}

function findUnusedParameters(
  { template, parameters }: OperationEntry,
  document: Document,
): Mistake[] {
  const names = parameterNamesIn(template)
  const advice =
    names.length > 0
      ? `The path contains ${names.map((name) => `{${name}}`).join(', ')}.`
      : 'Remove the parameter.'

  return parameters
    .filter(({ parameter }) => parameter.in === 'path' && !names.includes(String(parameter.name)))
    .map(({ parameter, pointer }) => ({
      why: `the path "${template}" does not contain {${String(parameter.name)}}`,
      place: locationOf(document, [...pointer, 'name']),
      advice,
    }))
}

function validateDeprecation(
  { operation, pointer }: OperationEntry,
  document: Document,
): Mistake[] {
  const deprecation = operation['x-deprecation']
  const path: Pointer = [...pointer, 'x-deprecation']
  if (deprecation === undefined) return []
  if (!isObject(deprecation)) {
    const advice = 'Write an object with "date", "sunset" and "successor".'
    return [{ why: '"x-deprecation" must be an object', place: locationOf(document, path), advice }]
  }
  const invalidDates = ['date', 'sunset'].filter(
    (key) => deprecation[key] !== undefined && parseInstant(deprecation[key]) === undefined,
  )
  const mistakes = invalidDates.map((key) => ({
    why: `"${key}" must be a date (got ${JSON.stringify(deprecation[key])})`,
    place: locationOf(document, [...path, key]),
    advice: 'Write it as 2030-12-05 or 2030-12-05T00:00:00Z.',
  }))
  const { successor } = deprecation
  if (successor === undefined || typeof successor === 'string') return mistakes
  const place = locationOf(document, [...path, 'successor'])
  const advice = 'Write a path such as /books, or a URL.'

  return [...mistakes, { why: '"successor" must be a string', place, advice }]
}

function validateResponseHints(
  { operation, pointer }: OperationEntry,
  document: Document,
): Mistake[] {
  return Object.entries(asObject(operation.responses)).flatMap(([status, response]) =>
    hintMistakes(
      'response',
      resolveRef(document, response),
      [...pointer, 'responses', status],
      document,
    ),
  )
}
