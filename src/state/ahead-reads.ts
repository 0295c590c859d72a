import type { CollectionReads } from './read-cache.ts'

/** What is read of a collection. */
export type Reads = Pick<
  CollectionReads,
  'state' | 'opened' | 'known' | 'get' | 'page' | 'count' | 'removed'
>

/** Reads that are sent, but whose results nobody gets. */
export function aheadOf(reads: Reads): Reads {
  return {
    state: () => unanswered(reads.state()),
    opened: (start) => unanswered(reads.opened(start)),
    known: () => undefined,
    get: (id) => unanswered(reads.get(id)),
    page: (query, filters) => unanswered(reads.page(query, filters)),
    count: (where, filters) => unanswered(reads.count(where, filters)),
    removed: () => unanswered(reads.removed()),
  }
}

/** Each one is a promise of its own, which is forgotten together with those who wait for it. */
export function unanswered(_asked: Promise<unknown>): Promise<never> {
  return new Promise(() => undefined)
}
