import { type BanRules, resolveBanRules } from '../access/ban.ts'
import type { KeySettings } from '../access/callers.ts'
import { type GivenKey, Keys, type KeysSnapshot, type QuotaWindows } from '../access/keys.ts'
import { AUTH_MODES, type AuthMode } from '../access/security-scheme.ts'
import { MAX_BODY_BYTES } from '../contract/body-content.ts'
import {
  CONTRACT_FORMAT,
  type Contract,
  type ScenarioOf,
  type ServiceTypes,
} from '../contract/contract.ts'
import { UNKNOWN_IDS, type UnknownIds, VALIDATIONS, type Validation } from '../contract/input.ts'
import type { Settings } from '../engine/settings.ts'
import { type EventOptions, resolveEventOptions } from '../events/event-settings.ts'
import { type Scenario, scenariosFor } from '../forcing/scenario.ts'
import type { Locale } from '../generate/locale.ts'
import { contract as shippedContract } from '../generated/contract.ts'
import type { KeyName, PlanName } from '../generated/types.ts'
import type { Handlers } from '../handlers/define-handlers.ts'
import { type HandlerMistake, selectHandlers } from '../handlers/select-handlers.ts'
import { requireCollection } from '../resources/bind.ts'
import { type GivenRecords, resolveRecords } from '../resources/first-records/records-option.ts'
import { userPlace } from '../resources/views/caller-record.ts'
import type { SignInOptions } from '../sign-in/sign-in-settings.ts'
import { type DurationRange, spanOf } from '../time/duration.ts'
import {
  kindOf,
  refuseUnknown,
  requireInteger,
  requireObject,
  UsageError,
  unknownName,
} from '../validation/usage-error.ts'

/**
 * The options of a sandbox. All are optional. `Types` are the contract's; `NewPlan` are the names of plans that `plans` adds, for
 * `keys` to use, and `NewScenario` those of scenarios that `scenarios` adds.
 */
export interface SandboxOptions<
  Types extends ServiceTypes = ServiceTypes,
  NewPlan extends string = string,
  NewScenario extends string = string,
