import type { Contract } from '../contract/contract.ts'
import { invalidSnapshot, SNAPSHOT_VERSION, type Snapshot } from './snapshot.ts'
import { fields, is, isMap, listOf, mistakesIn, type ValueCheck } from './value-check.ts'

/** Throws a UsageError for what is no snapshot, or one of another version or contract. */
export function checkSnapshot(value: unknown, contract: Contract): asserts value is Snapshot {
  const version = isMap(value) ? value.version : undefined
  if (version !== undefined && version !== SNAPSHOT_VERSION) {
    throw invalidSnapshot(`it is of version ${String(version)}, not ${SNAPSHOT_VERSION}`)
  }
  const [mistake] = mistakesIn(value, SNAPSHOT)
  if (mistake) throw invalidSnapshot(mistake.why)
  const { title, version: release } = (value as Snapshot).contract
  if (title !== contract.title || release !== contract.version) {
    throw invalidSnapshot(
      `it is of ${title} ${release}, and this is ${contract.title} ${contract.version}`,
    )
  }
}

const ADVICE = ''
const NUMBER = is('no whole number', ADVICE, Number.isSafeInteger)
/** Dates end a little later. */
const TIME = is(
  'no time',
  ADVICE,
  (value) => Math.abs(Number(value)) < 8e15 && Number.isSafeInteger(value),
)
const TEXT = is('no text', ADVICE, (value) => typeof value === 'string')
const MAP = is('no map', ADVICE, isMap)

const USAGE = all({ window: NUMBER, used: NUMBER })

/** What must hold of a world's state, for the engine to go on from it. */
const STATE = all({
  clock: all({ offset: TIME, frozenAt: TIME }, ['frozenAt']),
  keys: all({
    plans: listOf(all({ name: TEXT, minute: NUMBER, day: NUMBER })),
    keys: listOf(named(all({ plan: TEXT, always: TEXT }, ['always']))),
  }),
  limits: listOf(named(all({ minute: USAGE, day: USAGE }))),
  bans: listOf(named(all({ row: NUMBER, retryAt: NUMBER, bans: NUMBER, until: NUMBER }))),
  // Each rule is checked as one that is forced.
  rules: all({ last: NUMBER, list: listOf(MAP) }),
  random: NUMBER,
  records: each(all({ rows: listOf(MAP), ids: NUMBER }, ['ids'])),
})

const SNAPSHOT = all(
  {
    version: NUMBER,
    contract: all({ title: TEXT, version: TEXT }),
    state: STATE,
    worlds: each(STATE),
  },
  ['worlds'],
)

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
