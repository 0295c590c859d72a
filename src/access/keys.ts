import { isBearerToken } from '../http/headers.ts'
import { isObject } from '../validation/objects.ts'
import {
  refuseUnknown,
  requireInteger,
  suggest,
  UsageError,
  unknownName,
} from '../validation/usage-error.ts'
import {
  type Caller,
  type CallerRules,
  Callers,
  type KeySettings,
  type MagicOutcome,
  type Plan,
  planOfKey,
} from './callers.ts'

/** How many requests a plan allows in each window. A window that is left out keeps its value. */
export interface QuotaWindows {
  /** Requests per minute. */
  readonly minute?: number
  /** Requests per day. */
  readonly day?: number
}

/** A valid key and its plan. */
export interface KeyInfo {
  /** The complete key. */
  readonly key: string
  /** Absent in a sandbox without plans. */
  readonly plan?: Plan
  /** The outcome of all requests with this key. Present for a magic key. */
  readonly always?: MagicOutcome
  /** The id of the record that is the user of the key. Present where it is configured. */
  readonly user?: string
}

/** What a key is: the name of its plan, or that and its user. */
export type GivenKey<PlanName extends string = string> =
  | PlanName
  | {
      /** The plan's name. Default: the first plan, if there is one. */
      readonly plan?: PlanName | undefined
      /** The id of the record that is the user of the key, or its path such as `/accounts/7`: its caller at `/me`, and the owner of what it creates. */
      readonly user?: string | number | undefined
    }

/** What a sandbox without keys is sent, as it accepts any credential. */
export const ANY_KEY = 'sk_sandbox'

/** The first key whose requests are not refused on purpose. */
export function usableKey(keys: readonly KeyInfo[]): string | undefined {
  return keys.find(({ always }) => always === undefined)?.key
}

/** All plans and keys, as plain data. */
export interface KeysSnapshot {
  readonly plans: readonly Plan[]
  readonly keys: readonly (readonly [key: string, settings: KeySettings])[]
}

/** Keeps the plans and the valid API keys. */
export class Keys {
  readonly #rules: CallerRules
  readonly #plans = new Map<string, Plan>()
  readonly #settings = new Map<string, KeySettings>()
  #callers: Callers

  /** By default, only the configured keys are valid. */
  constructor(
    { plans, keys }: KeysSnapshot,
    rules: CallerRules = { accepts: 'keys', configured: keys },
  ) {
    this.#rules = rules
    for (const plan of plans) this.#plans.set(plan.name, plan)
    for (const [key, settings] of keys) this.#settings.set(key, settings)
    this.#callers = new Callers(this.#plans, this.#settings, rules)
  }

  /** The callers by their credentials. */
  get callers(): Callers {
    return this.#callers
  }

  /** Whether every credential is valid, not only the keys. */
  get acceptsAny(): boolean {
    return this.#rules.accepts === 'any'
  }

  /** The caller with a valid credential. Throws a UsageError for any other one. */
  callerOf(key: string): Caller {
    const caller = this.#callers.by(key)
    if (caller.key === 'valid') return caller
    throw this.#unknownKey(key)
  }

