import type { ErrorObject } from 'ajv'
import { shortened, suggest } from '../validation/usage-error.ts'
import { type Document, find, placeOf } from './document.ts'
import type { Mistake } from './mistake.ts'
import { type Path, pathOfPointer } from './node.ts'
import { ofOwnLocation } from './parameter-location.ts'

/** Turns Ajv's errors about a document, or about the part of it at `base`, into mistakes. */
export function explain(
  errors: readonly ErrorObject[],
  document: Document,
  base: Path = [],
): Mistake[] {
  const meant = ofOwnLocation(errors)
  const all = meant.map((error) => findingOf(error, meant, document, base))
  const causes = all.filter((finding) => isCause(finding, all))

  return (causes.length > 0 ? causes : all.slice(0, 1)).map((finding) =>
    mistakeOf(finding, document),
  )
}

/** An error of Ajv's and what it is about. */
interface Finding {
  readonly error: ErrorObject
  readonly path: Path
  readonly value: unknown
  /** The values allowed, those of all branches together. */
  readonly allowed: readonly unknown[]
}

function findingOf(
  error: ErrorObject,
  errors: readonly ErrorObject[],
  document: Document,
  base: Path,
): Finding {
  const path = [...base, ...pathOfPointer(error.instancePath)]
  const rivals = errors.filter(
    ({ keyword, instancePath }) => keyword === 'enum' && instancePath === error.instancePath,
  )
  const allowed = [...new Set(rivals.flatMap(({ params }) => params.allowedValues as unknown[]))]

  return { error, path, value: find(document, path)?.value, allowed }
}

/**
 * Of a schema with several branches Ajv reports why each of them fails. What is wrong is told by
 * the branch that the author meant: the enum that no branch accepts, else whatever is not just
 * another branch's demand.
 */
function isCause({ error, path, value, allowed }: Finding, all: readonly Finding[]): boolean {
  const { keyword, params, schemaPath } = error
  if (['oneOf', 'anyOf', 'allOf', 'if', 'not'].includes(keyword)) return false
  // Of a list of types, the single ones are told.
  if (keyword === 'enum') return !allowed.includes(value) && !Array.isArray(value)
  if (params.missingProperty === '$ref' || /oneOf\/[1-9]\d*\/required$/.test(schemaPath))
    return false
  const isRefusedEnum = (other: Finding): boolean =>
    other.error.keyword === 'enum' && !other.allowed.includes(other.value)
  const near = ['required', 'unevaluatedProperties'].includes(keyword) ? 1 : 0

  return !all.some((other) => isRefusedEnum(other) && isBelow(other.path, path, near))
}

function isBelow(path: Path, top: Path, depth: number): boolean {
  return path.length === top.length + depth && top.every((key, index) => key === path[index])
}

/** Says in plain words what Ajv found. */
function mistakeOf({ error, path, value, allowed }: Finding, document: Document): Mistake {
  const { keyword, params, message = 'is not valid' } = error
  const name = nameOf(path, document)
  const place = placeOf(document, path)
  const missing: unknown = params.missingProperty
  const extra: unknown =
    params.additionalProperty ?? params.unevaluatedProperty ?? params.propertyName

  if (keyword === 'enum' && value === undefined) {
    return { why: `${name} is missing`, place, advice: `Add ${name}.` }
  }
  if (keyword === 'enum') {
    return {
      why: `${name} cannot be ${shortened(JSON.stringify(value))}`,
      place,
      advice: suggest(String(value), allowed.map(String)),
    }
  }
  if (typeof missing === 'string') {
    return { why: `${name} has no "${missing}"`, place, advice: `Add "${missing}".` }
  }
  if (typeof extra === 'string') return unexpected(extra, [...path, extra], document)
  if (keyword === 'type') {
    return {
      why: `${name} must be ${typesOf(params.type)}`,
      place,
      advice: typeAdvice(params.type, value),
    }
  }

  return { why: `${name} ${message}`, place, advice: 'Correct the value.' }
}

function unexpected(key: string, path: Path, document: Document): Mistake {
  const place = placeOf(document, path, 'key')
  const parent = nameOf(path.slice(0, -1), document)
  if (path.length === 2 && path[0] === 'paths') {
    return {
      why: `the path "${key}" does not start with "/"`,
      place,
      advice: `Write it as "/${key}".`,
    }
  }

  return {
    why: `${parent} has no place for "${key}"`,
    place,
    advice: 'Check its spelling and its indentation.',
  }
}

function nameOf(path: Path, document: Document): string {
  const last = path.at(-1)
  if (last === undefined) return 'the document'
  const isItem = Array.isArray(find(document, path.slice(0, -1))?.value)

  return isItem ? `item ${Number(last) + 1} of "${path.at(-2)}"` : `"${last}"`
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  array: 'a list',
  object: 'a map',
  boolean: 'true or false',
  number: 'a number',
  integer: 'a whole number',
}

function typesOf(type: unknown): string {
  if (isSchema(type)) return 'a schema'

  return [type]
    .flat()
    .map((name) => TYPES[String(name)] ?? String(name))
    .join(' or ')
}

function isSchema(type: unknown): boolean {
  return Array.isArray(type) && type.includes('object') && type.includes('boolean')
}

function typeAdvice(type: unknown, value: unknown): string {
  const example = typeof value === 'string' ? value : 'string'
  if (isSchema(type)) return `Write it as { type: ${example} }.`
  const isUnquoted = type === 'string' && typeof value !== 'object'

  return isUnquoted ? `Put it in quotes, as '${String(value)}'.` : 'Correct the value.'
}
