import { BAN_RULES, type BanRules } from '../access/bans.ts'
import { createKeys, type KeySettings, type Keys } from '../access/caller.ts'
import type { Plan } from '../access/plan.ts'
import type { Contract, ServiceTypes } from '../contract/contract.ts'
import { type Duration, milliseconds } from '../duration.ts'
import { contract as shippedContract } from '../generated/contract.ts'
import type { KeyName, PlanName } from '../generated/fixtures.ts'
import * as fixtures from '../generated/fixtures.ts'
import { refuseUnknown, suggest, UsageError, wholeNumber } from '../usage-error.ts'

/**
 * What a sandbox can be told. Every field may be left out. `Types` are the contract's; `NewPlan` are the plans that
 * `plans` adds, for `keys` to name.
 */
export interface SandboxOptions<
  Types extends ServiceTypes = ServiceTypes,
  NewPlan extends string = string,
> {
  /** The service to stand in for; the one that ships when left out. */
  readonly contract?: Contract<Types>
  /** The same seed gives the same records. A whole number; 1 when left out. */
  readonly seed?: number
  /** Records that each collection starts with; 50 when left out. */
  readonly records?: number
  /** Requests a minute and a day by plan, over those of `fixtures/plans.yaml`. New plans need both. */
  readonly plans?: Readonly<Record<NewPlan, Windows>> & Readonly<Partial<Record<PlanName, Windows>>>
  /** API keys and their plans, beside those of `fixtures/keys.yaml`. */
  readonly keys?: Readonly<Record<string, PlanName | NoInfer<NewPlan>>> & {
    readonly [Key in KeyName]?: PlanName | NoInfer<NewPlan>
  }
  /** When a key that keeps sending after a 429 is banned; `false` for never. */
  readonly ban?: false | Partial<BanRules>
  /** Whether quotas are enforced; `true` when left out. */
  readonly quota?: boolean
  /** Whether a valid API key is asked for; `true` when left out. */
  readonly auth?: boolean
  /** How long each answer is held back, in milliseconds or as `200ms`; not at all when left out. */
  readonly latency?: Duration
  /** How many exchanges the journal keeps; 1,000 when left out. */
  readonly journal?: number
  /**
   * In a page: `session` keeps records, counts, bans and the clock in `sessionStorage`, so that they outlive a reload of the
   * tab. `false`, nothing is kept, when left out.
   */
  readonly persist?: 'session' | false
}

interface Windows {
  /** Requests a minute. */
  readonly minute?: number
  /** Requests a day. */
  readonly day?: number
}

/** Options as the sandbox uses them: complete and checked. */
export interface Settings {
  readonly contract: Contract
  readonly seed: number
  readonly records: number
  readonly plans: ReadonlyMap<string, Plan>
  readonly keys: Keys
  readonly ban: BanRules | undefined
  readonly quota: boolean
  readonly auth: boolean
  /** Milliseconds. */
  readonly latency: number
  readonly journal: number
  readonly persist: 'session' | false
}

const DEFAULTS = {
  contract: shippedContract,
  seed: 1,
  records: 50,
  plans: {},
  keys: {},
  ban: {},
  quota: true,
  auth: true,
  latency: 0,
  journal: 1000,
  persist: false,
} as const satisfies SandboxOptions

/** Checks the options and fills in the defaults. Throws a UsageError that names the option. */
export function resolveOptions(options: SandboxOptions = {}): Settings {
  refuseUnknown('createSandbox option', options, Object.keys(DEFAULTS))
  const given = { ...DEFAULTS, ...withoutUndefined(options) }
  const plans = resolvePlans(given.plans)

  return {
    contract: given.contract,
    seed: wholeNumber('seed', given.seed, Number.MIN_SAFE_INTEGER),
    records: wholeNumber('records', given.records, 0),
    plans,
    keys: resolveKeys(given.keys, plans),
    ban: resolveBan(given.ban),
    quota: given.quota,
    auth: given.auth,
    latency: milliseconds(given.latency),
    journal: wholeNumber('journal', given.journal, 0),
    persist: resolvePersist(given.persist),
  }
}

function resolvePlans(given: NonNullable<SandboxOptions['plans']>): ReadonlyMap<string, Plan> {
  const windows: Record<string, { minute?: number; day?: number }> = { ...fixtures.plans }
  for (const [name, plan] of Object.entries(given)) {
    refuseUnknown(`plans.${name} window`, plan, ['minute', 'day'])
    windows[name] = { ...windows[name], ...plan }
  }
  const plans = Object.entries(windows).map(([name, { minute, day }]): [string, Plan] => [
    name,
    {
      name,
      minute: wholeNumber(`plans.${name}.minute`, minute, 1),
      day: wholeNumber(`plans.${name}.day`, day, 1),
    },
  ])
  return new Map(plans)
}

function resolveKeys(
  given: NonNullable<SandboxOptions['keys']>,
  plans: ReadonlyMap<string, Plan>,
): Keys {
  const keys: Record<string, KeySettings> = { ...fixtures.keys }
  for (const [key, plan] of Object.entries(given)) {
    if (!plans.has(plan)) {
      throw new UsageError(
        'unknown_plan',
        `Cannot give the key ${key} the plan "${plan}": there is no such plan. ${suggest(plan, [...plans.keys()])}`,
      )
    }
    if (!/^[\w~+/.-]+=*$/.test(key)) {
      throw new UsageError(
        'invalid_key',
        `Cannot use the key "${key}": a bearer token has letters, digits and -._~+/ only (RFC 6750). Choose another.`,
      )
    }
    keys[key] = { plan }
  }
  return createKeys(keys, plans)
}

function resolveBan(given: NonNullable<SandboxOptions['ban']>): BanRules | undefined {
  if (given === false) return undefined
  refuseUnknown('ban option', given, Object.keys(BAN_RULES))
  const { refusals, seconds, factor, maxSeconds } = { ...BAN_RULES, ...given }

  return {
    refusals: wholeNumber('ban.refusals', refusals, 1),
    seconds: wholeNumber('ban.seconds', seconds, 1),
    factor: wholeNumber('ban.factor', factor, 1),
    maxSeconds: wholeNumber('ban.maxSeconds', maxSeconds, 1),
  }
}

function resolvePersist(given: unknown): Settings['persist'] {
  if (given === 'session' || given === false) return given
  throw new UsageError(
    'invalid_option',
    `Cannot use "${given}" as persist: it is no place to keep state. Give 'session', or leave it out.`,
  )
}

/** An option that is there but undefined counts as left out: `{ quota: undefined }` must not end the quotas. */
function withoutUndefined(options: SandboxOptions): SandboxOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}
