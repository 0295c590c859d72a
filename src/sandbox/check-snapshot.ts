import type { Contract } from '../contract/contract.ts'
import { UsageError } from '../usage-error.ts'

/** The form of snapshots; those of another are not read. */
export const SNAPSHOT_VERSION = 1

/** Throws a UsageError for what is no snapshot, or one of another version or contract. */
export function checkSnapshot(value: unknown, { title, version }: Contract): Snapshot {
  if (!isObject(value) || !isObject(value.contract)) throw invalidSnapshot('it has no version and contract')
  if (value.version !== SNAPSHOT_VERSION) {
    throw invalidSnapshot(`its version is ${String(value.version)}, and this sandbox reads ${SNAPSHOT_VERSION}`)
  }
  const { contract, worlds = {} } = value
  if (contract.title !== title || contract.version !== version) {
    throw invalidSnapshot(
      `it is of ${String(contract.title)} ${String(contract.version)}, and this is ${title} ${version}`,
    )
  }
  if (!isObject(worlds)) throw invalidSnapshot('its worlds are no object')
  for (const [name, state] of Object.entries({ ...worlds, default: value.state })) {
    const fault = faultOf(state)
    if (fault !== undefined) throw invalidSnapshot(`the ${fault} of the world ${name} cannot be read`)
  }
  return value as unknown as Snapshot
}

export function invalidSnapshot(why: string, cause?: unknown): UsageError {
  return new UsageError(
    'invalid_snapshot',
    `Cannot restore the snapshot: ${why}. Give one that this sandbox took.`,
    { cause },
  )
}

type Test = (value: unknown) => boolean

const isNumber: Test = (value) => Number.isSafeInteger(value)

const isUsage = shaped({ window: isNumber, used: isNumber })

const isText: Test = (value) => typeof value === 'string'

/** What must hold of each part of a state, for the engine to go on from it. */
const PARTS: Readonly<Record<keyof WorldState, Test>> = {
  clock: shaped({ offset: isNumber, frozenAt: optional(isNumber) }),
  keys: shaped({
    plans: listOf(shaped({ name: isText, minute: isNumber, day: isNumber })),
    keys: listOf(pairOf(shaped({ plan: isText, always: optional(isText) }))),
  }),
  limits: listOf(pairOf(shaped({ minute: isUsage, day: isUsage }))),
  bans: listOf(pairOf(shaped({ row: isNumber, retryAt: isNumber, bans: isNumber, until: isNumber }))),
  rules: listOf(shaped({ id: isNumber, outcome: isText, matched: isNumber, forced: isNumber, random: isNumber })),
  random: isNumber,
  records: (value) =>
    isObject(value) && Object.values(value).every(shaped({ rows: listOf(isObject), ids: optional(isNumber) })),
}

function faultOf(state: unknown): string | undefined {
  if (!isObject(state)) return 'state'
  return Object.entries(PARTS).find(([name, test]) => !test(state[name]))?.[0]
}

function shaped(members: Readonly<Record<string, Test>>): Test {
  return (value) =>
    isObject(value) && Object.entries(members).every(([name, test]) => test(value[name]))
}

function listOf(test: Test): Test {
  return (value) => Array.isArray(value) && value.every(test)
}

function pairOf(test: Test): Test {
  return (value) => Array.isArray(value) && isText(value[0]) && test(value[1])
}

function optional(test: Test): Test {
  return (value) => value === undefined || test(value)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