> {
  /** The contract of the service to stand in for. By default, the shipped one. */
  readonly contract?: Contract<Types>
  /** The same seed gives the same records, ids, latencies and random outcomes. An integer. By default, 1. */
  readonly seed?: number
  /**
   * How many records each collection starts with, or the records or their number by collection, such as
   * `{ pets: 3, orders: [{ petId: 1 }] }`. By default, 50; in another document than the shipped one two pages of the list, at most
   * 50, or 25 where it has no pages, 10 below a record, and fewer where records are large. Records follow the rules of the API, and
   * may be as any response or request shows them, also in an envelope. A record without an id gets the next one. A collection is named by its
   * name, a path to it or the name of its schema; one that is not named starts with the number of `*`, by default empty. The records of a `scenario` replace these.
   */
  readonly records?: number | 'default' | GivenRecords<NoInfer<Types>>
  /** The language of generated names and places: what `loadLocale()` returns. By default, English. */
  readonly locale?: Locale
  /**
   * Requests per minute and per day of each plan, instead of those of the document's `x-sandbox`. New plans need both.
   * The first plan is that of callers without a configured key. Without any plan, there is no quota.
   */
  readonly plans?: Readonly<Record<NewPlan, QuotaWindows>> &
    Readonly<Partial<Record<PlanName, QuotaWindows>>>
  /**
   * API keys and their plans, in addition to those of the document's `x-sandbox`. `{ plan: 'pro', user: '7' }` is a key whose caller is a
   * record, as at `/me`. An unknown plan throws a UsageError.
   */
  readonly keys?: Readonly<
    Record<string, GivenKey<PlanName | NoInfer<NewPlan> | (string & {})>>
  > & {
    readonly [Key in KeyName]?: GivenKey<PlanName | NoInfer<NewPlan> | (string & {})>
  }
  /**
   * When a key that does not wait after a 429 is banned. `{}` is a ban of five minutes after ten refusals in a row; each further
   * ban is twice as long, up to an hour. `false` switches bans off. By default, as the document's `x-sandbox` says, else off.
   */
  readonly ban?: false | Partial<BanRules>
  /** Whether quotas are enforced. By default, `true`. */
  readonly quota?: boolean
  /**
   * Which credentials are accepted where the document requires some. `keys`: only the API keys of the sandbox. `any`: every
   * credential in a documented form. `off` or `false`: none is required. By default, or `true`, as the document's `x-sandbox`
   * says, else `any`.
   */
  readonly auth?: boolean | AuthMode
  /**
   * How long each response is delayed: milliseconds, `200ms`, or `100ms..2s` for a random time in that range, by the seed. By
   * default, there is no delay.
   */
  readonly latency?: DurationRange
  /** The size limit of a request body in bytes. By default, as the document's `x-sandbox` says, else 10 MiB. */
  readonly bodyLimit?: number
  /**
   * What happens to a request that its operation does not allow. `error` refuses it. `warn` serves it, and the journal and the report
   * say what was wrong. `off` serves it without checks. By default, `error`.
   */
  readonly validation?: Validation
  /**
   * What happens to an id that no record has: `auto` answers 404 where the document has one, and makes a record where it has none;
   * `404` always refuses; `create` always makes a record. Default: `auto`. The shipped contract always refuses.
   */
  readonly unknownIds?: UnknownIds
  /**
   * Your own code for operations: what `defineHandlers()` returns, or a list of such. A handler for an operation that the document does
   * not have throws a UsageError.
   */
  readonly handlers?: Handlers
  /**
   * Called when a handler throws, takes longer than five seconds, or answers what the document does not allow; then such an answer is
   * sent, and the journal has a note. By default, such an answer rejects, and other mistakes are written to the console.
   */
  readonly onHandlerMistake?: (mistake: HandlerMistake) => void
  /**
   * To whom the service sends what happened: webhooks and callbacks. By default, subscriptions of this machine get what they ask for.
   */
  readonly events?: EventOptions
  /** Sends each delivery of an event, and resolves with the response of the receiver: a short form of `events.deliver`, which it replaces. */
  readonly deliver?: EventOptions['deliver']
  /** How clients and users get tokens, where the document has OAuth 2, OpenID Connect or login operations. */
  readonly signIn?: SignInOptions
  /** The name of the scenario to start with, and to return to at a reset. */
  readonly scenario?: ScenarioOf<NoInfer<Types>> | NoInfer<NewScenario>
  /** Scenarios by name, in addition to those of `fixtures/scenarios`. */
  readonly scenarios?: Readonly<Record<NewScenario, Scenario>>
  /** The maximum number of worlds besides its own. By default, 1,000. One more drops the least recently used world. */
  readonly worlds?: number
  /** How many exchanges the journal keeps. By default, 1,000. */
  readonly journal?: number
  /**
   * `session` keeps the state of its own world in the page's `sessionStorage`, so that it survives a reload of the tab. By default,
   * `false`: nothing is kept.
   */
  readonly persist?: 'session' | false
}

const DEFAULTS = {
  contract: shippedContract,
  seed: 1,
  records: 'default',
  locale: undefined,
  plans: {},
  keys: {},
  ban: undefined,
  quota: true,
  auth: true,
  latency: 0,
  bodyLimit: undefined,
  validation: 'error',
  unknownIds: 'auto',
  journal: 1000,
  handlers: undefined,
  onHandlerMistake: undefined,
  events: undefined,
  deliver: undefined,
  signIn: undefined,
  scenario: undefined,
  scenarios: {},
  worlds: 1000,
  persist: false,
} as const satisfies { readonly [Name in keyof SandboxOptions]-?: unknown }

/** The options that are objects whose names the developer chooses. */
const MAPS = ['plans', 'keys', 'scenarios'] as const

/** Checks the options and adds the defaults. Throws a UsageError that names the option. */
export function resolveOptions(options: SandboxOptions = {}): Settings {
  refuseUnknown('createSandbox', options, Object.keys(DEFAULTS))
  const given = { ...DEFAULTS, ...withoutUndefined(options) }
  for (const name of MAPS) requireObject(`use the option ${name}`, given[name])

  return {
    contract: checkedContract(given.contract),
    seed: requireInteger('seed', given.seed, Number.MIN_SAFE_INTEGER),
    records: resolveRecords(given.records, given.contract),
    ...(given.locale && { locale: given.locale }),
    keys: resolveKeys(given),
    ban: resolveBanRules(given.ban, given.contract.sandbox?.ban),
    quota: given.quota,
    auth: resolveAuth(given.auth, given.contract),
    bodyLimit: requireInteger(
      'bodyLimit',
      given.bodyLimit ?? given.contract.sandbox?.bodyLimit ?? MAX_BODY_BYTES,
      1,
    ),
    validation: resolveName('validation', given.validation, VALIDATIONS),
    unknownIds: resolveName('unknownIds', given.unknownIds, UNKNOWN_IDS),
    unknownProperties: given.contract.sandbox?.unknownProperties ?? 'keep',
    latency: spanOf(given.latency),
    journal: requireInteger('journal', given.journal, 0),
    scenario: given.scenario,
    scenarios: new Map(Object.entries({ ...scenariosFor(given.contract), ...given.scenarios })),
    worlds: requireInteger('worlds', given.worlds, 1),
    ...(given.handlers && {
      handlers: {
        selected: selectHandlers(given.handlers, given.contract),
        onMistake: given.onHandlerMistake,
      },
    }),
    events: resolveEventOptions(
      given.deliver ? { ...given.events, deliver: given.deliver } : given.events,
    ),
    signIn: given.signIn ?? {},
    persist: resolvePersist(given.persist),
  }
}

