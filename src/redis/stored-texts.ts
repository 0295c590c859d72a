import type { Id } from '../records/record-table.ts'
import type { VersionedRecord } from '../records/stored-records.ts'
import { isObject } from '../validation/objects.ts'
import { idText } from './keys.ts'
import { corruptValue, textIn } from './store-errors.ts'
import type { StoredAccount, StoredRule } from './world-store.ts'

// Accounts and rules are short texts, which scripts compare, read and write. Equal ones have equal texts.

/** The text of an account, `minute:used:day:used|row:retryAt:bans:until`; empty for one without usage and bans. */
export function accountText(account: StoredAccount | undefined): string {
  if (!account?.usage && !account?.history) return ''
  const { usage, history } = account
  const counts = usage
    ? [usage.minute.window, usage.minute.used, usage.day.window, usage.day.used].join(':')
    : ''
  const bans = history ? [history.row, history.retryAt, history.bans, history.until].join(':') : ''

  return `${counts}|${bans}`
}

/** Reads the text of an account; `undefined` for another text. */
export function readAccount(text: string): StoredAccount | undefined {
  if (text === '') return {}
  const [counts, bans, ...rest] = text.split('|')
  if (counts === undefined || bans === undefined || rest.length > 0) return undefined
  const usage = numbersIn(counts, 4)
  const history = numbersIn(bans, 4)
  if (!usage || !history) return undefined
  const [minute = 0, minuteUsed = 0, day = 0, dayUsed = 0] = usage
  const [row = 0, retryAt = 0, count = 0, until = 0] = history

  return {
    ...(counts !== '' && {
      usage: {
        minute: { window: minute, used: minuteUsed },
        day: { window: day, used: dayUsed },
      },
    }),
    ...(bans !== '' && { history: { row, retryAt, bans: count, until } }),
  }
}

/** The text of a rule's state, `matched:forced:random`, with `:state` in a flow; empty for a removed rule. */
export function ruleText(rule: StoredRule | undefined): string {
  if (!rule) return ''
  const { matched, forced, random, state } = rule
  const inFlow = state === undefined ? [] : [encodeURIComponent(state)]

  return [matched, forced, random, ...inFlow].join(':')
}

/** Reads the text of a rule's state; `undefined` for another text. */
export function readRule(text: string): StoredRule | undefined {
  const [, counts = '', state] = /^([^:]*:[^:]*:[^:]*)(?::(.+))?$/.exec(text) ?? []
  const numbers = counts === '' ? undefined : numbersIn(counts, 3)
  if (!numbers) return undefined
  const [matched = 0, forced = 0, random = 0] = numbers

  return { matched, forced, random, ...(state !== undefined && { state: decodedState(state) }) }
}

function decodedState(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** As many finite numbers as `count`, or none; `undefined` for another text. */
function numbersIn(text: string, count: number): readonly number[] | undefined {
  if (text === '') return []
  const numbers = text.split(':').map((one) => (one === '' ? Number.NaN : Number(one)))
  return numbers.length === count && numbers.every(Number.isFinite) ? numbers : undefined
}

/** The states of rules; `undefined` for one that is removed. */
export function readRules(
  texts: readonly unknown[],
  key: string,
): readonly (StoredRule | undefined)[] {
  return texts.map((value) => {
    if (value === null || value === '') return undefined
    const rule = readRule(textIn(value, key))
    if (!rule) throw corruptValue(key)

    return rule
  })
}

/** The state of a collection as the store has it. */
export interface ReadState {
  readonly ids: number
  readonly orders: readonly string[]
  /** The orders that have all records. */
  readonly ready: readonly string[]
  readonly emptied?: readonly Id[]
}

/** Reads the text of a record: its version, its generation, and its JSON unless it is removed. `key` is named by errors. */
function readRecord(id: Id, text: string, key: string): VersionedRecord {
  const [, version, generation, json] = /^(\d+) (\d+) (.*)$/s.exec(text) ?? []
  if (version === undefined || json === undefined) throw corruptValue(key)
  const record = json === '' ? undefined : parse(json, key)
  if (record !== undefined && !isObject(record)) throw corruptValue(key)

  return { id, version, generation: Number(generation), record }
}

/** Reads an id in the member of an index. */
export function readId(text: string, key: string): Id {
  const id = parse(text, key)
  if (isId(id)) return id
  throw corruptValue(key)
}

/** Reads a list of names, such as those of properties. */
export function readNames(value: unknown, key: string): readonly string[] {
  const list = parse(textIn(value, key), key)
  if (Array.isArray(list) && list.every((one) => typeof one === 'string')) return list
  throw corruptValue(key)
}

/** Reads a list of ids; `undefined` when there is none. */
export function readIds(value: unknown, key: string): readonly Id[] | undefined {
  if (value === null || value === undefined) return undefined
  const list = parse(textIn(value, key), key)
  if (Array.isArray(list) && list.every(isId)) return list
  throw corruptValue(key)
}

/** The name of a collection from its form in keys. */
export function readCollectionName(text: string, key: string): string {
  try {
    const name: unknown = JSON.parse(`"${decodeURIComponent(text)}"`)
    if (typeof name === 'string') return name
  } catch {}
  throw corruptValue(key)
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' || typeof value === 'number'
}

function parse(text: string, key: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw corruptValue(key)
  }
}

/** How many records are kept in each of the two halves. */
const MAX_RECORDS = 5000

/** Longer texts are not kept. */
const MAX_LENGTH = 10_000

interface KeptRecord {
  readonly text: string
  readonly record: VersionedRecord
}

/**
 * The records that were read lately, by their texts: the same text is read once, and is the same object again, so that what was made
 * of it can be used again. The store is always asked for the text.
 */
export class KeptRecords {
  /** Those that were read since the other half became full, and those before. */
  #young = new Map<string, KeptRecord>()
  #old = new Map<string, KeptRecord>()

  /** Reads the text of a record of a collection. */
  read(id: Id, text: string, collection: string): VersionedRecord {
    const name = `${collection} ${idText(id)}`
    const young = this.#young.get(name)
    if (young?.text === text) return young.record
    const old = this.#old.get(name)
    if (old?.text === text) return this.#keep(name, old)
    const record = readRecord(id, text, collection)

    return text.length > MAX_LENGTH ? record : this.#keep(name, { text, record })
  }

  #keep(name: string, kept: KeptRecord): VersionedRecord {
    if (this.#young.size >= MAX_RECORDS) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(name, kept)
    return kept.record
  }
}
