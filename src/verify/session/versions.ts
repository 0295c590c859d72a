import type { Contract, Operation } from '../../contract/contract.ts'
import { isSuccess, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import { isSameTemplate, pathOf, segmentsOf } from '../record-address.ts'

/** Whether requests to an operation must have the version that they are for (RFC 6585, section 3). */
export function needsVersion({ parameters, responses }: Operation): boolean {
  const header = parameters.find(
    ({ in: location, name }) => location === 'header' && /^if-match$/i.test(name),
  )
  return header !== undefined && (header.required || responses.some(({ status }) => status === 428))
}

/** The request with another header, which a check has chosen; `undefined` for without it. */
export function withVersion(request: ProbeRequest, tag: string | undefined): ProbeRequest {
  const others = (request.headers ?? []).filter(([name]) => !/^if-match$/i.test(name))
  const headers = tag === undefined ? others : [...others, ['If-Match', tag] as const]
  return { ...request, headers, hasVersion: true }
}

/** The versions of records, by the `ETag` of the last response of each path. */
export class Versions {
  readonly #tags = new Map<string, string>()

  note({ request, status, headers }: ProbeResponse): void {
    if (!isSuccess({ status })) return
    const path = placeOf(request)
    const tag = headers.get('ETag')
    if (tag !== null) this.#tags.set(path, tag)
    else if (request.method !== 'GET') this.#tags.delete(path)
  }

  of(request: ProbeRequest): string | undefined {
    return this.#tags.get(placeOf(request))
  }
}

function placeOf({ target }: ProbeRequest): string {
  return pathOf(target).replace(/\/$/, '')
}

/** The operation that reads the record which another one changes. */
export function readOfRecord(
  { path, basePaths }: Operation,
  { operations }: Contract,
): Operation | undefined {
  return operations.find(
    (one) =>
      one.method === 'GET' &&
      one.basePaths === basePaths &&
      isSameTemplate(segmentsOf(one.path), segmentsOf(path)),
  )
}
