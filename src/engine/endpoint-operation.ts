import type { Operation } from '../contract/contract.ts'
import { SIGN_IN_ENDPOINTS } from '../contract/sign-in.ts'
import type { CoreRequest } from '../http/message.ts'

/** The endpoint of sign-in that a request is for, as an operation, which rules can match. */
export function endpointOperation({
  method,
  path,
  endpoint,
}: Pick<CoreRequest, 'method' | 'path' | 'endpoint'>): Operation {
  const signIn = SIGN_IN_ENDPOINTS.find((one) => one === endpoint)
  if (!signIn) throw new TypeError(`There is no endpoint ${endpoint}`)
  return {
    id: `${method} ${path}`,
    ...{ method, path, secured: false, parameters: [], responses: [], signIn, isBesideApi: true },
  }
}
