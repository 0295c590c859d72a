import type { Contract, Operation } from '../../contract/contract.ts'
import { hasStatus, operationCheck } from '../checks/check.ts'
import { validRequest } from '../session/valid-request.ts'
import { ORDER, type Probe, requestTo, singleRequestProbe } from './probe.ts'

/** A media type that no service reads. */
const UNKNOWN_TYPE = 'application/x-verify'
/** What many clients send that do not name a type. */
const TEXT = 'text/plain'

/** Much longer than a record needs. */
const LARGE_BODY = 2 * 1024 * 1024

/** Bodies that a server refuses by their media type or their size; only where the document has the status. */
export function mediaTypeProbes({ operations, sandbox }: Contract): Probe[] {
  return operations
    .filter(({ body, conditions }) => body !== undefined && conditions === undefined)
    .flatMap((operation) => [
      ...unknownTypeProbe(operation),
      ...largeBodyProbe(operation, sandbox?.bodyLimit),
    ])
}

/** A valid body with the wrong media type: a service that does not look at the type accepts it. */
function unknownTypeProbe(operation: Operation): Probe[] {
  const known = operation.body?.mediaTypes ?? []
  const type = known.includes(TEXT) ? UNKNOWN_TYPE : TEXT
  if (known.some((one) => one.includes('*'))) return []
  return refusalProbe(operation, 415, `a body of type ${type}`, async (session) => ({
    ...(await validRequest(operation, session)),
    type,
    isExact: true,
  }))
}

/** A body that is too large. Without `bodyLimit`, nobody knows what is too large. */
function largeBodyProbe(operation: Operation, bodyLimit: number = LARGE_BODY): Probe[] {
  if (operation.method !== 'POST' || operation.path.includes('{') || LARGE_BODY <= bodyLimit)
    return []
  return refusalProbe(operation, 413, 'a body of 2 MiB', () => ({
    ...requestTo(operation),
    body: `"${'x'.repeat(LARGE_BODY)}"`,
  }))
}

function refusalProbe(
  operation: Operation,
  status: number,
  what: string,
  requestFor: Parameters<typeof singleRequestProbe>[3],
): Probe[] {
  const documented = operation.responses.find((one) => one.status === status)
  if (!documented) return []
  const { decision } = documented
  const name = `rejects ${what} with a ${status}`
  const check = operationCheck(operation, `body/${status}`, name, hasStatus(status), {
    ...(decision && { decision }),
  })
  return [singleRequestProbe(ORDER.mediaTypeAndSize, operation, [check], requestFor)]
}
