import type { Operation } from '../../contract/contract.ts'
import { operationCheck } from '../checks/check.ts'
import { hasStatus } from '../checks/evaluate.ts'
import type { ProbeRequest } from '../requests/probe-messages.ts'
import { ORDER } from './order.ts'
import { type Probe, singleRequestProbe } from './probe.ts'

/** Much longer than a record needs. */
const LARGE_BODY = 2 * 1024 * 1024

/**
 * Bodies that a server rejects before it parses them: another media type, and a body that is too large. Without `bodyLimit`, nobody
 * knows what is too large.
 */
export function mediaTypeAndSizeProbes(create: Operation, bodyLimit: number = LARGE_BODY): Probe[] {
  const isTooLarge = LARGE_BODY > bodyLimit
  return [
    ...rejectionProbe(create, 415, 'a body of type text/plain', {
      body: 'verify',
      type: 'text/plain',
    }),
    ...(isTooLarge
      ? rejectionProbe(create, 413, 'a body of 2 MiB', { body: `"${'x'.repeat(LARGE_BODY)}"` })
      : []),
  ]
}

/** Only where the document has the status. */
function rejectionProbe(
  create: Operation,
  status: number,
  what: string,
  sent: Pick<ProbeRequest, 'body' | 'type'>,
): Probe[] {
  const documented = create.responses.find((one) => one.status === status)
  if (!documented) return []
  const { method, path: target } = create
  const request: ProbeRequest = { operation: create, method, target, credentials: 'key', ...sent }
  const { decision } = documented
  const name = `rejects ${what} with a ${status}`
  const check = operationCheck(create, `body/${status}`, name, hasStatus(status), {
    ...(decision && { decision }),
  })

  return [singleRequestProbe(ORDER.mediaTypeAndSize, request, [check], 'writes')]
}
