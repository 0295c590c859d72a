import type { Keys } from '../access/caller.ts'
import type { Contract } from '../contract/contract.ts'
import type { Duration } from '../duration.ts'
import { bind } from '../resources/bind.ts'
import type { Row } from '../resources/row-index.ts'
import { UsageError } from '../usage-error.ts'
import { DURATION, INSTANT, LATENCY } from './time-check.ts'
import {
  fields,
  is,
  isMap,
  listOf,
  mapOf,
  oneOf,
  type ValueCheck,
  type ValueMistake,
  wholeFrom,
} from './value-check.ts'

/** A state to rehearse: what a sandbox starts from, and how it ends requests. */
export interface Scenario {
  /** What it rehearses, in a sentence. */
  readonly rehearses: string
  /** A count for each collection, or the records themselves by collection; the sandbox's own number when left out. */
  readonly records?: number | Readonly<Record<string, readonly Row[]>>
  /** Where the clock starts, as `2030-12-04T23:59:00Z`; it runs from there, unless `frozen`. Now, when left out. */
  readonly clock?: string
  /** Whether the clock stands still; `false` when left out. */
  readonly frozen?: boolean
  /** Requests a minute and a day by plan, over those of the sandbox. */
  readonly plans?: Readonly<Record<string, Windows>>
  /** Requests that are spent at the start, by API key. */
  readonly spent?: Readonly<Record<string, Windows>>
  /** For how long API keys are banned at the start, as `5m`. */
  readonly banned?: Readonly<Record<string, Duration>>
  /** Outcomes that requests are forced to, in this order. */
  readonly rules?: readonly ScenarioRule[]
}

interface Windows {
  readonly minute?: number
  readonly day?: number
}

/** An outcome, and the requests that it is forced on: all of them, where nothing narrows it. */
export interface ScenarioRule {
  readonly outcome: (typeof OUTCOMES)[number]
  /** The operation's name. */
  readonly operation?: string
  /** In capitals, as `GET`. */
  readonly method?: string
  /** Below the base address, with `*` for any one segment, or a template as `/books/{bookId}`. */
  readonly path?: string
  /** An API key. */
  readonly key?: string
  /** How many requests it is forced on. */
  readonly times?: number
  /** How many requests pass before the first that it is forced on. */
  readonly skip?: number
  /** The share of requests that it is forced on, over 0 and up to 1; the seed decides which. */
  readonly probability?: number
  /** Seconds for `Retry-After`. */
  readonly retryAfter?: number
  /** How long the answer is held back, as `200ms`, or between two times, as `100ms..2s`. */
  readonly latency?: Duration
}

const OUTCOMES = [
  'unauthorized',
  'not-found',
  'bad-request',
  'rate-limited',
  'day-exhausted',
  'banned',
  'removed',
  'server-error',
  'unavailable',
  'timeout',
  'reset',
  'malformed',
  'truncated',
  'slow',
] as const

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Why a scenario cannot be played: the first mistake in the message, and all of them. */
export class ScenarioRefused extends UsageError {
  readonly mistakes: readonly ValueMistake[]

  constructor(name: string, mistakes: readonly ValueMistake[]) {
    const told = mistakes.slice(0, 1).map(({ why, advice }) => `${why}. ${advice}`)
    super('invalid_scenario', `Cannot play the scenario "${name}": ${told}`)
    this.mistakes = mistakes
  }
}

/** The names that a scenario may speak of. */
export interface ScenarioNames {
  readonly operations: readonly string[]
  readonly collections: readonly string[]
  readonly keys: readonly string[]
  readonly plans: readonly string[]
}

/** The names that the scenarios of a sandbox may speak of. */
export function scenarioNames(
  contract: Contract,
  plans: ReadonlyMap<string, unknown>,
  { byKey }: Keys,
): ScenarioNames {
  const collections = bind(contract).flatMap((one) =>
    one.deed === 'example' ? [] : [one.resource.name],
  )
  return {
    operations: contract.operations.map(({ id }) => id),
    collections: [...new Set(collections)],
    keys: [...byKey.keys()],
    plans: [...plans.keys()],
  }
}

/** The value, if it is a scenario; throws `ScenarioRefused` otherwise. Records are left for the store to check. */
export function checkScenario(name: string, value: unknown, names: ScenarioNames): Scenario {
  const mistakes: ValueMistake[] = []
  if (isScenario(value, names, mistakes)) return value
  throw new ScenarioRefused(name, mistakes)
}

function isScenario(
  value: unknown,
  { operations, collections, keys, plans }: ScenarioNames,
  mistakes: ValueMistake[],
): value is Scenario {
  const windowsFrom = (least: number): ValueCheck =>
    fields({ minute: wholeFrom(least), day: wholeFrom(least) })
  const records = mapOf('collection', collections, listOf(is('no map', 'Write one.', isMap)))
  const check = fields(
    {
      rehearses: is('no sentence', 'Say in one what it rehearses.', isFilled),
      records: (given, ...rest) => (isMap(given) ? records : COUNT)(given, ...rest),
      clock: INSTANT,
      frozen: is('neither true nor false', 'Give one of them.', (given) => given === !!given),
      plans: mapOf('plan', plans, windowsFrom(1)),
      spent: mapOf('API key', keys, windowsFrom(0)),
      banned: mapOf('API key', keys, DURATION),
      rules: listOf(ruleCheck(operations, keys)),
    },
    ['rehearses'],
  )
  check(value, [], mistakes)

  return mistakes.length === 0
}

const COUNT = is(
  'no count',
  'Give a whole number from 0 up, or lists of records by collection.',
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
)

function ruleCheck(operations: readonly string[], keys: readonly string[]): ValueCheck {
  return fields(
    {
      outcome: oneOf(OUTCOMES),
      operation: oneOf(operations),
      method: oneOf(METHODS),
      path: is(
        'no path',
        'Write it as /books/*.',
        (value) => typeof value === 'string' && value.startsWith('/'),
      ),
      key: oneOf(keys),
      times: wholeFrom(1),
      skip: wholeFrom(0),
      probability: is(
        'no share',
        'Give a number over 0 and up to 1.',
        (value) => typeof value === 'number' && value > 0 && value <= 1,
      ),
      retryAfter: wholeFrom(1),
      latency: LATENCY,
    },
    ['outcome'],
  )
}

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}
