import type { Contract } from '../contract/contract.ts'
import type { FlowType, SignInFlow } from '../contract/sign-in.ts'
import { once } from '../validation/objects.ts'
import { OAuthError } from './oauth-error.ts'
import { scopesIn } from './request-parameters.ts'

/** The scopes of OpenID Connect, which every document may leave out (Core, sections 5.4 and 11). */
const OPENID_SCOPES = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access']

/** The scopes of a document, with what each allows. */
export function documentedScopes({
  signIn,
}: Pick<Contract, 'signIn'>): ReadonlyMap<string, string> {
  return scopesOf(signIn?.flows ?? [])
}

function scopesOf(flows: readonly SignInFlow[]): ReadonlyMap<string, string> {
  return new Map(flows.flatMap(({ scopes }) => Object.entries(scopes)))
}

/**
 * The scopes that a request asks for; without any, all of its flow, or of the document where the flow has none. Throws an OAuthError for a
 * scope that the document does not have, where it has some, and for one that only other flows have.
 */
export function askedScopes(
  text: string | undefined,
  contract: Contract,
  ...types: readonly FlowType[]
): readonly string[] {
  const asked = scopesIn(text)
  const documented = documentedScopes(contract)
  const ofFlow = scopesOf((contract.signIn?.flows ?? []).filter(({ type }) => types.includes(type)))
  const usual = ofFlow.size > 0 ? ofFlow : documented
  if (asked.length === 0) return [...usual.keys()]
  const known = knownScopes(contract)
  const unknown = asked.find((scope) => !known.has(scope) && !OPENID_SCOPES.includes(scope))
  if (unknown !== undefined && known.size > 0)
    throw new OAuthError('invalid_scope', `The document has no scope ${unknown}.`)
  const misplaced = asked.find((scope) => documented.has(scope) && !usual.has(scope))
  if (misplaced !== undefined)
    throw new OAuthError(
      'invalid_scope',
      `The flow ${types.join(' or ')} has no scope ${misplaced}.`,
    )

  return asked
}

/** The scopes of the flows, and those that operations need: of OpenID Connect, a document has no list. */
export const knownScopes: (contract: Contract) => ReadonlySet<string> = once(
  (contract: Contract) => {
    const needed = contract.operations.flatMap(({ scopes = [] }) => scopes.flat())
    return new Set([...documentedScopes(contract).keys(), ...needed])
  },
)

/** Fewer scopes than those of a grant (RFC 6749, section 6). Throws an OAuthError for others. */
export function narrowedScopes(
  text: string | undefined,
  granted: readonly string[],
): readonly string[] {
  const asked = scopesIn(text)
  const other = asked.find((scope) => !granted.includes(scope))
  if (other !== undefined)
    throw new OAuthError('invalid_scope', `The scope ${other} was not granted.`)
  return asked.length === 0 ? granted : asked
}

/** Whether the document has a flow. OpenID Connect has that with a code, whatever else. */
export function hasFlow(
  { signIn }: Pick<Contract, 'signIn'>,
  ...types: readonly FlowType[]
): boolean {
  return (signIn?.flows ?? []).some(({ type }) => types.includes(type))
}
