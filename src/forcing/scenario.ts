import type { KeysSnapshot, QuotaWindows } from '../access/keys.ts'
import type { Contract } from '../contract/contract.ts'
import { contract as shippedContract } from '../generated/contract.ts'
import { scenarios } from '../generated/fixtures.ts'
import { givenRecordsCheck } from '../resources/first-records/check-first-records.ts'
import { isCount } from '../resources/first-records/records-check.ts'
import type { RecordsByCollection } from '../resources/start-of.ts'
import { DURATION, INSTANT } from '../time/clock.ts'
import type { Duration } from '../time/duration.ts'
import { isObject } from '../validation/objects.ts'
import { UsageError } from '../validation/usage-error.ts'
import {
  fields,
  integerFrom,
  is,
  listOf,
  mapOf,
  mistakesIn,
  toErrorItem,
  type ValueCheck,
  type ValueMistake,
} from '../validation/value-check.ts'
import type { ForceRule } from './force-rule.ts'
import { checkKey, type RuleNames, ruleCheck } from './rule-check.ts'
import { pathOfOperation } from './rule-path.ts'

/** A state that a sandbox starts from, and outcomes that it forces on requests. */
export type Scenario = ScenarioStart &
  (
    | {
        /** What the scenario is for, in one sentence. */
        readonly description: string
        /** @deprecated Use `description`. */
        readonly rehearses?: string
      }
    | {
        readonly description?: undefined
        /** @deprecated Use `description`. */
        readonly rehearses: string
      }
  )

/** A scenario that is known to have a description. */
export type DescribedScenario = ScenarioStart & { readonly description: string }

/** An item in a list of scenarios. */
export interface ScenarioInfo {
  readonly name: string
  /** What the scenario is for, in one sentence. */
  readonly description: string
  /** @deprecated The same as `description`. */
  readonly rehearses: string
}

interface ScenarioStart {
  /**
   * How many records each collection starts with, or the records or their number by collection. By default, the sandbox's own
   * number.
   */
  readonly records?: number | RecordsByCollection
  /** When the clock starts, such as `2030-12-04T23:59:00Z`. It runs from there, unless `frozen`. By default, now. */
  readonly clock?: string
  /** Whether the clock is frozen at the start. By default, `false`. */
  readonly frozen?: boolean
  /** Requests per minute and per day of each plan, instead of those of the sandbox. */
  readonly plans?: Readonly<Record<string, QuotaWindows>>
  /** How many requests are used at the start, by API key. */
  readonly spent?: Readonly<Record<string, QuotaWindows>>
  /** How long keys are banned from the start, such as `5m`, by API key. */
  readonly banned?: Readonly<Record<string, Duration>>
  /** The outcomes to force on requests, in this order. */
  readonly rules?: readonly ScenarioRule[]
}

/** What a scenario forces, and the requests that it is forced on: all, unless a field limits them. */
export interface ScenarioRule extends ForceRule {}

/** The names that a scenario can use. */
export interface ScenarioNames extends RuleNames {
  readonly basePath: string
  /** Checks the records that a scenario gives, by the names of their collections. */
  readonly records: ValueCheck
  readonly keys: readonly string[]
  /** Whether rules can name other credentials, too. */
  readonly acceptsAny: boolean
  readonly plans: readonly string[]
}

/** The names that the scenarios of a sandbox can use. `acceptsAny`: every credential is valid in it, not only the keys. */
export function scenarioNames(
  contract: Contract,
  { plans, keys }: KeysSnapshot,
  acceptsAny: boolean,
): ScenarioNames {
  return {
    operations: contract.operations,
    quotaHeaders: contract.quotaHeaders,
    basePath: contract.basePath,
    records: givenRecordsCheck(contract),
    keys: keys.map(([key]) => key),
    acceptsAny,
    plans: plans.map(({ name }) => name),
  }
}

/** The mistakes of a scenario. */
export function scenarioMistakes(value: unknown, names: ScenarioNames): readonly ValueMistake[] {
  return mistakesIn(value, scenarioCheck(names))
}

/** Throws a UsageError that lists the mistakes of a scenario. */
export function checkScenario(
  name: string,
  value: unknown,
  names: ScenarioNames,
): asserts value is Scenario {
  const [first, ...others] = scenarioMistakes(value, names).map(toErrorItem)
  if (!first) return
  const task = `apply the scenario "${name}"`
  throw new UsageError({ code: 'invalid_scenario', task, ...first, errors: [first, ...others] })
}

/** The scenario with a `description`. `notice` is called when the scenario uses its former name, `rehearses`. */
export function described(
  name: string,
  { rehearses, ...scenario }: Scenario,
  notice: (message: string) => void = noticeDeprecated,
): DescribedScenario {
  if (rehearses !== undefined)
    notice(
      `The scenario "${name}" has "rehearses", which is deprecated. Rename it to "description".`,
    )
  return { ...scenario, description: scenario.description ?? rehearses ?? '' }
}

function scenarioCheck(names: ScenarioNames): ValueCheck {
  const { keys, plans, acceptsAny } = names
  const rules = { key: checkKey(keys, acceptsAny), path: pathOfOperation(names) }
  const windowsFrom = (least: number): ValueCheck =>
    fields({ minute: integerFrom(least), day: integerFrom(least) })

  const form = (required: readonly string[]): ValueCheck =>
    fields(
      {
        description: SENTENCE,
        records: (given, ...rest) => (isObject(given) ? names.records : COUNT)(given, ...rest),
        clock: INSTANT,
        frozen: is('true or false', (given) => given === !!given),
        plans: mapOf('plan', plans, windowsFrom(1)),
        spent: mapOf('API key', keys, windowsFrom(0)),
        banned: mapOf('API key', keys, DURATION),
        rules: listOf(ruleCheck(names, rules)),
        rehearses: SENTENCE,
      },
      required,
    )
  return (value, ...rest) => {
    const hasFormerName = isObject(value) && value.rehearses !== undefined
    form(hasFormerName ? [] : ['description'])(value, ...rest)
  }
}

const SENTENCE = is('a sentence about the scenario', isFilled)

const COUNT = is('an integer ≥ 0 or an object of arrays', isCount)

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}

/** The notices that were given already. */
const noticed = new Set<string>()

/** Warns the developer once that something is deprecated: with a warning of Node, or on the console of a page. */
function noticeDeprecated(message: string): void {
  if (noticed.has(message)) return
  noticed.add(message)
  const { process } = globalThis
  if (process?.emitWarning) process.emitWarning(message, 'DeprecationWarning')
  // biome-ignore lint/suspicious/noConsole: A page has no other place for warnings.
  else console.warn(`pet-sandbox: ${message}`)
}

const SHIPPED: Readonly<Record<string, Scenario>> = scenarios

/** The scenarios that a sandbox of the contract starts with: all for the shipped one, else those that fit every service. */
export function scenariosFor(contract: Contract): Readonly<Record<string, Scenario>> {
  if (contract === shippedContract) return SHIPPED
  return Object.fromEntries(Object.entries(SHIPPED).filter(([, one]) => fitsEveryService(one)))
}

/** Whether a scenario only forces answers, on any operation and any caller. */
function fitsEveryService({ description: _, rules = [], ...start }: Scenario): boolean {
  return Object.keys(start).length === 0 && rules.length > 0 && rules.every(isGeneral)
}

function isGeneral({ operation, tag, path, key }: ScenarioRule): boolean {
  return [operation, tag, path, key].every((name) => name === undefined)
}
