import { DistinctKeys } from '../journal/client-id.ts'
import type { ExchangeSummary } from '../journal/exchange.ts'

/** The latest exchanges that are kept for lists. All exchanges are counted. */
export const MAX_KEPT = 5000
/** Exchanges are removed in blocks, because removing them one by one costs more. */
const BLOCK = 1000
/** The seconds for which requests per second are kept. */
const SECONDS = 120
/** More names of a kind are counted together, so that random names do not use memory without limit. */
const MAX_NAMES = 1000
/** The name that stands for those that are counted together. */
export const OTHERS = '(others)'

/** How often each name occurred. */
export type Counts = ReadonlyMap<string, number>

type Source = NonNullable<ExchangeSummary['source']>

/** How often answers were made of what, by operation. */
type Sources = ReadonlyMap<string, ReadonlyMap<Source, number>>

/** The exchanges of a world since its last reset. Counts every exchange, and keeps the latest ones. */
export class Traffic {
  #counts = noCounts()
  #exchanges: ExchangeSummary[] = []
  /** Those of the kept exchanges that match the filter that was asked for last. */
  #matching: { readonly filter: TrafficFilter; readonly exchanges: ExchangeSummary[] } | undefined
  #counted = 0
  #last = 0
  #generation = 0

  /**
   * Adds an exchange that ended at `now`, in milliseconds; without it, the exchange ended before the page was opened. The first id
   * of a journal that began again clears all.
   */
  add(exchange: ExchangeSummary, now?: number): void {
    if (exchange.id <= this.#last) this.clear()
    this.#last = exchange.id
    this.#counted += 1
    increment(this.#counts.operations, exchange.operation ?? '')
    increment(this.#counts.statuses, String(exchange.status))
    this.#countKey(exchange)
    this.#countSource(exchange)
    if (now !== undefined) this.#countSecond(Math.floor(now / 1000))
    this.#exchanges.push(exchange)
    if (this.#exchanges.length >= MAX_KEPT + BLOCK) {
      this.#exchanges = this.#exchanges.slice(BLOCK)
      this.#matching = undefined
    }
    const { filter, exchanges } = this.#matching ?? {}
    if (filter && matches(exchange, filter)) exchanges?.push(exchange)
  }

  /** Forgets all exchanges, because the journal is empty again. */
  clear(): void {
    this.#counts = noCounts()
    this.#exchanges = []
    this.#matching = undefined
    this.#counted = 0
    this.#last = 0
    this.#generation += 1
  }

  /** The latest exchanges, oldest first: at least 5,000, if there were as many. */
  get exchanges(): readonly ExchangeSummary[] {
    return this.#exchanges
  }

  /** Those of them that match all parts of a filter. The list grows. */
  matching(filter: TrafficFilter): readonly ExchangeSummary[] {
    if (isEmpty(filter)) return this.#exchanges
    if (!this.#matching || !isSame(this.#matching.filter, filter)) {
      const exchanges = this.#exchanges.filter((exchange) => matches(exchange, filter))
      this.#matching = { filter, exchanges }
    }
    return this.#matching.exchanges
  }

  /** The id of the latest exchange; 0 before the first. */
  get last(): number {
    return this.#last
  }

  /** Changes with each exchange of an operation, and when all exchanges are forgotten. */
  versionOf(operation: string): string {
    const { operations } = this.#counts
    // Too many operations are counted together: one of them changes with all of them.
    const count = operations.get(operation) ?? operations.get(OTHERS) ?? 0
    return `${this.#generation} ${count}`
  }

  /** The number of exchanges that were counted. */
  get counted(): number {
    return this.#counted
  }

  /** Changes when all exchanges are forgotten. */
  get generation(): number {
    return this.#generation
  }

  /** The number of exchanges by operation; the empty name is for requests that match none. */
  get operations(): Counts {
    return this.#counts.operations
  }

  /** The number of exchanges by status. */
  get statuses(): Counts {
    return this.#counts.statuses
  }

  /** The number of exchanges by the id of the API key, or by its end in journals without ids; the empty name is for requests without a key. */
  get keys(): Counts {
    return this.#counts.keys
  }

  /** How often the answers of each operation were made of what, by the values of `X-Sandbox-Source`. */
  get sources(): Sources {
    return this.#counts.sources
  }

  /** An API key as it is shown: its end, with a number where another one ends like it. */
  keyName(id: string): string {
    return this.#counts.keyNames.get(id) ?? id
  }

  /** The number of exchanges in the last complete second before `now`. */
  perSecond(now: number): number {
    return this.#counts.seconds.get(Math.floor(now / 1000) - 1) ?? 0
  }

  #countKey({ key = '', client = '' }: ExchangeSummary): void {
    const { keys, keyNames, distinctKeys } = this.#counts
    const id = client || key
    if (increment(keys, id) && !keyNames.has(id)) keyNames.set(id, distinctKeys.nameOf(key, client))
  }

  #countSource({ operation, source }: ExchangeSummary): void {
    const { sources } = this.#counts
    if (operation === undefined || source === undefined) return
    const known = sources.get(operation)
    if (known) known.set(source, (known.get(source) ?? 0) + 1)
    else if (sources.size < MAX_NAMES) sources.set(operation, new Map([[source, 1]]))
  }

  #countSecond(second: number): void {
    const { seconds } = this.#counts
    seconds.set(second, (seconds.get(second) ?? 0) + 1)
    if (seconds.size <= SECONDS) return
    const [oldest] = seconds.keys()
    if (oldest !== undefined) seconds.delete(oldest)
  }
}

