import type { MagicOutcome } from '../access/callers.ts'
import { DAY } from '../access/quota.ts'
import type { Contract } from '../contract/contract.ts'
import { ruleCheck } from '../forcing/rule-check.ts'
import { isBearerToken } from '../http/headers.ts'
import { MAX_TIME, TIME } from '../time/clock.ts'
import { isObject } from '../validation/objects.ts'
import { UsageError } from '../validation/usage-error.ts'
import {
  fields,
  integerFrom,
  is,
  listOf,
  mistakesIn,
  oneOf,
  spell,
  type ValueCheck,
  type ValueMistake,
  type ValuePath,
} from '../validation/value-check.ts'
import { SNAPSHOT_VERSION, type Snapshot } from './snapshot.ts'

/** A checked copy of a snapshot. Throws a UsageError for an invalid one, and for one of another version or contract. */
export function readSnapshot(given: unknown, contract: Contract): Snapshot {
  const value = toPlain(given)
  if (!isSnapshot(value)) throw notASnapshot()
  const { version } = value
  if (version !== undefined && version !== SNAPSHOT_VERSION) {
    throw invalidSnapshot(
      `its version is ${JSON.stringify(version)}, but this release reads version ${SNAPSHOT_VERSION}`,
    )
  }
  checkForm(value, contract)
  const { title, version: release } = value.contract
  if (title !== contract.title || release !== contract.version) {
    throw invalidSnapshot(
      `it belongs to ${title} ${release}, but the contract is ${contract.title} ${contract.version}`,
    )
  }
  return value
}

/** Whether a value is a snapshot of any version. Other JSON files, such as `package.json`, can have a version, too. */
function isSnapshot(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && isObject(value.contract) && isObject(value.state)
}

/** The value as JSON. Throws a UsageError for a value that JSON cannot represent. */
function toPlain(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value))
  } catch (cause) {
    const isDeep = cause instanceof RangeError
    throw invalidSnapshot(isDeep ? 'it is nested too deeply' : 'it is not JSON data', cause)
  }
}

function checkForm(value: unknown, contract: Contract): asserts value is Snapshot {
  const state = all(
    {
      ...STATE,
      rules: all({ last: COUNT, list: listOf(ruleCheck(contract, RULE, REQUIRED)) }),
    },
    ['events'],
  )
  const form = all(
    {
      version: COUNT,
      contract: all({ title: TEXT, version: TEXT }),
      state,
      worlds: each(state),
      order: listOf(TEXT),
    },
    ['worlds', 'order'],
  )
  const [mistake] = mistakesIn(value, form)
  if (mistake) throw invalidSnapshot(mistake.reason)
}

const NUMBER = is('an integer', Number.isSafeInteger)
const COUNT = integerFrom(0)
const TEXT = is('a string', (value) => typeof value === 'string')
const MAP = is('an object', isObject)

/** How far a clock can be from the machine's. */
const OFFSET = is(
  `an integer from -${MAX_TIME} to ${MAX_TIME}`,
  (value) => Number.isSafeInteger(value) && Math.abs(Number(value)) <= MAX_TIME,
)

/** A time that was calculated: the window of `MAX_TIME` ends up to one day after it. */
const MOMENT = is(
  'a time in epoch milliseconds',
  (value) => Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MAX_TIME + DAY,
)

const ALWAYS: Readonly<Record<MagicOutcome, true>> = {
  'rate-limited': true,
  'day-exhausted': true,
  banned: true,
}

const KEY = is('an API key', (value) => typeof value === 'string' && isBearerToken(value))

const USAGE = all({ window: NUMBER, used: COUNT })

/** The fields of a rule's state. Its key may have been removed since. */
const RULE = {
  id: integerFrom(1),
  key: TEXT,
  matched: COUNT,
  forced: COUNT,
  random: NUMBER,
  state: TEXT,
}

const REQUIRED = ['id', 'matched', 'forced', 'random']

const DELIVERY = all(
  {
    id: COUNT,
    event: all({ id: TEXT, type: TEXT, at: MOMENT, record: TEXT }, ['record']),
    ...{ url: TEXT, method: TEXT, contentType: TEXT, body: TEXT, subscription: TEXT },
    secrets: listOf(TEXT),
    forwarded: is('true', (value) => value === true),
    attempts: listOf(MAP),
    next: MOMENT,
    ...{ state: TEXT, fault: TEXT, round: COUNT, chain: COUNT, after: COUNT, headers: MAP },
  },
  ['subscription', 'secrets', 'forwarded', 'fault', 'round', 'chain', 'after', 'headers'],
)

