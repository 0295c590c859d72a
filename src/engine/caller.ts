import { type AccessRules, authorize } from '../access/authorize.ts'
import { type Caller, identify } from '../access/callers.ts'
import type { Keys } from '../access/keys.ts'
import type { Operation } from '../contract/contract.ts'
import type { CoreRequest } from '../http/message.ts'
import { Problem } from '../http/problem.ts'
import type { Awaitable } from '../records/awaitable.ts'
import { isImplicitOptions } from './preflight.ts'
import type { Service } from './service.ts'
import type * as SignInRoom from './sign-in.ts'
import type { WorldState } from './world-state.ts'

// Who sends a request, and what its credentials are enough for.

/** A document without sign-in never loads it. */
export function loadSignIn(): Promise<typeof SignInRoom> {
  return import('./sign-in.ts')
}

/** The callers of a request, and what tells who they are. */
type CallingState = Pick<WorldState, 'keys' | 'clock' | 'openStore' | 'caller'> & {
  readonly service: Service
}

/** How what a sandbox issues begins: a token, or a JWT, which may be one of another issuer. */
const MAY_BE_ISSUED = /^(sbx_|eyJ)/

/** Whether the caller of a request may have a token that the sandbox issued, which only its store knows. */
export function mayBeIssued({ credential = '' }: Caller, { settings }: Service): boolean {
  return settings.contract.signIn !== undefined && MAY_BE_ISSUED.test(credential)
}

/** Who sends a request: by a key or another credential, or the user of a token that the sandbox issued. */
export function callerOf(request: CoreRequest, state: CallingState): Awaitable<Caller> {
  const { service, keys } = state
  if (state.caller) return state.caller
  // Nothing of sign-in is counted.
  if (request.endpoint) return { ...keys.callers.everyone, plan: undefined }
  const caller = identify(request, keys.callers, service.access.rules.schemes)
  if (!mayBeIssued(caller, service)) return caller
  return loadSignIn().then((room) => room.callerWithToken(caller, state))
}

/**
 * Whether a request has the credentials that its operation requires. Without an operation, as at an unknown path, any valid credential
 * counts. Only requests that are admitted create worlds, and count as uses of them.
 */
export function isAdmitted(
  request: CoreRequest,
  { callers }: Pick<Keys, 'callers'>,
  { access: { rules }, router }: Service,
): boolean {
  // Who wants a token has none yet.
  if (request.endpoint) return true
  const caller = identify(request, callers, rules.schemes)
  if (isImplicitOptions(request, router)) return isAdmittedTo(undefined, request, caller, rules)
  const match = router.find(request)
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
