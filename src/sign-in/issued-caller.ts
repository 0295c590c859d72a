import { alternativesOf, areSatisfied, realmOf } from '../access/authorize.ts'
import type { Caller, Refuse } from '../access/callers.ts'
import { planNamed } from '../access/callers.ts'
import { problems } from '../http/problem.ts'
import { findAccess, isIssued, type TokenFault } from './find-token.ts'
import { signInNote } from './oauth-error.ts'
import { type SignInHost, SignInState } from './sign-in-state.ts'

const FAULTS: Readonly<Record<TokenFault, string>> = {
  expired: 'The access token has expired',
  revoked: 'The access token is revoked',
  altered: 'The access token was altered',
  unknown: 'The access token was not issued here, or was forgotten at a reset',
}

/** The caller with a credential that a sandbox issued, or seems to have issued; other callers as they are. */
export async function issuedCaller(caller: Caller, host: SignInHost): Promise<Caller> {
  const { credential = '', plan: first, account: _, isUnlisted: __, ...others } = caller
  if (!isIssued(credential)) return caller
  const state = await SignInState.open(host)
  const { token, grant, fault } = await findAccess(credential, state)
  if (fault || !token || !grant) {
    const description = FAULTS[fault ?? 'unknown']
    const plan = first && { plan: first }
    return {
      account: '(anonymous)',
      ...plan,
      key: 'invalid',
      credential,
      fault: description,
      ...(fault === 'expired' && { notes: [signInNote('token-after-end')] }),
    }
  }
  const plans = new Map(host.keys.plans.map((plan) => [plan.name, plan]))
  const plan = grant.plan === undefined ? first : planNamed(grant.plan, plans)

  return {
    ...others,
    account: grant.user === undefined ? grant.client : `${grant.user} by ${grant.client}`,
    ...(plan && { plan }),
    key: 'valid',
    credential,
    isUnlisted: true,
    client: grant.client,
    refuse: refusalFor(token.scopes),
    ...(grant.user !== undefined && { user: grant.user }),
  }
}

/** Refuses the operations of which no alternative that a request satisfies is content with the scopes (RFC 6750, section 3.1). */
function refusalFor(scopes: readonly string[]): Refuse {
  return (request, operation, rules) => {
    const needed = alternativesOf(operation, rules).flatMap((schemes, at) =>
      areSatisfied(schemes, request) ? [operation.scopes?.[at] ?? []] : [],
    )
    const [first = []] = needed
    const isEnough = needed.some((some) => some.every((scope) => scopes.includes(scope)))
    if (isEnough || needed.length === 0) return undefined
    const listed = needed.map((some) => some.join(' ')).join(', or ')
    const challenge = `Bearer ${realmOf(rules)}, error="insufficient_scope", error_description="The access token lacks a scope", scope="${first.join(' ')}"`
    // Titles of a document may have characters that a header cannot have.
    return problems
      .forbidden(`The access token lacks a scope. Ask for: ${listed}.`, 'insufficient_scope')
      .with({ 'WWW-Authenticate': challenge.replace(/[^\t\x20-\x7e]+/g, '?') })
  }
}
