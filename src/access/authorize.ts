import type { CoreRequest } from '../http/message.ts'
import { type Problem, problems } from '../http/problem.ts'
import type { BanRules } from './ban.ts'
import type { Caller, CallerRules } from './callers.ts'
import { bearerScheme, type Scheme, type SecuredOperation } from './security-scheme.ts'

/** The settings that decide whether requests are admitted. */
export interface AccessRules {
  /** Whether operations require the credentials that the document says. */
  readonly isRequired: boolean
  readonly accepts: CallerRules['accepts']
  /** How clients can send credentials, in document order. */
  readonly schemes: readonly Scheme[]
  /** Names the protection space in challenges (RFC 9110, section 11.5). */
  readonly realm: string
  /** `undefined` when bans are switched off. */
  readonly ban: BanRules | undefined
}

/** The 401 of a request without the credentials that its operation requires; `undefined` when it has them. */
export function authorize(
  request: CoreRequest,
  { key, fault, refuse }: Pick<Caller, 'key' | 'fault' | 'refuse'>,
  operation: SecuredOperation,
  rules: AccessRules,
): Problem | undefined {
  if (!(rules.isRequired && operation.secured)) return undefined
  if (key === 'invalid') return unauthorized(key, operation, rules, fault)
  if (refuse && operation.scopes) {
    const problem = refuse(request, operation, rules)
    if (problem) return problem
  }
  // The credential of a valid caller has the form of a scheme, so one scheme need not be read again.
  if (key === 'valid' && rules.schemes.length === 1) return undefined
  const alternatives = alternativesOf(operation, rules)
  const isSatisfied = alternatives.some((schemes) => areSatisfied(schemes, request))
  return isSatisfied || alternatives.length === 0
    ? undefined
    : unauthorized('missing', operation, rules)
}

/** The protection space, as a parameter of a challenge. */
export function realmOf({ realm }: Pick<AccessRules, 'realm'>): string {
  return `realm="${realm.replace(/["\\]/g, '\\$&')}"`
}

/** Whether a request has the credentials of all schemes. For several in `Authorization`, one is enough: there is no room for more. */
export function areSatisfied(schemes: readonly Scheme[], request: CoreRequest): boolean {
  const isSent = ({ read }: Scheme): boolean => read(request) !== undefined
  const shared = schemes.filter(({ inAuthorization }) => inAuthorization)
  const others = schemes.filter(({ inAuthorization }) => !inAuthorization)

  return others.every(isSent) && (shared.length === 0 || shared.some(isSent))
}

/** The 401: it says where credentials are expected, and has a challenge for each scheme (RFC 9110, section 11.6.1). */
export function unauthorized(
  key: 'missing' | 'invalid',
  operation: SecuredOperation,
  rules: AccessRules,
  fault?: string,
): Problem {
  const found = alternativesOf(operation, rules).filter(({ length }) => length > 0)
  // An operation without security gets a 401 only when it is forced.
  const alternatives = found.length > 0 ? found : [[bearerScheme('')]]
  const realm = realmOf(rules)
  const own = fault ?? (rules.accepts === 'issued' ? NOT_ISSUED : undefined)
  const challenges = new Set(alternatives.flat().map(({ challenge }) => challenge(realm, key, own)))
  const places = alternatives.map((schemes) =>
    schemes.map(({ place }) => place).join(' and one in '),
  )
  const missing = rules.accepts === 'keys' ? 'No API key was sent' : 'A credential is missing'

  const invalid =
    own === undefined
      ? 'The API key is not valid. Send a configured key. The server prints the keys when it starts.'
      : `${own}. Sign in again.`

  return problems.unauthorized(
    key === 'missing' ? `${missing}. Send one in ${places.join(', or in ')}.` : invalid,
    [...challenges].join(', '),
    key === 'missing' ? 'no-key' : 'wrong-key',
  )
}

const NOT_ISSUED = 'The access token was not issued by the sandbox'

/** The schemes of each alternative. One that no request can be checked for, as a client certificate, counts as satisfied. */
export function alternativesOf(
  { security }: SecuredOperation,
  { schemes }: Pick<AccessRules, 'schemes'>,
): readonly (readonly Scheme[])[] {
  if (!security) return schemes.map((scheme) => [scheme])
  return security.map((names) => schemes.filter(({ name }) => names.includes(name)))
}
