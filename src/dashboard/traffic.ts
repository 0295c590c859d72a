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

/** The exchanges of a world since its last reset. Counts every exchange, and keeps the latest ones. */
export class Traffic {
  #exchanges: ExchangeSummary[] = []
  #operations = new Map<string, number>()
  #statuses = new Map<string, number>()
  #keys = new Map<string, number>()
  #keyNames = new Map<string, string>()
  #distinctKeys = new DistinctKeys()
  #seconds = new Map<number, number>()
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
    increment(this.#operations, exchange.operation ?? '')
    increment(this.#statuses, String(exchange.status))
    this.#countKey(exchange)
    if (now !== undefined) this.#countSecond(Math.floor(now / 1000))
    this.#exchanges.push(exchange)
    if (this.#exchanges.length >= MAX_KEPT + BLOCK) this.#exchanges = this.#exchanges.slice(BLOCK)
  }

  /** Forgets all exchanges, because the journal is empty again. */
  clear(): void {
    this.#exchanges = []
    this.#operations = new Map()
    this.#statuses = new Map()
    this.#keys = new Map()
    this.#keyNames = new Map()
    this.#distinctKeys = new DistinctKeys()
    this.#seconds = new Map()
    this.#counted = 0
    this.#last = 0
    this.#generation += 1
  }

  /** The latest exchanges, oldest first: at least 5,000, if there were as many. */
  get exchanges(): readonly ExchangeSummary[] {
    return this.#exchanges
  }

  /** The id of the latest exchange; 0 before the first. */
  get last(): number {
    return this.#last
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
    return this.#operations
  }

  /** The number of exchanges by status. */
  get statuses(): Counts {
    return this.#statuses
  }

  /** The number of exchanges by the id of the API key, or by its end in journals without ids; the empty name is for requests without a key. */
  get keys(): Counts {
    return this.#keys
  }

  /** An API key as it is shown: its end, with a number where another one ends like it. */
  keyName(id: string): string {
    return this.#keyNames.get(id) ?? id
  }

  /** The number of exchanges in the last complete second before `now`. */
  perSecond(now: number): number {
    return this.#seconds.get(Math.floor(now / 1000) - 1) ?? 0
  }

  #countKey({ key = '', client = '' }: ExchangeSummary): void {
    const id = client || key
    if (increment(this.#keys, id) && !this.#keyNames.has(id)) {
      this.#keyNames.set(id, this.#distinctKeys.nameOf(key, client))
    }
  }

  #countSecond(second: number): void {
    this.#seconds.set(second, (this.#seconds.get(second) ?? 0) + 1)
    if (this.#seconds.size <= SECONDS) return
    const [oldest] = this.#seconds.keys()
    if (oldest !== undefined) this.#seconds.delete(oldest)
  }
}

/** Returns whether the name is counted by itself. */
function increment(counts: Map<string, number>, name: string): boolean {
  const known = counts.has(name) || counts.size < MAX_NAMES ? name : OTHERS
  counts.set(known, (counts.get(known) ?? 0) + 1)

  return known === name
}

/** What the list of exchanges is limited to. An empty text matches all. */
export interface TrafficFilter {
  readonly operation: string
  /** A status such as 404, or a class such as `4xx`. */
  readonly status: string
  /** The id of a key, or its end as the journal shows it. */
  readonly key: string
  /** A part of the method, the target, the operation, the reason or the message. */
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

/** Whether an exchange matches all parts of the filter. */
export function matches(exchange: ExchangeSummary, filter: TrafficFilter): boolean {
  const { operation, status, key, text } = filter
  return (
    (operation === '' || exchange.operation === operation) &&
    (key === '' || exchange.client === key || exchange.key === key) &&
    (status === '' || matchesStatus(exchange.status, status)) &&
    (text === '' || hasText(exchange, text.toLowerCase()))
  )
}

function matchesStatus(status: number, wanted: string): boolean {
  return wanted.endsWith('xx')
    ? Math.floor(status / 100) === Number(wanted[0])
    : String(status) === wanted
}

function hasText(exchange: ExchangeSummary, text: string): boolean {
  const { method, target, operation, reason, forced, refusal } = exchange
  return [`${method} ${target}`, operation, reason, forced, refusal?.code, refusal?.message].some(
    (part) => part?.toLowerCase().includes(text),
  )
}

/**
 * The exchanges that match a filter, kept from one drawing to the next: only new exchanges are compared, as long as the filter is
 * the same and exchanges are only added.
 */
export class FilteredExchanges {
  #filter: TrafficFilter | undefined
  #generation = 0
  #matching: ExchangeSummary[] = []
  #last = 0

  /** Oldest first. `generation` changes when all exchanges were forgotten. */
  read(
    exchanges: readonly ExchangeSummary[],
    filter: TrafficFilter,
    generation: number,
  ): readonly ExchangeSummary[] {
    const isSame =
      generation === this.#generation &&
      JSON.stringify(filter) === JSON.stringify(this.#filter ?? {})
    if (!isSame) {
      this.#matching = []
      this.#last = 0
    }
    this.#filter = filter
    this.#generation = generation
    for (let at = firstAfter(exchanges, this.#last); at < exchanges.length; at += 1) {
      const exchange = exchanges[at]
      if (exchange && matches(exchange, filter)) this.#matching.push(exchange)
    }
    this.#last = exchanges.at(-1)?.id ?? 0
    const oldest = exchanges[0]?.id ?? 0
    const [first] = this.#matching
    // What is no longer kept is removed, in blocks as there.
    if (first && first.id < oldest) this.#matching = this.#matching.filter(({ id }) => id >= oldest)

    return this.#matching
  }
}

/** The position of the first exchange with a greater id. Ids are in ascending order. */
function firstAfter(exchanges: readonly ExchangeSummary[], id: number): number {
  let at = exchanges.length
  while (at > 0 && (exchanges[at - 1]?.id ?? 0) > id) at -= 1
  return at
}
