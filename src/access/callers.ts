import type { Caller, MagicOutcome } from './caller.ts'
import { MAGIC_KEYS, MAGIC_PLAN } from './magic-keys.ts'
import type { Plan } from './plan.ts'
import type { AuthMode } from './security-scheme.ts'

/** The configuration of a key. */
export interface KeySettings {
  /** The plan's name. */
  readonly plan: string
  /** The outcome of all requests with this key, which makes it a magic key. */
  readonly always?: MagicOutcome
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
  return [...keys].map(([key, { plan: name, always }]) => {
    const plan = planNamed(name, plans)
    return [key, { account: key, plan, key: 'valid', ...(always && { always }), credential: key }]
  })
}

/** The plan with this name; one without requests when it does not exist. */
export function planNamed(name: string, plans: Plans): Plan {
  return plans.get(name) ?? { name, minute: 0, day: 0 }
}
