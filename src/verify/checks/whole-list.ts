import { parseJsonText } from '../../contract/json.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { referenceName } from '../../resources/reference-names.ts'
import { isObject } from '../../validation/objects.ts'
import { isSafeMethod, isSuccess, linkOf, type ProbeResponse } from '../messages.ts'
import { idIn, isId, lastOf, pathOf, recordsAt, segmentsOf } from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { pageSizeOf } from '../test-data/values.ts'
import { type CheckDefinition, failure, NO_MATCH, operationCheck } from './check.ts'

/** Whether a list has all records: fewer than fit on a page. */
export function isWhole(response: ProbeResponse, list: ResourceBinding): boolean {
  const { maximum, default: preset } = pageSizeOf(list.operation) ?? {}
  const most = maximum ?? preset
  const count = recordsAt(response, list)?.length ?? 0
  if (linkOf(response.headers, 'next') !== undefined) return false
  return list.hints.paging === undefined || (most !== undefined && count < most)
}

/** What says that a list has some of its records only: the latest ones, or so many. */
const OF_SOME =
  /\b(latest|newest \w+s\b.*\bonly|recent|top|popular|random|suggest\w*|at most|up to|no more than|(first|last|newest) (\d+|ten|twenty|fifty|hundred))\b/i

/**
 * A list without pages that has shown a record shows it again, as long as no request has named it or what is above it. Evaluates all
 * responses of a run.
 */
export function keptInListChecks(
  { bindings: { create, list } }: BoundResource,
  texts: DocumentTexts,
): CheckDefinition[] {
  if (!list || create?.operation.method !== 'POST' || list.hints.paging !== undefined) return []
  const { operation } = list
  if (OF_SOME.test(texts.operation(operation.id)) || pageSizeOf(operation)) return []
  const name = 'shows all records that it has shown before'
  const isOf = ({ request }: ProbeResponse): boolean =>
    request.operation === operation && request.credentials === 'key'
  return [
    operationCheck(operation, 'lost', name, (all) => {
      const shown = new Map<string, ReadonlyMap<string, unknown>>()
      let isRepeated = false
      for (const one of all) {
        forget(shown, one)
        const records = isOf(one) ? recordsIn(one, list) : undefined
        if (!records) continue
        const before = shown.get(one.request.target) ?? new Map()
        const lost = [...before.keys()].find((id) => !records.has(id))
        if (lost !== undefined) return failure(one, `the record ${lost}, which it has shown before`)
        isRepeated ||= before.size > 0
        shown.set(one.request.target, records)
      }
      return isRepeated ? 'passed' : NO_MATCH
    }),
  ]
}

/** The records of a list without another page, by their ids. */
function recordsIn(
  response: ProbeResponse,
  list: ResourceBinding,
): ReadonlyMap<string, unknown> | undefined {
  const records = isSuccess(response) ? recordsAt(response, list) : undefined
  if (!records || linkOf(response.headers, 'next') !== undefined) return undefined
  return new Map(
    records.flatMap((record) => {
      const id = idIn(record, list)
      return id === undefined ? [] : [[id, record] as const]
    }),
  )
}

/** Records that a request names, or that refer to one that it is about, need not be there any longer. */
function forget(
  shown: Map<string, ReadonlyMap<string, unknown>>,
  { request: { target, body = '', method }, status }: ProbeResponse,
): void {
  if (isSafeMethod(method) || (status >= 400 && status < 500)) return
  const inPath = new Set(segmentsOf(pathOf(target)).map((one) => lastOf(one)))
  const named = new Set([...inPath, ...referencesIn(parseJsonText(body))])
  const isKept = ([id, record]: readonly [string, unknown]): boolean =>
    !named.has(id) && !referencesIn(record).some((one) => inPath.has(one))
  for (const [key, records] of shown) shown.set(key, new Map([...records].filter(isKept)))
}

/** The ids of other records in a value, by the names of their properties. */
function referencesIn(value: unknown, name = '', depth = 0): readonly string[] {
  if (depth > MAX_DEPTH) return []
  if (Array.isArray(value)) return value.flatMap((one) => referencesIn(one, name, depth + 1))
  if (isObject(value))
    return Object.entries(value).flatMap(([key, one]) => referencesIn(one, key, depth + 1))
  return isId(value) && referenceName(name).hasIdSuffix ? [String(value)] : []
}

/** How deep references are searched for. */
const MAX_DEPTH = 4