function noCounts() {
  return {
    operations: new Map<string, number>(),
    statuses: new Map<string, number>(),
    keys: new Map<string, number>(),
    keyNames: new Map<string, string>(),
    distinctKeys: new DistinctKeys(),
    sources: new Map<string, Map<Source, number>>(),
    seconds: new Map<number, number>(),
  }
}

/** Returns whether the name is counted by itself. */
function increment(counts: Map<string, number>, name: string): boolean {
  const known = counts.has(name) || counts.size < MAX_NAMES ? name : OTHERS
  counts.set(known, (counts.get(known) ?? 0) + 1)

  return known === name
}

/** What the list of exchanges is limited to. An empty text matches all. All but `text` may have several values, separated by commas. */
export interface TrafficFilter {
  readonly operation: string
  /** A status such as 404, or a class such as `4xx`. */
  readonly status: string
  /** The id of a key, or its end as the journal shows it. */
  readonly key: string
  /** A part of the method, the target, the operation, the reason, the message or the source. */
  readonly text: string
}

/** The filter of a route's settings. */
export function readFilter(query: Readonly<Record<string, string>>): TrafficFilter {
  const { operation = '', status = '', key = '', text = '' } = query
  return { operation, status, key, text }
}

export function isEmpty(filter: TrafficFilter): boolean {
  return Object.values(filter).every((value) => value === '')
}

function isSame(one: TrafficFilter, other: TrafficFilter): boolean {
  return (
    one.operation === other.operation &&
    one.status === other.status &&
    one.key === other.key &&
    one.text === other.text
  )
}

/** Whether an exchange matches all parts of the filter. */
export function matches(exchange: ExchangeSummary, filter: TrafficFilter): boolean {
  const { operation, status, key, text } = filter
  return (
    hasOne(operation, (one) => exchange.operation === one) &&
    hasOne(key, (one) => exchange.client === one || exchange.key === one) &&
    hasOne(status, (one) => matchesStatus(exchange.status, one)) &&
    (text === '' || hasText(exchange, text.toLowerCase()))
  )
}

/** Whether one of the values matches; also when there are none. */
function hasOne(values: string, isSame: (value: string) => boolean): boolean {
  return values === '' || values.split(',').some(isSame)
}

function matchesStatus(status: number, wanted: string): boolean {
  return wanted.endsWith('xx')
    ? Math.floor(status / 100) === Number(wanted[0])
    : String(status) === wanted
}

function hasText(exchange: ExchangeSummary, text: string): boolean {
  const known = searchedTexts.get(exchange)
  if (known !== undefined) return known.includes(text)
  const { method, target, operation, reason, forced, refusal, source, sourceReason } = exchange
  const parts = [`${method} ${target}`, operation, reason, forced, source, sourceReason]
  // What is typed into a field has no line breaks.
  const searched = [...parts, refusal?.code, refusal?.message].join('\n').toLowerCase()
  searchedTexts.set(exchange, searched)

  return searched.includes(text)
}

/** The text of exchanges in which a filter searches, because each letter that is typed searches all of them. */
const searchedTexts = new WeakMap<ExchangeSummary, string>()
