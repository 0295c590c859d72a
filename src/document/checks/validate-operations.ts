import { isHeaderName } from '../../http/headers.ts'
import { isObject } from '../../validation/objects.ts'
import { type Document, locationOf, resolveRef } from '../document.ts'
import { validateHints } from '../hints/read-hints.ts'
import { asObject, type Pointer } from '../json-value.ts'
import type { Mistake } from '../mistake.ts'
import {
  instantOf,
  isCallbackAddress,
  type OperationEntry,
  operationsOf,
  parameterNamesIn,
} from '../operations.ts'

/** Finds mistakes in paths and operations that OpenAPI's own schema does not detect. */
export function validateOperations(document: Document): Mistake[] {
  const entries = operationsOf(document)
  const templates = [...new Set(entries.map(({ template }) => template))]

  return [
    ...templates.flatMap((template) => validateTemplate(template, document)),
    ...findAmbiguousOperations(entries, document),
    ...findDuplicateIds(entries, document),
    ...entries.flatMap((entry) => [
      ...findUndeclaredParameters(entry, document),
      ...findUnusedParameters(entry, document),
      ...validateDeprecation(entry, document),
      ...validateResponseHints(entry, document),
      ...validateHeaderNames(entry, document),
      ...validateCallbacks(entry, document),
    ]),
  ]
}

/** The keys of a callback say where it is sent. */
function validateCallbacks({ operation, pointer }: OperationEntry, document: Document): Mistake[] {
  const path: Pointer = [...pointer, 'callbacks']
  return Object.entries(asObject(resolveRef(document, operation.callbacks))).flatMap(
    ([name, callback]) =>
      Object.keys(asObject(resolveRef(document, callback)))
        .filter((key) => !(key.startsWith('x-') || isCallbackAddress(key)))
        .map((key) => ({
          reason: `the callback "${name}" has the key "${key}", which is no runtime expression and no URL`,
          location: locationOf(document, [...path, name, key], 'key'),
          assumed: 'it is not sent',
          help: 'Write where the address is, such as {$request.body#/callbackUrl}.',
        })),
  )
}

function validateTemplate(template: string, document: Document): Mistake[] {
  const names = parameterNamesIn(template)
  const location = locationOf(document, ['paths', template], 'key')
  if (/[{}]/.test(template.replaceAll(/\{[^{}]+\}/g, ''))) {
    const help = 'Write each parameter as {name}.'
    const reason = `the path "${template}" has unbalanced braces`
    return [{ reason, location, assumed: 'a brace without a partner is text', help }]
  }
  const duplicate = names.find((name, index) => names.indexOf(name) < index)
  if (duplicate === undefined) return []

  const reason = `the path "${template}" contains {${duplicate}} twice`
  const assumed = 'it has the value of the last one'
  return [{ reason, location, assumed, help: 'Rename one of the two.' }]
}

/** Paths that differ only in their parameter names are one path. Each method of it can have only one operation. */
function findAmbiguousOperations(
  entries: readonly OperationEntry[],
  document: Document,
): Mistake[] {
  const first = new Map<string, OperationEntry>()

  return entries.flatMap((entry) => {
    const { method, template } = entry
    const key = `${method} ${template.replaceAll(/\{[^{}]*\}/g, '{}')}`
    const earlier = first.get(key)
    if (!earlier) first.set(key, entry)
    if (!earlier || earlier.template === template) return []
    const location = locationOf(document, ['paths', template], 'key')
    const reason = `${method} ${template} matches the same requests as ${method} ${earlier.template}`
    const assumed = 'the first one answers them'
    return [{ reason, location, assumed, help: 'Remove one of the two.' }]
  })
}

