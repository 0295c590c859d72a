import type { ErrorObject } from 'ajv'
import { parsePointer } from '../contract/parse-pointer.ts'
import { suggest } from '../validation/suggestion.ts'
import { shortened } from '../validation/usage-error.ts'
import { type Document, findValue, locationOf } from './document.ts'
import type { Pointer } from './json-pointer.ts'
import type { Mistake } from './mistake.ts'
import { withoutOtherLocations } from './parameter-errors.ts'

/** Turns Ajv's errors about a document, or about the part of it at `base`, into mistakes. */
export function toMistakes(
  errors: readonly ErrorObject[],
  document: Document,
  base: Pointer = [],
): Mistake[] {
  const relevant = withoutOtherLocations(errors)
  const all = relevant.map((error) => locateError(error, relevant, document, base))
  const causes = all.filter((error) => isCause(error, all))

  return (causes.length > 0 ? causes : all.slice(0, 1)).map((error) => toMistake(error, document))
}

/** An error of Ajv's, with the value that it is about. */
interface LocatedError {
  readonly error: ErrorObject
  readonly pointer: Pointer
  readonly value: unknown
  /** The values that `enum` allows, in all branches together. */
  readonly allowed: readonly unknown[]
}

function locateError(
  error: ErrorObject,
  errors: readonly ErrorObject[],
  document: Document,
  base: Pointer,
): LocatedError {
  const pointer = [...base, ...parsePointer(error.instancePath)]
  const enumErrors = errors.filter(
    ({ keyword, instancePath }) => keyword === 'enum' && instancePath === error.instancePath,
  )
  const allowed = [
    ...new Set(enumErrors.flatMap(({ params }) => params.allowedValues as unknown[])),
  ]

  return { error, pointer, value: findValue(document, pointer)?.value, allowed }
}

/**
 * For a schema with several branches, Ajv reports why each branch fails. The cause is the error of the branch that the author
 * meant: a value that no branch's `enum` accepts, otherwise any error that is not just a demand of another branch.
 */
function isCause(
  { error, pointer, value, allowed }: LocatedError,
  all: readonly LocatedError[],
): boolean {
  const { keyword, params, schemaPath } = error
  if (['oneOf', 'anyOf', 'allOf', 'if', 'not'].includes(keyword)) return false
  // For a list of types, the errors of its items say more.
  if (keyword === 'enum') return !allowed.includes(value) && !Array.isArray(value)
  if (params.missingProperty === '$ref' || /oneOf\/[1-9]\d*\/required$/.test(schemaPath))
    return false
  const isInvalidEnum = (other: LocatedError): boolean =>
    other.error.keyword === 'enum' && !other.allowed.includes(other.value)
  const distance = ['required', 'unevaluatedProperties'].includes(keyword) ? 1 : 0

  return !all.some((other) => isInvalidEnum(other) && isBelow(other.pointer, pointer, distance))
}

function isBelow(pointer: Pointer, ancestor: Pointer, distance: number): boolean {
  return (
    pointer.length === ancestor.length + distance &&
    ancestor.every((key, index) => key === pointer[index])
  )
}

function toMistake({ error, pointer, value, allowed }: LocatedError, document: Document): Mistake {
  const { keyword, params, message = 'is not valid' } = error
  const name = nameOf(pointer, document)
  const location = locationOf(document, pointer)
  const missing: unknown = params.missingProperty
  const extra: unknown =
    params.additionalProperty ?? params.unevaluatedProperty ?? params.propertyName

  if (keyword === 'enum' && value === undefined) {
    return { reason: `${name} is missing`, location, help: `Add ${name}.` }
  }
  if (keyword === 'enum') {
    const reason = `${name} has the invalid value ${shortened(JSON.stringify(value))}`
    return { reason, location, ...suggest(String(value), allowed.map(String)) }
  }
  if (typeof missing === 'string') {
    return { reason: `${name} has no "${missing}"`, location, help: `Add "${missing}".` }
  }
  if (typeof extra === 'string') return unknownField(extra, [...pointer, extra], document)
  if (keyword === 'type') {
    const reason = `${name} must be ${describeTypes(params.type)}`
    return { reason, location, help: typeHelp(params.type, value) }
  }

  return { reason: `${name} ${message}`, location, help: 'Correct the value.' }
}

function unknownField(key: string, pointer: Pointer, document: Document): Mistake {
  const location = locationOf(document, pointer, 'key')
  if (pointer.length === 2 && pointer[0] === 'paths') {
    const reason = `the path "${key}" does not start with "/"`
    return { reason, location, help: `Write it as "/${key}".` }
  }
  const reason = `${nameOf(pointer.slice(0, -1), document)} has the unknown field "${key}"`

  return { reason, location, help: 'Check the spelling and the indentation.' }
}

function nameOf(pointer: Pointer, document: Document): string {
  const last = pointer.at(-1)
  if (last === undefined) return 'the document'
  const isItem = Array.isArray(findValue(document, pointer.slice(0, -1))?.value)

  return isItem ? `item ${Number(last) + 1} of "${pointer.at(-2)}"` : `"${last}"`
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  array: 'an array',
  object: 'an object',
  boolean: 'a boolean',
  number: 'a number',
  integer: 'an integer',
}

function describeTypes(type: unknown): string {
  if (isSchemaType(type)) return 'a schema'

  return [type]
    .flat()
    .map((name) => TYPES[String(name)] ?? String(name))
    .join(' or ')
}

/** A schema is an object or a boolean. */
function isSchemaType(type: unknown): boolean {
  return Array.isArray(type) && type.includes('object') && type.includes('boolean')
}

function typeHelp(type: unknown, value: unknown): string {
  const example = typeof value === 'string' ? value : 'string'
  if (isSchemaType(type)) return `Write it as { type: ${example} }.`
  const isUnquoted = type === 'string' && typeof value !== 'object'

  return isUnquoted ? `Put it in quotes: '${String(value)}'.` : 'Correct the value.'
}