  get plans(): readonly Plan[] {
    return [...this.#plans.values()].map((plan) => ({ ...plan }))
  }

  list(): readonly KeyInfo[] {
    return [...this.#settings].map(([key, { plan: name, always, user }]) => {
      const plan = planOfKey(name, this.#plans)
      return {
        key,
        ...(plan && { plan: { ...plan } }),
        ...(always && { always }),
        ...(user !== undefined && { user }),
      }
    })
  }

  /**
   * Changes what a plan allows, or adds a plan. Throws a UsageError for a new plan without both windows, and for a number
   * that is not an integer ≥ 1.
   */
  setPlan(name: string, windows: QuotaWindows): void {
    refuseUnknown(`plans.${name}`, windows, ['minute', 'day'], 'window')
    const { minute, day } = { ...this.#plans.get(name), ...windows }
    if (minute === undefined || day === undefined) {
      throw new UsageError({
        code: 'invalid_option',
        task: `add the plan "${name}"`,
        reason: 'a new plan needs both minute and day',
        ...suggest(name, [...this.#plans.keys()]),
      })
    }
    const plan = {
      name,
      minute: requireInteger(`plans.${name}.minute`, minute, 1),
      day: requireInteger(`plans.${name}.day`, day, 1),
    }
    this.#plans.set(name, plan)
    this.#prepare()
  }

  /**
   * Assigns a key to a plan and a user, or adds a key. Without a user, a key keeps the one that it has. Throws a UsageError for an unknown
   * plan, and for a text that cannot be a key.
   */
  setKey(key: string, given: GivenKey): void {
    const before = this.#settings.get(key)
    const { plan = before?.plan, user = before?.user } =
      typeof given === 'string' ? { plan: given } : checkedKey(key, given)
    if (plan !== undefined && !this.#plans.has(plan)) {
      throw new UsageError({
        code: 'unknown_plan',
        task: `assign the API key ${key} to a plan`,
        ...unknownName('plan', plan, [...this.#plans.keys()]),
      })
    }
    if (!isBearerToken(key)) {
      throw new UsageError({
        code: 'invalid_key',
        task: `add the API key "${key}"`,
        reason:
          'a bearer token consists of letters, digits and -._~+/ only (RFC 6750, section 2.1)',
        help: 'Choose another key.',
      })
    }
    this.#settings.set(key, {
      ...(plan !== undefined && { plan }),
      ...(user !== undefined && { user: String(user) }),
    })
    this.#prepare()
  }

  /** Makes a key invalid. Throws a UsageError for an unknown key. */
  removeKey(key: string): void {
    if (!this.#settings.delete(key)) throw this.#unknownKey(key)
    this.#prepare()
  }

  /** The plans by name. Each is the same object until it is replaced. */
  readonly replaceablePlans: Replaceable<string, Plan> = {
    read: () => new Map(this.#plans),
    put: (name, plan) => {
      put(this.#plans, name, plan)
      this.#prepare()
    },
  }

  /** The settings of the keys. Each is the same object until it is replaced. */
  readonly replaceableKeys: Replaceable<string, KeySettings> = {
    read: () => new Map(this.#settings),
    put: (key, settings) => {
      put(this.#settings, key, settings)
      this.#prepare()
    },
  }

  snapshot(): KeysSnapshot {
    return structuredClone({ plans: this.plans, keys: [...this.#settings] })
  }

  #unknownKey(key: string): UsageError {
    return new UsageError({
      code: 'unknown_key',
      task: 'find the API key',
      ...unknownName('API key', key, [...this.#settings.keys()]),
    })
  }

  /** Each change creates the callers again, so that requests need not. */
  #prepare(): void {
    this.#callers = new Callers(this.#plans, this.#settings, this.#rules)
  }
}

function checkedKey(key: string, given: Exclude<GivenKey, string>): Exclude<GivenKey, string> {
  const task = `use the API key ${key}`
  const value: unknown = given
  if (!isObject(value)) {
    const reason = `its value must be the name of a plan, or an object with plan and user (got ${JSON.stringify(value)})`
    throw new UsageError({
      code: 'invalid_option',
      task,
      reason,
      help: "Write it as my_key: { plan: 'pro', user: '7' }.",
    })
  }
  refuseUnknown(`keys.${key}`, value, ['plan', 'user'], 'field')
  if (given.user === undefined || /^(string|number)$/.test(typeof given.user)) return given
  throw new UsageError({
    code: 'invalid_option',
    task,
    reason: `user must be the id of a record (got ${JSON.stringify(given.user)})`,
    help: 'Write it as a text or a number.',
  })
}

function put<Value>(map: Map<string, Value>, name: string, value: Value | undefined): void {
  if (value === undefined) map.delete(name)
  else map.set(name, value)
}

/** Values by name. They are replaced, never changed in place. */
export interface Replaceable<Name, Value extends object> {
  read(): ReadonlyMap<Name, Value>
  /** Replaces the present value, without a check; `undefined` removes it. */
  put(name: Name, value: Value | undefined): void
}