function checkedContract(given: Contract): Contract {
  if (Array.isArray(Object(given).operations)) return readableContract(given)
  if (isPromise(given)) {
    throw new UsageError({
      code: 'invalid_option',
      task: 'use the option contract',
      reason: 'the value is a promise of a contract',
      help: 'Write: contract: await loadContract(…)',
    })
  }
  throw new UsageError({
    code: 'invalid_option',
    task: 'use the option contract',
    reason: `the value must be a contract (got ${kindOf(given)})`,
    help: 'Give what loadContract() returns.',
  })
}

function isPromise(value: unknown): boolean {
  return typeof Object(value).then === 'function'
}

function readableContract(given: Contract): Contract {
  const { format = CONTRACT_FORMAT } = given
  if (format <= CONTRACT_FORMAT) return given
  throw new UsageError({
    code: 'newer_contract',
    task: 'use the option contract',
    reason: `a newer pet-sandbox compiled it (format ${format}, at most ${CONTRACT_FORMAT} is known)`,
    help: 'Update pet-sandbox, or run "pet-sandbox compile" again.',
  })
}

function resolveName<Name>(option: string, given: Name, names: readonly Name[]): Name {
  if (names.includes(given)) return given
  throw new UsageError({
    code: 'invalid_option',
    task: `use the option ${option}`,
    ...unknownName(option, String(given), names.map(String)),
  })
}

function resolvePersist(given: unknown): Settings['persist'] {
  if (given === 'session' || given === false) return given
  throw new UsageError({
    code: 'invalid_option',
    task: 'use the option persist',
    reason: `the value must be 'session' (got "${given}")`,
    help: 'Leave the option out to keep nothing.',
  })
}

/** An option that is `undefined` gets its default: `{ quota: undefined }` must not switch quotas off. */
function withoutUndefined(options: SandboxOptions): SandboxOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

/** The plans and keys of the document, with those of the options. */
function resolveKeys({
  contract,
  plans,
  keys,
}: {
  readonly contract: Contract
  readonly plans: Readonly<Record<string, QuotaWindows>>
  readonly keys: Readonly<Record<string, GivenKey>>
}): KeysSnapshot {
  const documented = contract.sandbox ?? {}
  const resolved = new Keys({
    plans: Object.entries(documented.plans ?? {}).map(([name, windows]) => ({ name, ...windows })),
    keys: Object.entries(documented.keys ?? {}).map(([key, { user, ...rest }]) => [
      key,
      { ...rest, ...(user !== undefined && { user: String(user) }) },
    ]),
  })
  for (const [name, windows] of Object.entries(plans)) resolved.setPlan(name, windows)
  for (const [key, given] of Object.entries(keys)) resolved.setKey(key, given)
  for (const [, given] of resolved.snapshot().keys) checkKeyUser(given, contract)

  return resolved.snapshot()
}

/** Throws a UsageError for the path of a user in a collection that the document does not have. */
export function checkKeyUser(given: GivenKey | KeySettings, contract: Contract): void {
  const user = Object(given).user
  const { collection } = userPlace(String(user ?? ''))
  if (collection !== '') requireCollection(collection, contract)
}

/** The mode of the option. `true` is that of the document. Throws a UsageError for another value. */
export function resolveAuth(given: unknown, { sandbox }: Pick<Contract, 'sandbox'>): AuthMode {
  if (given === true) return sandbox?.auth ?? 'any'
  if (given === false) return 'off'
  const mode = AUTH_MODES.find((one) => one === given)
  if (mode) return mode
  throw new UsageError({
    code: 'invalid_option',
    task: 'use the option auth',
    ...unknownName('mode', String(given), AUTH_MODES),
  })
}
