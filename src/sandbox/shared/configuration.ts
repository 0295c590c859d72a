import type { KeysSnapshot } from '../../access/keys.ts'
import type { Contract } from '../../contract/contract.ts'
import type { WorldState } from '../../engine/world-state.ts'
import type { RulesSnapshot } from '../../forcing/rules.ts'
import { StoreUnavailableError } from '../../state/store-unavailable-error.ts'
import type { StoredRule } from '../../state/stored-state.ts'
import { readSnapshot } from '../check-snapshot.ts'
import { SNAPSHOT_VERSION } from '../fork-state.ts'

type SavedRule = RulesSnapshot['list'][number]

/** A rule as it was given, without what it has done. */
export type GivenRule = Omit<SavedRule, keyof StoredRule>

/** The plans, the keys and the rules of a world, as the store keeps them. */
export interface Configuration {
  readonly keys: KeysSnapshot
  readonly rules: { readonly last: number; readonly list: readonly GivenRule[] }
  /** The scenario whose records the collections start with; absent when they are those of the settings. */
  readonly recordsOf?: string | undefined
}

/** The configuration of a state, in the form that the store keeps. */
export function configurationOf(
  { keys, rules }: Pick<WorldState, 'keys' | 'rules'>,
  recordsOf: string | undefined,
): Configuration {
  const { last, list } = rules.snapshot()
  return {
    recordsOf,
    keys: keys.snapshot(),
    rules: { last, list: list.map(({ matched: _, forced: __, random: ___, ...given }) => given) },
  }
}

/** The configuration without the rules that were forced often enough: the store keeps the counts of the others only. */
export function withoutSpentRules(
  { rules, ...others }: Configuration,
  counted: ReadonlyMap<number, StoredRule>,
): Configuration {
  return { ...others, rules: { ...rules, list: rules.list.filter(({ id }) => counted.has(id)) } }
}

/** The text of a configuration: the same for equal ones. */
export function toText({ keys, rules, recordsOf }: Configuration): string {
  return JSON.stringify({ keys, rules, recordsOf })
}

/** Reads the text of a configuration. Throws a StoreUnavailableError for one that no server wrote. */
export function readConfiguration(text: string, contract: Contract): Configuration {
  const { title, version } = contract
  try {
    const { keys, rules, recordsOf } = JSON.parse(text)
    if (recordsOf !== undefined && typeof recordsOf !== 'string') throw unreadableConfiguration()
    const list = rules.list.map((rule: object) => ({ ...rule, matched: 0, forced: 0, random: 0 }))
    const state = { ...UNUSED_STATE, keys, rules: { last: rules.last, list } }
    const given = { version: SNAPSHOT_VERSION, contract: { title, version }, state }
    return { ...configurationIn(readSnapshot(given, contract).state), recordsOf }
  } catch (cause) {
    throw unreadableConfiguration(cause)
  }
}

/** The error for a configuration that no server wrote. */
export function unreadableConfiguration(cause?: unknown): StoreUnavailableError {
  return new StoreUnavailableError(
    'The configuration of a world in the store cannot be read. Reset the world.',
    { cause },
  )
}

/** What a snapshot has besides a configuration. */
const UNUSED_STATE = { clock: { offset: 0 }, limits: [], bans: [], random: 0, records: {} }

function configurationIn({
  keys,
  rules,
}: {
  readonly keys: KeysSnapshot
  readonly rules: RulesSnapshot
}): Configuration {
  const list = rules.list.map(({ matched: _, forced: __, random: ___, ...given }) => given)
  return { keys, rules: { last: rules.last, list } }
}
