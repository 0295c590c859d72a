import { apply, JSONPatchTestFailure } from 'json-p3'
import { parsePointer } from '../../contract/schema.ts'
import { type Problem, problems } from '../../http/problem.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { isObject } from '../../validation/objects.ts'
import { valueAt } from './service-values.ts'

/**
 * A record after a JSON Patch (RFC 6902). Throws a Problem for a patch that cannot be applied: 409 when one of its tests fails, else
 * 400 (RFC 5789, section 2.2).
 */
export function patchRecord(record: StoredRecord, patch: unknown): StoredRecord {
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
export function withAdditions(patch: readonly unknown[], record: StoredRecord): readonly unknown[] {
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