/** The checks of a world's state. Rules are checked against the contract. */
const STATE = {
  events: all({ lastEvent: COUNT, lastDelivery: COUNT, deliveries: listOf(DELIVERY) }),
  clock: all({ offset: OFFSET, frozenAt: TIME }, ['frozenAt']),
  keys: plansAndKeys,
  limits: oncePer(0, listOf(named(all({ minute: USAGE, day: USAGE })))),
  bans: oncePer(0, listOf(named(all({ row: COUNT, retryAt: MOMENT, bans: COUNT, until: MOMENT })))),
  random: NUMBER,
  records: each(
    all(
      {
        rows: listOf(MAP),
        ids: NUMBER,
        removed: listOf(TEXT),
        made: listOf(TEXT),
        created: listOf(TEXT),
      },
      ['ids', 'removed', 'made', 'created'],
    ),
  ),
}

/** A map with all of these fields, except that `optional` ones can be missing. */
function all(
  checks: Readonly<Record<string, ValueCheck>>,
  optional: readonly string[] = [],
): ValueCheck {
  return fields(
    checks,
    Object.keys(checks).filter((name) => !optional.includes(name)),
  )
}

/** A map with any names whose values pass the check. */
function each(check: ValueCheck): ValueCheck {
  return (value, path, mistakes) => {
    if (!isObject(value)) return MAP(value, path, mistakes)
    for (const [name, member] of Object.entries(value)) check(member, [...path, name], mistakes)
  }
}

/** A pair of a name and a value. */
function named(check: ValueCheck, isName = TEXT): ValueCheck {
  return (value, path, mistakes) => {
    const [name, member] = Array.isArray(value) ? value : []
    isName(name, [...path, 0], mistakes)
    check(member, [...path, 1], mistakes)
  }
}

/** A list in which no name occurs twice. `place` is the property of each member that has its name. */
function oncePer(place: string | number, check: ValueCheck): ValueCheck {
  return (value, path, mistakes) => {
    check(value, path, mistakes)
    const names = namesIn(value, place)
    const seen = new Set<unknown>()
    const twice = names.findIndex((name) => seen.size === seen.add(name).size)
    if (twice === -1) return
    refuse([...path, twice, place], ` ${JSON.stringify(names[twice])} occurs twice`, mistakes)
  }
}

/** Plans, and keys that are each on one of the plans. */
function plansAndKeys(value: unknown, path: ValuePath, mistakes: ValueMistake[]): void {
  const { plans } = isObject(value) ? value : {}
  const known = namesIn(plans, 'name').map(String)
  const plan = all({ name: TEXT, minute: integerFrom(1), day: integerFrom(1) })
  const key = all(
    {
      plan: oneOf('plan', known),
      always: oneOf('outcome', Object.keys(ALWAYS)),
      user: TEXT,
    },
    ['plan', 'always', 'user'],
  )
  const check = all({
    plans: oncePer('name', listOf(plan)),
    keys: oncePer(0, listOf(named(key, KEY))),
  })
  check(value, path, mistakes)
}

function namesIn(list: unknown, place: string | number): readonly unknown[] {
  return Array.isArray(list) ? list.map((member) => Reflect.get(Object(member), place)) : []
}

function refuse(path: ValuePath, why: string, mistakes: ValueMistake[]): void {
  mistakes.push({ path, part: 'value', reason: spell(path) + why })
}

/** The snapshot has a mistake, or the sandbox cannot use it. */
export function invalidSnapshot(reason: string, cause?: unknown): UsageError {
  return new UsageError({
    code: 'invalid_snapshot',
    task: 'restore the snapshot',
    reason,
    help: 'Give a snapshot that a sandbox of this contract took.',
    cause,
  })
}

/** The value is something else than a snapshot. */
function notASnapshot(): UsageError {
  return new UsageError({
    code: 'invalid_snapshot',
    task: 'restore the snapshot',
    reason: 'it is not a snapshot of a sandbox',
    help: 'Make one with: pet-sandbox ctl snapshot FILE, or with sandbox.snapshot().',
  })
}
