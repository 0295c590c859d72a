import type { Contract } from '../../contract/contract.ts'
import { Router } from '../../contract/router.ts'
import { type CheckDefinition, failure, hasStatus, lastResponse } from '../checks/check.ts'
import type { ResourceOperations } from '../resource-operations.ts'
import type { ProbeRequest } from '../session/messages.ts'
import { ORDER, type Probe, singleRequestProbe } from './probe.ts'

/** They change nothing (RFC 4918, section 9.1; RFC 5323, section 2), and few services know them. */
const UNKNOWN_METHODS = ['PROPFIND', 'SEARCH']

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

/**
 * A method that the document does not have. It is one that changes nothing, and the request has no credentials: a service may have more
 * methods than its document, such as the removal of a whole collection.
 */
function unknownMethodProbe(router: Router, path: string): Probe[] {
  const method = UNKNOWN_METHODS.find((one) => !router.isDocumented(one, path))
  if (method === undefined) return []
  const request: ProbeRequest = { method, target: path, credentials: 'none' }
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
          unlessRefused(hasStatus(405)),
        ),
        routeCheck(
          `${id}/allow`,
          `${what}, which the document does not define, gets a response with the header Allow`,
          METHOD_NOT_ALLOWED,
          unlessRefused(allow),
        ),
      ],
      'writes',
    ),
  ]
}

/** A service may refuse the missing credentials first, and a method that it does not know at all (RFC 9110, section 15.6.2). */
function unlessRefused(evaluate: CheckDefinition['evaluate']): CheckDefinition['evaluate'] {
  return (responses, records) => {
    const status = responses.at(-1)?.status
    if (status === 401 || status === 403) return { leftOut: 'the server asks for a key first' }
    if (status === 501) return { leftOut: 'the server does not know the method' }
    return evaluate(responses, records)
  }
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
