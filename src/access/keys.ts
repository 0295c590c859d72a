import { refuseUnknown, suggest, UsageError, wholeNumber } from '../validation/usage-error.ts'
import type { Caller, MagicOutcome } from './caller.ts'
import { ANONYMOUS_PLAN, type Plan } from './plan.ts'

/** What a plan is configured to allow; a window that is left out stays as it is. */
export interface QuotaWindows {
  /** Requests a minute. */
  readonly minute?: number
  /** Requests a day. */
  readonly day?: number
}

/** How a key is configured. */
export interface KeySettings {
  /** The plan's name. */
  readonly plan: string
  /** Makes it a magic key: the outcome of all of its requests. */
  readonly always?: MagicOutcome
}

/** A valid key, with the plan that it is on. */
export interface KeyInfo {
  /** The whole key. */
  readonly key: string
  readonly plan: Plan
  /** The outcome of all requests with this key, when it is a magic one. */
  readonly always?: MagicOutcome
}

/** All plans and keys, as plain data. */
export interface KeysSnapshot {
  readonly plans: readonly Plan[]
  readonly keys: readonly (readonly [key: string, settings: KeySettings])[]
}

/** Values by name, to be read and put back; `undefined` removes one. */
interface Table<Value> {
  read(): ReadonlyMap<string, Value>
  put(name: string, value: Value | undefined): void
}

/** The account of callers without a valid key. No key has parentheses. */
const ANONYMOUS = '(anonymous)'

/** Whether an `Authorization` header can carry a text as a bearer token (RFC 6750, section 2.1). */
export function isBearerToken(text: string): boolean {
  return /^[\w~+/.-]+=*$/.test(text)
}

/** The API keys that are valid, and the plans they are on. */
export class Keys {
  readonly #plans = new Map<string, Plan>()
  readonly #settings = new Map<string, KeySettings>()
  /** By key. Made anew at each change, so that requests find their caller ready. */
  #callers: ReadonlyMap<string, Caller> = new Map()
  #missing: Caller = anonymous('missing')
  #invalid: Caller = anonymous('invalid')

  constructor({ plans, keys }: KeysSnapshot) {
    for (const plan of plans) this.#plans.set(plan.name, plan)
    for (const [key, settings] of keys) this.#settings.set(key, settings)
    this.#prepare()
  }

  /** The caller who sent this bearer token, or none. */
  callerByToken(token: string | undefined): Caller {
    return token === undefined ? this.#missing : (this.#callers.get(token) ?? this.#invalid)
  }

  /** The caller of a valid key; throws a UsageError for any other. */
  callerOf(key: string): Caller {
    const caller = this.#callers.get(key)
    if (caller) return caller
    const hint = suggest(key, [...this.#callers.keys()])
    throw new UsageError('unknown_key', `Cannot find the key "${key}": there is none. ${hint}`)
  }

  get plans(): readonly Plan[] {
    return [...this.#plans.values()].map((plan) => ({ ...plan }))
  }

  list(): readonly KeyInfo[] {
    return [...this.#callers].map(([key, { plan, always }]) => ({
      key,
      plan: { ...plan },
      ...(always && { always }),
    }))
  }

  /**
   * Changes what a plan allows, or adds one. Throws a UsageError for a new one without both windows, and for a
   * number that is not whole, or below 1.
   */
  setPlan(name: string, windows: QuotaWindows): void {
    refuseUnknown(`plans.${name} window`, windows, ['minute', 'day'])
    const { minute, day } = { ...this.#plans.get(name), ...windows }
    if (minute === undefined || day === undefined) {
      const hint = suggest(name, [...this.#plans.keys()])
      throw new UsageError(
        'invalid_option',
        `Cannot add the plan "${name}": a new one needs both minute and day. ${hint}`,
      )
    }
    const plan = {
      name,
      minute: wholeNumber(`plans.${name}.minute`, minute, 1),
      day: wholeNumber(`plans.${name}.day`, day, 1),
    }
    this.#plans.set(name, plan)
    this.#prepare()
  }

  /** Puts a key on a plan, or adds one. Throws a UsageError for an unknown plan, and for a text that can be no key. */
  setKey(key: string, plan: string): void {
    if (!this.#plans.has(plan)) {
      const hint = suggest(plan, [...this.#plans.keys()])
      throw new UsageError(
        'unknown_plan',
        `Cannot give the key ${key} the plan "${plan}": there is no such plan. ${hint}`,
      )
    }
    if (!isBearerToken(key)) {
      throw new UsageError(
        'invalid_key',
        `Cannot use the key "${key}": a bearer token has letters, digits and -._~+/ only (RFC 6750). Choose another.`,
      )
    }
    this.#settings.set(key, { plan })
    this.#prepare()
  }

  /** Makes a key invalid. Throws a UsageError for one that is not valid. */
  removeKey(key: string): void {
    this.callerOf(key)
    this.#settings.delete(key)
    this.#prepare()
  }

  /** The plans by name, to be put back unchecked; each is the same object until it is replaced. */
  readonly planTable: Table<Plan> = {
    read: () => new Map(this.#plans),
    put: (name, plan) => {
      put(this.#plans, name, plan)
      this.#prepare()
    },
  }

  /** The settings of the keys, to be put back unchecked; each is the same object until it is replaced. */
  readonly keyTable: Table<KeySettings> = {
    read: () => new Map(this.#settings),
    put: (key, settings) => {
      put(this.#settings, key, settings)
      this.#prepare()
    },
  }

  snapshot(): KeysSnapshot {
    return structuredClone({ plans: this.plans, keys: [...this.#settings] })
  }

  #prepare(): void {
    const callers = [...this.#settings].map(([key, { plan, always }]): [string, Caller] => [
      key,
      { account: key, plan: this.#planOf(plan), key: 'valid', ...(always && { always }) },
    ])
    this.#callers = new Map(callers)
    const plan = this.#planOf(ANONYMOUS_PLAN)
    this.#missing = { ...this.#missing, plan }
    this.#invalid = { ...this.#invalid, plan }
  }

  #planOf(name: string): Plan {
    return this.#plans.get(name) ?? emptyPlan(name)
  }
}

function put<Value>(map: Map<string, Value>, name: string, value: Value | undefined): void {
  if (value === undefined) map.delete(name)
  else map.set(name, value)
}

function anonymous(key: 'missing' | 'invalid'): Caller {
  return { account: ANONYMOUS, plan: emptyPlan(ANONYMOUS_PLAN), key }
}

function emptyPlan(name: string): Plan {
  return { name, minute: 0, day: 0 }
}