function findDuplicateIds(entries: readonly OperationEntry[], document: Document): Mistake[] {
  const owners = new Map<unknown, OperationEntry>()

  return entries.flatMap((entry) => {
    const { operation, pointer, method, template } = entry
    const { operationId } = operation
    const owner = owners.get(operationId)
    if (!owner) owners.set(operationId, entry)
    if (operationId === undefined || !owner) return []
    const location = locationOf(document, [...pointer, 'operationId'])
    const reason = `the operationId "${String(operationId)}" is already used by ${owner.method} ${owner.template}`
    const assumed = `its name is "${method} ${template}"`
    return [{ reason, location, assumed, help: 'Give each operation a unique operationId.' }]
  })
}

function findUndeclaredParameters(entry: OperationEntry, document: Document): Mistake[] {
  const { method, template, pointer, parameters } = entry
  const isDeclared = (name: string): boolean =>
    // A parameter with a wrong location has a mistake of its own.
    parameters.some(({ parameter }) => !isOtherLocation(parameter.in) && parameter.name === name)
  const location = locationOf(document, pointer, 'key')

  return parameterNamesIn(template)
    .filter((name) => !isDeclared(name))
    .map((name) => ({
      reason: `${method} ${template} does not declare the parameter {${name}}`,
      location,
      assumed: 'it is any text',
      help: `Add a parameter with "name: ${name}" and "in: path".`,
    }))
}

function isOtherLocation(location: unknown): boolean {
  return ['query', 'header', 'cookie', 'querystring'].some((known) => known === location)
}

function findUnusedParameters(
  { template, parameters }: OperationEntry,
  document: Document,
): Mistake[] {
  const names = parameterNamesIn(template)
  const help =
    names.length > 0
      ? `The path contains ${names.map((name) => `{${name}}`).join(', ')}.`
      : 'Remove the parameter.'

  return parameters
    .filter(({ parameter }) => parameter.in === 'path' && !names.includes(String(parameter.name)))
    .map(({ parameter, pointer }) => ({
      reason: `the path "${template}" does not contain {${String(parameter.name)}}`,
      location: locationOf(document, [...pointer, 'name']),
      assumed: 'the parameter is ignored',
      help,
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
    const help = 'Write an object with "date", "sunset" and "successor".'
    const location = locationOf(document, path)
    const assumed = 'the operation is deprecated, without dates'
    return [{ reason: '"x-deprecation" must be an object', location, assumed, help }]
  }
  const invalidDates = ['date', 'sunset'].filter(
    (key) => deprecation[key] !== undefined && instantOf(deprecation[key]) === undefined,
  )
  const mistakes = invalidDates.map((key) => ({
    reason: `"${key}" must be a date (got ${JSON.stringify(deprecation[key])})`,
    location: locationOf(document, [...path, key]),
    assumed: 'there is no such date',
    help: 'Write it as 2030-12-05 or 2030-12-05T00:00:00Z.',
  }))
  const { successor } = deprecation
  if (successor === undefined || typeof successor === 'string') return mistakes
  const location = locationOf(document, [...path, 'successor'])
  const help = 'Write a path such as /books, or a URL.'

  const assumed = 'there is no successor'

  return [...mistakes, { reason: '"successor" must be a string', location, assumed, help }]
}

function validateResponseHints(
  { operation, pointer }: OperationEntry,
  document: Document,
): Mistake[] {
  return Object.entries(asObject(operation.responses)).flatMap(([status, response]) =>
    validateHints(
      'response',
      resolveRef(document, response),
      [...pointer, 'responses', status],
      document,
    ),
  )
}

/** Headers that no response can have. */
function validateHeaderNames(
  { operation, pointer }: OperationEntry,
  document: Document,
): Mistake[] {
  return Object.entries(resolveRef(document, operation.responses)).flatMap(([status, value]) =>
    Object.keys(resolveRef(document, resolveRef(document, value).headers))
      .filter((name) => !isHeaderName(name))
      .map((name) => ({
        reason: `${JSON.stringify(name)} is not the name of a header`,
        location: locationOf(document, [...pointer, 'responses', status, 'headers', name], 'key'),
        assumed: 'it is not sent',
        help: 'Use letters, digits and hyphens.',
      })),
  )
}
