import type { ErrorObject } from 'ajv'
import { parsePointer } from '../../contract/schema.ts'
import { shortened, suggest } from '../../validation/usage-error.ts'
import { type Document, findValue, locationOf } from '../document.ts'
import { type Pointer, pointerKey, refOf } from '../json-value.ts'
import type { Mistake } from '../mistake.ts'

/** Turns Ajv's errors about a document, or about the part of it at `base`, into mistakes. */
export function toMistakes(
  errors: readonly ErrorObject[],
  document: Document,
  base: Pointer = [],
): Mistake[] {
  const relevant = withoutOtherLocations(errors)
  const allowed = allowedValues(relevant)
  const all = relevant.map((error) => locateError(error, allowed, document, base))
  const invalid = new Set(all.filter(isInvalidEnum).map(({ pointer }) => pointerKey(pointer)))
  const parents = new Set(
    all.filter(isInvalidEnum).map(({ pointer }) => pointerKey(pointer.slice(0, -1))),
  )
  const causes = all.filter((error) => isCause(error, invalid, parents))

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

/** The values that `enum` allows at each place. */
type AllowedValues = ReadonlyMap<string, ReadonlySet<unknown>>

function allowedValues(errors: readonly ErrorObject[]): AllowedValues {
  const allowed = new Map<string, Set<unknown>>()
  for (const { keyword, instancePath, params } of errors) {
    if (keyword !== 'enum') continue
    const known = allowed.get(instancePath) ?? new Set()
    allowed.set(instancePath, known)
    for (const value of params.allowedValues as unknown[]) known.add(value)
  }
  return allowed
}

function locateError(
  error: ErrorObject,
  allowed: AllowedValues,
  document: Document,
  base: Pointer,
): LocatedError {
  const pointer = [...base, ...parsePointer(error.instancePath)]

  return {
    error,
    pointer,
    value: findValue(document, pointer)?.value,
    allowed: [...(allowed.get(error.instancePath) ?? [])],
  }
}

/**
 * For a schema with several branches, Ajv reports why each branch fails. The cause is the error of the branch that the author
 * meant: a value that no branch's `enum` accepts, otherwise any error that is not just a demand of another branch. `invalid` are
 * the places of the former, and `parents` those of the objects around them.
 */
function isCause(
  { error, pointer, value, allowed }: LocatedError,
  invalid: ReadonlySet<string>,
  parents: ReadonlySet<string>,
): boolean {
  const { keyword, params, schemaPath } = error
  if (['oneOf', 'anyOf', 'allOf', 'if', 'not'].includes(keyword)) return false
  // For a list of types, the errors of its items say more.
  if (keyword === 'enum') return !allowed.includes(value) && !Array.isArray(value)
  // A mistake of its own says that no $ref is allowed there. The target is checked in its own place.
  if (refOf(value) !== undefined) return extraOf(error) === '$ref'
  // Loading has reported a $ref that is no text.
  if (extraOf(error) === '$ref') return false
  if (params.missingProperty === '$ref' || /oneOf\/[1-9]\d*\/required$/.test(schemaPath))
    return false
  const ofChildren = ['required', 'unevaluatedProperties'].includes(keyword)

  return !(ofChildren ? parents : invalid).has(pointerKey(pointer))
}

function isInvalidEnum({ error, value, allowed }: LocatedError): boolean {
  return error.keyword === 'enum' && !allowed.includes(value)
}

function toMistake(located: LocatedError, document: Document): Mistake {
  return { ...describe(located, document), detail: 'general' }
}

function describe({ error, pointer, value, allowed }: LocatedError, document: Document): Mistake {
  const { keyword, params, message = 'is not valid' } = error
  const name = nameOf(pointer, document)
  const location = locationOf(document, pointer)
  const missing: unknown = params.missingProperty
  const extra = extraOf(error)

  if (keyword === 'enum' && value === undefined) {
    const assumed = withoutField(pointer.at(-1))
    return { reason: `${name} is missing`, location, assumed, help: `Add ${name}.` }
  }
  if (keyword === 'enum') {
    const reason = `${name} has the invalid value ${shortened(JSON.stringify(value))}`
    const assumed = 'the value is ignored'
    return { reason, location, assumed, ...suggest(String(value), allowed.map(String)) }
  }
  if (typeof missing === 'string') {
    const assumed = withoutField(missing)
    return { reason: `${name} has no "${missing}"`, location, assumed, help: `Add "${missing}".` }
  }
  if (extra !== undefined) return unknownField(extra, [...pointer, extra], document)
  if (keyword === 'type') {
    const reason = `${name} must be ${describeTypes(params.type)}`
    const assumed = isSchemaType(params.type) ? 'any value is valid' : 'the value is ignored'
    return { reason, location, assumed, help: typeHelp(params.type, value) }
  }
  const assumed = 'the value is used as far as possible'

  return { reason: `${name} ${message}`, location, assumed, help: 'Correct the value.' }
}

/** The name of a field that an object must not have. */
function extraOf({ params }: ErrorObject): string | undefined {
  const extra: unknown =
    params.additionalProperty ?? params.unevaluatedProperty ?? params.propertyName
  return typeof extra === 'string' ? extra : undefined
}

const WITHOUT: Readonly<Record<string, string>> = {
  responses: 'the operation has no documented responses',
  in: 'the object is ignored',
  name: 'the object is ignored',
}

/** What is assumed when a field is missing. */
function withoutField(name = ''): string {
  return (Object.hasOwn(WITHOUT, name) && WITHOUT[name]) || 'it is empty'
}

function unknownField(key: string, pointer: Pointer, document: Document): Mistake {
  const location = locationOf(document, pointer, 'key')
  if (pointer.length === 2 && pointer[0] === 'paths') {
    const reason = `the path "${key}" does not start with "/"`
    return { reason, location, assumed: 'the path is ignored', help: `Write it as "/${key}".` }
  }
  const owner = nameOf(pointer.slice(0, -1), document)
  if (key === '$ref') {
    const help = 'Write its target in this place.'
    return { reason: `${owner} must not be a $ref`, location, assumed: 'it is followed', help }
  }
  const reason = `${owner} has the unknown field "${key}"`
  const help = 'Check the spelling and the indentation.'

  return { reason, location, assumed: 'the field is ignored', help }
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

/** The `schemaPath` of an error in one branch of a `oneOf`, about an object or about a property of it. */
const BRANCH_ERROR = /^(.*\/oneOf)\/(\d+)\/(?:required|properties\/(\w+)\/enum)$/

interface BranchError {
  /** Identifies the `oneOf` and the object. */
  readonly oneOf: string
  /** Identifies the branch of the `oneOf` and the object. */
  readonly branch: string
  /** The property whose value is wrong; absent when a property is missing. */
  readonly property?: string | undefined
}

/**
 * Removes the errors about other locations than a parameter's own. OpenAPI 3.0's schema has one branch for each value of `in`,
 * and every branch reports errors for an invalid parameter. Only the branch of the parameter's own location is relevant. When
 * no branch accepts the location, the location itself is the mistake.
 */
function withoutOtherLocations(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const branchErrors = new Map(errors.map((error) => [error, parseBranchError(error)]))
  const all = [...branchErrors.values()].filter((error) => error !== undefined)
  const rejecting = new Set(
    all.flatMap(({ branch, property }) => (property === 'in' ? [branch] : [])),
  )
  const withOwnBranch = new Set(
    all.flatMap(({ branch, oneOf }) => (rejecting.has(branch) ? [] : [oneOf])),
  )

  return errors.filter((error) => {
    const { branch = '', oneOf = '', property } = branchErrors.get(error) ?? {}
    return !rejecting.has(branch) || (property === 'in' && !withOwnBranch.has(oneOf))
  })
}

function parseBranchError({ schemaPath, instancePath }: ErrorObject): BranchError | undefined {
  const [, keyword, index, property] = BRANCH_ERROR.exec(schemaPath) ?? []
  if (keyword === undefined) return undefined
  const object = property === undefined ? instancePath : instancePath.slice(0, -property.length - 1)
  const oneOf = `${object} ${keyword}`

  return { oneOf, branch: `${oneOf} ${index}`, property }
}
