import { apply, JSONPatchTestFailure } from 'json-p3'
import { parsePointer, propertiesOf } from '../../contract/schema.ts'
import { type Problem, problems } from '../../http/problem.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { isObject } from '../../validation/objects.ts'
import type { ResourceBinding } from '../bind.ts'
import { hiddenIn } from '../hidden-properties.ts'
import { valueAt } from '../views/service-values.ts'
import type { Merge } from './merge.ts'
import { withServiceValues } from './sent-record.ts'

/**
 * A record after a JSON Patch (RFC 6902). Throws a Problem for a patch that cannot be applied: 409 when one of its tests fails, else
 * 400 (RFC 5789, section 2.2).
 */
function patchRecord(record: StoredRecord, patch: unknown): StoredRecord {
  if (!Array.isArray(patch)) throw invalid('it must be an array of operations')
  try {
    // The library changes the value that it gets.
    const patched: unknown = apply(patch, JSON.parse(JSON.stringify(record)))
    if (isObject(patched)) return patched
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    if (error instanceof JSONPatchTestFailure)
      throw problems.conflict(`A test of the JSON Patch failed: ${reason}`)
    throw invalid(reason)
  }
  throw invalid('it does not leave an object')
}

/**
 * A patch that is no declared one, as services take it: what it replaces need not exist, because a record may not have what only some
 * response shows.
 */
function withAdditions(patch: readonly unknown[], record: StoredRecord): readonly unknown[] {
  return patch.map((one) => {
    if (!isObject(one) || one.op !== 'replace') return one
    const isMissing = valueAt(record, parsePointer(String(one.path))) === undefined
    return isMissing ? { ...one, op: 'add' } : one
  })
}

function invalid(reason: string): Problem {
  return problems.invalidInput([
    { location: 'body', message: `is a JSON Patch that cannot be applied: ${reason}` },
  ])
}

const JSON_PATCH = /^application\/json-patch(-query)?\+json\b/i

/** How a JSON Patch in a body changes a record; `undefined` when there is none. */
export function patchMerge(
  body: unknown,
  binding: ResourceBinding,
  contentType: string,
): Merge | undefined {
  // Some documents declare this media type for objects that are merged.
  const declared = JSON_PATCH.test(contentType) && Array.isArray(body) ? body : undefined
  const patch = declared ?? patchIn(body, binding)
  if (!patch) return undefined

  return (before) => {
    const patched = patchRecord(before, declared ?? withAdditions(patch, before))
    // A patch may replace the whole record. What is the sandbox's own stays, as all that only the service sets.
    return { ...hiddenIn(before, binding.resource), ...withServiceValues(patched, before, binding) }
  }
}

/** A JSON Patch in a plain JSON body: the body itself, or beside other things in an object, such as a comment. */
function patchIn(
  body: unknown,
  { operation, resource }: ResourceBinding,
): readonly unknown[] | undefined {
  if (operation.method !== 'PATCH') return undefined
  if (isPatch(body)) return body
  if (!isObject(body)) return undefined
  const own = propertiesOf(resource.schema)

  return Object.entries(body).flatMap(([name, value]) =>
    !own.has(name) && isPatch(value) ? [value] : [],
  )[0]
}

/** Whether a value is a list of operations (RFC 6902, section 4). */
function isPatch(value: unknown): value is readonly unknown[] {
  if (!Array.isArray(value) || value.length === 0) return false
  return value.every(
    (one) =>
      isObject(one) &&
      PATCH_OPERATIONS.has(String(one.op)) &&
      /^(\/|$)/.test(String(one.path ?? '-')),
  )
}

const PATCH_OPERATIONS: ReadonlySet<string> = new Set([
  ...['add', 'remove', 'replace', 'move', 'copy', 'test'],
])
