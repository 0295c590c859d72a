import type { CoreRequest } from '../http/message.ts'
import type { Problem } from '../http/problem.ts'
import type { Note } from '../journal/exchange.ts'
import type { AuthMode, Scheme, SecuredOperation } from './security-scheme.ts'

/** The configuration of a key. */
export interface KeySettings {
  /** The plan's name. Default: the first plan, if there is one. */
  readonly plan?: string
  /** The outcome of all requests with this key, which makes it a magic key. */
  readonly always?: MagicOutcome
  /** The id of the record that is the user of the key, as a text. Default: one of the first records, by the key. */
  readonly user?: string
}

/** Which credentials are valid besides the present keys. */
export interface CallerRules {
  /** `any` accepts every credential. */
  readonly accepts: Exclude<AuthMode, 'off'>
  /** The keys at the start. A magic key that is among them can be changed and removed like the others. */
  readonly configured: readonly (readonly [key: string, settings: KeySettings])[]
}

type Plans = ReadonlyMap<string, Plan>

/** The account of callers without a valid key. Keys cannot have parentheses. */
const ANONYMOUS = '(anonymous)'

/** The callers of a service by their credentials. */
export class Callers {
  readonly #accepts: CallerRules['accepts']
  readonly #known: ReadonlyMap<string, Caller>
  readonly #missing: Caller
  /** The one caller of a service without security. */
  readonly everyone: Caller

  constructor(
    plans: Plans,
    keys: ReadonlyMap<string, KeySettings>,
    { accepts, configured }: CallerRules,
  ) {
    const [plan] = plans.values()
    this.#accepts = accepts
    this.#known = new Map([...magicCallers(configured, plan), ...configuredCallers(keys, plans)])
    this.#missing = { account: ANONYMOUS, plan, key: 'missing' }
    this.everyone = { account: ANONYMOUS, plan, key: 'valid' }
  }

  /** The caller with a configured or magic key; `undefined` for any other credential. */
  known(credential: string): Caller | undefined {
    return this.#known.get(credential)
  }

  /** The caller with this credential, or without one. Callers without a configured key are on the first plan. */
  by(credential: string | undefined): Caller {
    if (credential === undefined) return this.#missing
    const known = this.#known.get(credential)
    if (known) return known
    const { plan } = this.#missing

    return this.#accepts === 'any'
      ? { account: credential, plan, key: 'valid', credential, isUnlisted: true }
      : { account: ANONYMOUS, plan, key: 'invalid', credential }
  }
}

/** The callers with a magic key that is not configured. */
function magicCallers(
  configured: CallerRules['configured'],
  plan: Plan = MAGIC_PLAN,
): [key: string, Caller][] {
  const names = new Set(configured.map(([key]) => key))

  return Object.entries(MAGIC_KEYS)
    .filter(([key]) => !names.has(key))
    .map(([key, always]) => [key, { account: key, plan, key: 'valid', always, credential: key }])
}

function configuredCallers(
  keys: ReadonlyMap<string, KeySettings>,
  plans: Plans,
): [key: string, Caller][] {
  return [...keys].map(([key, { plan: name, always, user }]) => {
    const known = { ...(always && { always }), ...(user !== undefined && { user }) }
    return [
      key,
      { account: key, plan: planOfKey(name, plans), key: 'valid', ...known, credential: key },
    ]
  })
}

/** The plan of a key that names this one; the first plan for a key that names none. */
export function planOfKey(name: string | undefined, plans: Plans): Plan | undefined {
  const [first] = plans.values()
  return name === undefined ? first : planNamed(name, plans)
}

/** The plan with this name; one without requests when it does not exist. */
export function planNamed(name: string, plans: Plans): Plan {
  return plans.get(name) ?? { name, minute: 0, day: 0 }
}

/** How many requests a plan allows in each UTC minute and in each UTC day. */
export interface Plan {
  readonly name: string
  /** Requests per minute. */
  readonly minute: number
  /** Requests per day. */
  readonly day: number
}

/** The outcome of every request with a magic key. */
export type MagicOutcome = 'rate-limited' | 'day-exhausted' | 'banned'

/** The sender of a request, by its credential. */
export interface Caller {
  /** The name that requests are counted under: the credential, or `(anonymous)` for all callers without a valid one. */
  readonly account: string
  /** Absent in a sandbox without plans: then there is no quota. */
  readonly plan?: Plan | undefined
  /** `missing`: the request has no credential in a documented form. `invalid`: its credential is not a known key. */
  readonly key: 'valid' | 'missing' | 'invalid'
  /** Present for a magic key. */
  readonly always?: MagicOutcome
  /** The complete credential; absent when none was sent. */
  readonly credential?: string
  /** Present for a credential that is accepted although it is not a configured key. */
  readonly isUnlisted?: true
  /** The id of the client to which the sandbox issued the token; absent for other credentials. */
  readonly client?: string
  /** Why a token that the sandbox issued does not work, as a clause; absent for other callers. */
  readonly fault?: string
  /** What the report has to know about the credential. */
  readonly notes?: readonly Note[]
  /** Refuses an operation for which the token of the caller lacks a scope; absent for callers who may do everything. */
  readonly refuse?: Refuse
  /** The user of a token that the sandbox issued, or of a configured key, by the id of its record as text. */
  readonly user?: string
}

/** The problem of a request that a caller may not send; `undefined` when it may. */
export type Refuse = (
  request: CoreRequest,
  operation: SecuredOperation,
  rules: { readonly realm: string; readonly schemes: readonly Scheme[] },
) => Problem | undefined

/** A caller whose requests are counted. */
export type MeteredCaller = Caller & { readonly plan: Plan }

export function isMetered(caller: Caller): caller is MeteredCaller {
  return caller.plan !== undefined
}

/** The API keys whose requests all have the same outcome. Every sandbox accepts them, in every documented form. */
const MAGIC_KEYS: Readonly<Record<string, MagicOutcome>> = {
  sk_sandbox_rate_limited: 'rate-limited',
  sk_sandbox_day_exhausted: 'day-exhausted',
  sk_sandbox_banned: 'banned',
}

/** The plan of magic keys in a sandbox without plans, so that their 429 has quota headers. */
const MAGIC_PLAN: Plan = { name: 'sandbox', minute: 60, day: 1000 }

/**
 * The sender of a request: the first known key that it sends in the form of any security scheme, else its first credential, in
 * the order of the schemes. Without schemes, all requests have the same sender.
 */
export function identify(
  request: CoreRequest,
  callers: Callers,
  schemes: readonly Scheme[],
): Caller {
  if (schemes.length === 0) return callers.everyone
  let first: string | undefined
  for (const scheme of schemes) {
    const credential = scheme.read(request)
    for (const one of [credential, scheme.readSecond?.(request)]) {
      const known = one === undefined ? undefined : callers.known(one)
      if (known) return known
    }
    first ??= credential
  }
  return callers.by(first)
}
