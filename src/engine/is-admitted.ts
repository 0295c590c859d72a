import { type AccessRules, authorize } from '../access/authorize.ts'
import { type Caller, identify } from '../access/callers.ts'
import type { Keys } from '../access/keys.ts'
import type { Operation } from '../contract/contract.ts'
import type { CoreRequest } from '../http/message.ts'
import { Problem } from '../http/problem.ts'
import { isImplicitOptions } from './implicit-options.ts'
import { attempt } from './served.ts'
import type { Service } from './service.ts'

/**
 * Whether a request has the credentials that its operation requires. Without an operation, as at an unknown path, any valid credential
 * counts. Only requests that are admitted create worlds, and count as uses of them.
 */
export function isAdmitted(
  request: CoreRequest,
  { callers }: Pick<Keys, 'callers'>,
  { access: { rules }, router }: Service,
): boolean {
  const caller = identify(request, callers, rules.schemes)
  if (isImplicitOptions(request, router)) return isAdmittedTo(undefined, request, caller, rules)
  const match = attempt(() => router.match(request.method, request.path, request))
  const operation = match instanceof Problem ? undefined : match.operation

  return isAdmittedTo(operation, request, caller, rules)
}

/** The same for a request whose caller and operation are known. */
export function isAdmittedTo(
  operation: Operation | undefined,
  request: CoreRequest,
  caller: Caller,
  rules: AccessRules,
): boolean {
  return operation
    ? authorize(request, caller, operation, rules) === undefined
    : caller.key === 'valid' || !rules.isRequired
}
