import type { Contract, Operation } from '../../contract/contract.ts'
import { alternativesOf, type Credentials, isCheckable } from '../../contract/credentials.ts'
import { hasStatus, operationCheck, unlessRemoved } from '../checks/check.ts'
import { isSafeMethod } from '../session/change-gate.ts'
import { NotSent } from '../session/messages.ts'
import type { Session } from '../session/session.ts'
import { validRequest } from '../session/valid-request.ts'
import { ORDER, type Probe } from './probe.ts'

interface Case {
  readonly credentials: Credentials
  readonly id: string
  readonly what: string
}

const NO_KEY: Case = { credentials: 'none', id: 'no-key', what: 'a request without a key' }

const WRONG_KEY: Case = { credentials: 'invalid-key', id: 'wrong-key', what: 'an invalid key' }

const WRONG_SCHEME: Case = {
  credentials: 'other-scheme',
  id: 'wrong-scheme',
  what: 'another authentication scheme',
}

/**
 * Requests without a valid key: all cases for the first operation that reads, two cases for each of the others. The most important
 * ones come first.
 */
export function authenticationProbes(contract: Contract): Probe[] {
  const secured = contract.operations.filter((one) => isCheckable(one, contract))
  const first = secured.find(({ method }) => method === 'GET')
  const isBearer = (operation: Operation): boolean =>
    alternativesOf(operation, contract).every((schemes) =>
      schemes.every(({ type }) => type === 'bearer'),
    )

  return secured.flatMap((operation) => {
    const isFirst = operation === first
    const cases = [NO_KEY, WRONG_KEY, ...(isFirst && isBearer(operation) ? [WRONG_SCHEME] : [])]
    return cases.map((one, at) =>
      authenticationProbe(
        operation,
        one,
        isFirst ? ORDER.authentication + at / 10 : ORDER.otherAuthentication,
        contract,
      ),
    )
  })
}

function authenticationProbe(
  operation: Operation,
  { credentials, id, what }: Case,
  order: number,
  { sandbox }: Contract,
): Probe {
  const statuses = refusalStatuses(operation)
  const isKnown = sandbox?.auth === 'keys' || credentials === 'none'
  return {
    order,
    maxRequests: 1,
    ...(isSafeMethod(operation.method) ? {} : { requires: 'writes' as const }),
    checks: [
      operationCheck(
        operation,
        id,
        `rejects ${what} with a ${statuses.join(' or ')}`,
        unlessRemoved(operation, hasStatus(...statuses)),
        { clause: 'OpenAPI, security' },
      ),
    ],
    send: async (session) => {
      const response = await session.send(await validRequest(operation, session, credentials))
      if (!isKnown) requireKnownKeys(session)
      return [response]
    },
  }
}

/** The documented status of a request without valid credentials: 401, else 403. Without any, both are right. */
function refusalStatuses({ responses }: Operation): readonly number[] {
  const documented = responses.map(({ status }) => status)
  if (documented.includes(401)) return [401]
  return documented.includes(403) ? [403, 401] : [401, 403]
}

/** A mock server may accept every key. Then an accepted key is no mistake, unless the document says that keys are checked. */
function requireKnownKeys({ responses }: Session): void {
  const isRejected = responses.some(
    ({ request, status }) =>
      request.credentials === 'invalid-key' && (status === 401 || status === 403),
  )
  if (!isRejected) {
    throw new NotSent('the server accepts every key, and the document does not forbid that')
  }
}
