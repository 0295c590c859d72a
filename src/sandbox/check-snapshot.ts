import type { Contract } from '../contract/contract.ts'
import { ruleCheck } from './rule-check.ts'
import { invalidSnapshot, SNAPSHOT_VERSION, type Snapshot } from './snapshot.ts'
import { TIME } from './time-check.ts'
import { fields, is, isMap, listOf, mistakesIn, type ValueCheck, wholeFrom } from './value-check.ts'

/** A snapshot of one's own, that nobody changes. Throws a UsageError for what is none, or is of another version or contract. */
export function readSnapshot(given: unknown, contract: Contract): Snapshot {
  const value = toPlain(given)
  const version = isMap(value) ? value.version : undefined
  if (version !== undefined && version !== SNAPSHOT_VERSION) {
    throw invalidSnapshot(`it is of version ${String(version)}, not ${SNAPSHOT_VERSION}`)
  }
  checkForm(value, contract)
  const { title, version: release } = value.contract
  if (title !== contract.title || release !== contract.version) {
    throw invalidSnapshot(
      `it is of ${title} ${release}, and this is ${contract.title} ${contract.version}`,
    )
  }
  return value
}

/** What could not be JSON could not be answered either. */
function toPlain(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value))
  } catch (cause) {
    throw invalidSnapshot('it is no JSON', cause)
  }
}

function checkForm(value: unknown, { operations }: Contract): asserts value is Snapshot {
  const state = all({
    ...STATE,
    rules: all({ last: COUNT, list: listOf(ruleCheck(operations, RULE, DONE)) }),
  })
  const form = all(
    { version: COUNT, contract: all({ title: TEXT, version: TEXT }), state, worlds: each(state) },
    ['worlds'],
  )
  const [mistake] = mistakesIn(value, form)
  if (mistake) throw invalidSnapshot(mistake.why)
}

const ADVICE = ''
const NUMBER = is('no whole number', ADVICE, Number.isSafeInteger)
const COUNT = wholeFrom(0)
const TEXT = is('no text', ADVICE, (value) => typeof value === 'string')
const MAP = is('no map', ADVICE, isMap)

/** The clock of a machine that is never right must not end in a time that there is not. */
const OFFSET = is(
  'too much',
  ADVICE,
  (value) =>
    Number.isSafeInteger(value) && mistakesIn(Date.now() + Number(value), TIME).length === 0,
)

const USAGE = all({ window: NUMBER, used: COUNT })

/** What a rule has done, beside what it says. A key that was removed since may stand in it. */
const RULE = { id: wholeFrom(1), key: TEXT, matched: COUNT, forced: COUNT, random: NUMBER }

const DONE = ['id', 'matched', 'forced', 'random']

/** What must hold of a world's state, but for its rules, for the engine to go on from it. */
const STATE = {
  clock: all({ offset: OFFSET, frozenAt: TIME }, ['frozenAt']),
  keys: all({
    plans: listOf(all({ name: TEXT, minute: wholeFrom(1), day: wholeFrom(1) })),
    keys: listOf(named(all({ plan: TEXT, always: TEXT }, ['always']))),
  }),
  limits: listOf(named(all({ minute: USAGE, day: USAGE }))),
  bans: listOf(named(all({ row: COUNT, retryAt: COUNT, bans: COUNT, until: COUNT }))),
  random: NUMBER,
  records: each(all({ rows: listOf(MAP), ids: NUMBER }, ['ids'])),
}

/** A map with all of these, but those that may be left out. */
function all(
  checks: Readonly<Record<string, ValueCheck>>,
  optional: readonly string[] = [],
): ValueCheck {
  return fields(
    checks,
    Object.keys(checks).filter((name) => !optional.includes(name)),
  )
}

/** A map of any names. */
function each(check: ValueCheck): ValueCheck {
  return (value, path, mistakes) => {
    if (!isMap(value)) return MAP(value, path, mistakes)
    for (const [name, member] of Object.entries(value)) check(member, [...path, name], mistakes)
  }
}

/** A name, and what goes by it. */
function named(check: ValueCheck): ValueCheck {
  return (value, path, mistakes) => {
    const [name, member] = Array.isArray(value) ? value : []
    TEXT(name, [...path, 0], mistakes)
    check(member, [...path, 1], mistakes)
  }
}
