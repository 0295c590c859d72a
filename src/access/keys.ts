import { isBearerToken } from '../http/headers.ts'
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
  planNamed,
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
  readonly plan: Plan
  /** The outcome of all requests with this key. Present for a magic key. */
  readonly always?: MagicOutcome
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
    return [...this.#settings].map(([key, { plan, always }]) => ({
      key,
      plan: { ...planNamed(plan, this.#plans) },
      ...(always && { always }),
    }))
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

  /** Assigns a key to a plan, or adds a key. Throws a UsageError for an unknown plan, and for a text that cannot be a key. */
  setKey(key: string, plan: string): void {
    if (!this.#plans.has(plan)) {
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
    this.#settings.set(key, { plan })
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
