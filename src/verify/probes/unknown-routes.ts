import type { Contract } from '../../contract/contract.ts'
import { Router } from '../../contract/router.ts'
import type { CheckDefinition } from '../checks/check.ts'
import { failure, hasStatus, lastResponse } from '../checks/evaluate.ts'
import type { ProbeRequest } from '../requests/probe-messages.ts'
import type { ResourceOperations } from '../resource-operations.ts'
import { ORDER } from './order.ts'
import { type Probe, singleRequestProbe } from './probe.ts'

const NOT_FOUND = 'RFC 9110, section 15.5.5'
const METHOD_NOT_ALLOWED = 'RFC 9110, section 15.5.6'

/** Requests for paths and methods that the document does not define. */
export function unknownRouteProbes(
  contract: Contract,
  resources: readonly ResourceOperations[],
): Probe[] {
  const router = new Router(contract)
  const paths = resources.flatMap(({ operations: { list, create } }) => {
    const collection = list ?? create
    return collection ? [collection.path] : []
  })
  return [
    ...unknownPathProbe(router),
    ...[...new Set(paths)].flatMap((path) => unknownMethodProbe(router, path)),
  ]
}

/** None for a document with an operation for every path. */
function unknownPathProbe(router: Router): Probe[] {
  const target = '/no-such-path-verify'
  if (router.hasRoute(target)) return []
  return [
    singleRequestProbe(ORDER.unknownRoute, { method: 'GET', target, credentials: 'key' }, [
      routeCheck('unknown-path', 'An unknown path gets a 404', NOT_FOUND, hasStatus(404)),
    ]),
  ]
}

function unknownMethodProbe(router: Router, path: string): Probe[] {
  const method = ['DELETE', 'PUT', 'PATCH'].find((one) => !router.isDocumented(one, path))
  if (method === undefined) return []
  const request: ProbeRequest = { method, target: path, credentials: 'key' }
  const what = `${method} ${path}`
  const id = `wrong-method/${what}`
  const allow = lastResponse((response) =>
    response.headers.get('Allow') ? 'passed' : failure(response, 'Allow: GET, …', 'no Allow'),
  )

  return [
    singleRequestProbe(
      ORDER.unknownRoute,
      request,
      [
        routeCheck(
          id,
          `${what}, which the document does not define, gets a 405`,
          METHOD_NOT_ALLOWED,
          hasStatus(405),
        ),
        routeCheck(
          `${id}/allow`,
          `${what}, which the document does not define, gets a response with the header Allow`,
          METHOD_NOT_ALLOWED,
          allow,
        ),
      ],
      'writes',
    ),
  ]
}

/** OpenAPI does not define responses to undefined routes, so these checks are decisions. */
function routeCheck(
  id: string,
  name: string,
  clause: string,
  evaluate: CheckDefinition['evaluate'],
): CheckDefinition {
  return { id, name, clause, decision: true, evaluate }
}
