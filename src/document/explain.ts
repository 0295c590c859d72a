import type { ErrorObject } from 'ajv'
import { type Document, find } from './document.ts'
import { type Finding, mistakeOf } from './finding.ts'
import type { Mistake } from './mistake.ts'
import { type Path, pathOf } from './node.ts'

/** Turns Ajv's errors about a document, or about the part of it at `base`, into mistakes. */
export function explain(
  errors: readonly ErrorObject[],
  document: Document,
  base: Path = [],
): Mistake[] {
  const all = errors.map((error) => findingOf(error, errors, document, base))
  const causes = all.filter((finding) => isCause(finding, all))

  return (causes.length > 0 ? causes : all.slice(0, 1)).map((finding) =>
    mistakeOf(finding, document),
  )
}

function findingOf(
  error: ErrorObject,
  errors: readonly ErrorObject[],
  document: Document,
  base: Path,
): Finding {
  const path = [...base, ...pathOf(error.instancePath)]
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
  const near = keyword === 'required' ? 1 : 0

  return !all.some((other) => isRefusedEnum(other) && isBelow(other.path, path, near))
}

function isBelow(path: Path, top: Path, depth: number): boolean {
  return path.length === top.length + depth && top.every((key, index) => key === path[index])
}
