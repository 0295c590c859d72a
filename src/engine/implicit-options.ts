import type { Router } from '../contract/router.ts'
import type { CoreRequest } from '../http/message.ts'

/** Whether a request is an OPTIONS that the sandbox answers itself: a preflight, or OPTIONS on a path that does not document it. */
export function isImplicitOptions(request: CoreRequest, router: Router): boolean {
  const { method, path } = request
  return (
    method === 'OPTIONS' &&
    (request.header('access-control-request-method') !== undefined ||
      !router.isDocumented(method, path, request))
  )
}
