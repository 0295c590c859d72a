import type { Operation } from '../../contract/contract.ts'
import { recordTemplate, segmentsOf } from './concrete-path.ts'
import { isSameTemplate } from './plain-creations.ts'
import { NotSent, type ProbeRequest, type ProbeResponse } from './probe-messages.ts'
import { retryAfter } from './response-headers.ts'
import { NoResponse } from './send-and-read.ts'
import type { Session } from './session.ts'
import { validRequest } from './valid-request.ts'

/** After so many removals in a row without a success, no more are sent. */
const MAX_FAILURES = 3

/** Removes what a run created and has not removed, the newest first, where the document has an operation for it. */
export async function removeOwnRecords(session: Session): Promise<void> {
  let failures = 0
  for (const path of session.gate.own.newestFirst) {
    const [base, ...segments] = path
    const remove = session.target.contract.operations.find(
      (one) =>
        one.method === 'DELETE' && (one.basePaths?.[0] ?? '') === base && isFor(one, segments),
    )
    if (!remove || !session.gate.own.has(path)) continue
    if (failures >= MAX_FAILURES) return
    const isRemoved = await removeAt(session, remove, `/${segments.join('/')}`)
    failures = isRemoved ? 0 : failures + 1
  }
}

async function removeAt(session: Session, remove: Operation, path: string): Promise<boolean> {
  try {
    const request = await validRequest(remove, session)
    const [, query] = request.target.split('?')
    const target = query === undefined ? path : `${path}?${query}`
    const removed = await sendPatiently(session, { ...request, target })
    return removed.status < 300 || removed.status === 404 || removed.status === 410
  } catch (error) {
    if (error instanceof NotSent || error instanceof NoResponse) return false
    throw error
  }
}

/** Waits once when the quota is used up. */
async function sendPatiently(session: Session, request: ProbeRequest): Promise<ProbeResponse> {
  const response = await session.sendOutsideBudget(request)
  if (response.status !== 429) return response
  await session.waitFor(retryAfter(response), 'what the run created is removed')
  return await session.sendOutsideBudget(request)
}

/** Whether an operation is on the record at a path, and on nothing below it. */
function isFor(operation: Operation, path: readonly string[]): boolean {
  const template = segmentsOf(operation.path)
  if (recordTemplate(operation).length !== template.length) return false
  const named = template.map((segment, at) => (segment.includes('{') ? segment : (path[at] ?? '')))
  return isSameTemplate(template, named) && template.length === path.length
}
