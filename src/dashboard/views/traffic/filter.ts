import type { ExchangeSummary } from '../../../journal/exchange.ts'

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
