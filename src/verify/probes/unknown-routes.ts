import type { Contract } from '../../contract/contract.ts'
import { Router } from '../../contract/router.ts'
import {
  type CheckDefinition,
  type Evaluate,
  hasStatus,
  lastResponse,
  passIf,
} from '../checks/check.ts'
import { isUnauthorized } from '../messages.ts'
import type { GroupedOperations } from '../resource-operations.ts'
import { ORDER, type Probe, singleRequestProbe } from './probe.ts'

/** They change nothing (RFC 4918, section 9.1; RFC 5323, section 2), and few services know them. */
const UNKNOWN_METHODS = ['PROPFIND', 'SEARCH']

const NOT_FOUND = 'RFC 9110, section 15.5.5'
const METHOD_NOT_ALLOWED = 'RFC 9110, section 15.5.6'

/** Requests for paths and methods that the document does not define. */
export function unknownRouteProbes(
  contract: Contract,
  { simple, all }: Pick<GroupedOperations, 'simple' | 'all'>,
): Probe[] {
  const router = new Router(contract)
  const paths = simple.flatMap(({ operations: { list, create } }) => (list ?? create)?.path ?? [])
  const others = all.flatMap(
    ({ bindings: { list, create } }) => (list ?? create)?.operation.path ?? [],
  )
  // A document without simple resources has other collections.
  const tried = paths.length > 0 ? paths : others.filter((one) => !one.includes('{')).slice(0, 1)

  return [
    ...unknownPathProbe(router),
    ...[...new Set(tried)].flatMap((path, at) => unknownMethodProbe(router, path, at === 0)),
  ]
}

/** None for a document with an operation for every path. */
function unknownPathProbe(router: Router): Probe[] {
  const request = { method: 'GET', target: '/no-such-path-verify', credentials: 'key' } as const
  if (router.hasRoute(request.target)) return []
  const check = routeCheck('unknown-path', 'An unknown path gets a 404', NOT_FOUND, hasStatus(404))
  return [singleRequestProbe(ORDER.unknownRoute, request, [check], () => request)]
}

/**
 * A method that the document does not have. It is one that changes nothing, and the request has no credentials: a service may have more
 * methods than its document, such as the removal of a whole collection. That a 405 has an `Allow` is no decision: it is checked at one path.
 */
function unknownMethodProbe(router: Router, path: string, isFirst: boolean): Probe[] {
  const method = UNKNOWN_METHODS.find((one) => !router.isDocumented(one, path))
  if (method === undefined) return []
  const request = { method, target: path, credentials: 'none' } as const
  const what = `${method} ${path}, which the document does not define, gets`
  const id = `wrong-method/${method} ${path}`
  const allow = lastResponse((response) =>
    response.status === 405
      ? passIf(response.headers.has('Allow'), response, 'Allow: GET, …', 'no Allow')
      : { leftOut: 'the server does not answer with 405' },
  )
  const checks = [
    routeCheck(id, `${what} a 405`, METHOD_NOT_ALLOWED, unlessRefused(hasStatus(405))),
    {
      id: `${id}/allow`,
      name: `${what} a 405 with the header Allow, if it gets a 405`,
      clause: METHOD_NOT_ALLOWED,
      ...(isFirst ? {} : { decision: true as const }),
      evaluate: allow,
    },
  ]
  const probe = singleRequestProbe(ORDER.unknownRoute, request, checks, () => request)

  return [{ ...probe, requires: 'writes' }]
}

/** A service may refuse the missing credentials first, and a method that it does not know at all (RFC 9110, section 15.6.2). */
function unlessRefused(evaluate: Evaluate): Evaluate {
  return (responses, records) => {
    const last = responses.at(-1)
    if (last && isUnauthorized(last)) return { leftOut: 'the server asks for a key first' }
    if (last?.status === 501) return { leftOut: 'the server does not know the method' }
    return evaluate(responses, records)
  }
}

/** OpenAPI does not define responses to undefined routes, so these checks are decisions. */
function routeCheck(id: string, name: string, clause: string, evaluate: Evaluate): CheckDefinition {
  return { id, name, clause, decision: true, evaluate }
}
