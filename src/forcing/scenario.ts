import type { KeysSnapshot, Windows } from '../access/keys.ts'
import type { Contract, Operation } from '../contract/contract.ts'
import { bind, resourcesOf } from '../resources/bind.ts'
import { isCount, recordsCheck } from '../resources/lint-records.ts'
import type { StoredRecord } from '../resources/row-index.ts'
import type { Duration } from '../time/duration.ts'
import { DURATION, INSTANT } from '../time/time-check.ts'
import { UsageError } from '../validation/usage-error.ts'
import {
  fields,
  is,
  isMap,
  listOf,
  mapOf,
  mistakesIn,
  oneOf,
  type ValueCheck,
  type ValueMistake,
  wholeFrom,
} from '../validation/value-check.ts'
import type { ForceRule } from './force-rule.ts'
import type { Outcome } from './outcomes.ts'
import { ruleCheck } from './rule-check.ts'

/** A state to rehearse: what a sandbox starts from, and how it ends requests. */
export interface Scenario {
  /** What it rehearses, in a sentence. */
  readonly rehearses: string
  /** A count for each collection, or the records themselves by collection; the sandbox's own number when left out. */
  readonly records?: number | Readonly<Record<string, readonly StoredRecord[]>>
  /** Where the clock starts, as `2030-12-04T23:59:00Z`; it runs from there, unless `frozen`. Now, when left out. */
  readonly clock?: string
  /** Whether the clock stands still at the start; `false` when left out. */
  readonly frozen?: boolean
  /** Requests a minute and a day of each plan, in place of those of the sandbox. */
  readonly plans?: Readonly<Record<string, Windows>>
  /** How many requests are spent at the start, by API key. */
  readonly spent?: Readonly<Record<string, Windows>>
  /** How long keys are banned from the start on, as `5m`, by API key. */
  readonly banned?: Readonly<Record<string, Duration>>
  /** Outcomes that are forced on requests, in this order. */
  readonly rules?: readonly ScenarioRule[]
}

/** An outcome, and which requests it is forced on: all of them, unless a field narrows that. */
export interface ScenarioRule extends ForceRule {
  readonly outcome: Outcome
}

/** A scenario that cannot be played: the message tells its first mistake, `mistakes` has all. */
export class ScenarioRefused extends UsageError {
  readonly mistakes: readonly ValueMistake[]

  constructor(name: string, mistakes: readonly ValueMistake[]) {
    const told = mistakes.slice(0, 1).map(({ why, advice }) => `${why}. ${advice}`)
    super('invalid_scenario', `Cannot play the scenario "${name}": ${told}`)
    this.mistakes = mistakes
  }
}

/** The names that a scenario may use. */
export interface ScenarioNames {
  readonly operations: readonly Pick<Operation, 'id' | 'method'>[]
  readonly collections: readonly string[]
  readonly keys: readonly string[]
  readonly plans: readonly string[]
}

/** The names that the scenarios of a sandbox may use. */
export function scenarioNames(contract: Contract, { plans, keys }: KeysSnapshot): ScenarioNames {
  return {
    operations: contract.operations,
    collections: resourcesOf(bind(contract)).map(({ name }) => name),
    keys: keys.map(([key]) => key),
    plans: plans.map(({ name }) => name),
  }
}

/** Throws a {@link ScenarioRefused} for what is no scenario. Records are left for the store to check. */
export function checkScenario(
  name: string,
  value: unknown,
  names: ScenarioNames,
): asserts value is Scenario {
  const mistakes = mistakesIn(value, scenarioCheck(names))
  if (mistakes.length > 0) throw new ScenarioRefused(name, mistakes)
}

function scenarioCheck({ operations, collections, keys, plans }: ScenarioNames): ValueCheck {
  const windowsFrom = (least: number): ValueCheck =>
    fields({ minute: wholeFrom(least), day: wholeFrom(least) })
  const records = recordsCheck(collections)

  return fields(
    {
      rehearses: is('no sentence', 'Say in one what it rehearses.', isFilled),
      records: (given, ...rest) => (isMap(given) ? records : COUNT)(given, ...rest),
      clock: INSTANT,
      frozen: is('neither true nor false', 'Give one of them.', (given) => given === !!given),
      plans: mapOf('plan', plans, windowsFrom(1)),
      spent: mapOf('API key', keys, windowsFrom(0)),
      banned: mapOf('API key', keys, DURATION),
      rules: listOf(ruleCheck(operations, { key: oneOf(keys) })),
    },
    ['rehearses'],
  )
}

const COUNT = is(
  'no count',
  'Give a whole number from 0 up, or lists of records by collection.',
  isCount,
)

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}
