import type { Operation } from '../../contract/contract.ts'
import type { Binding } from '../../resources/bind.ts'

/** How many operations of each kind are looked at. A document may have ten thousand. */
const MAX_OF_KIND = 25

/** Methods whose requests show nothing, or are no requests of a client. */
const HIDDEN: ReadonlySet<string> = new Set(['HEAD', 'OPTIONS', 'TRACE'])

/**
 * The operations that a first request may be for, the most instructive ones first: lists, other GETs without required parameters,
 * other GETs, POSTs, all others. Operations with few path parameters precede others.
 */
export function candidatesOf(
  operations: readonly Operation[],
  bindingOf: (operation: Operation) => Binding,
): readonly Operation[] {
  const first = (isKind: (operation: Operation) => boolean): Operation[] =>
    sortBy(operations.filter(isKind), placeOf).slice(0, MAX_OF_KIND)
  const isGet = ({ method }: Operation): boolean => method === 'GET'
  const isPost = ({ method }: Operation): boolean => method === 'POST'
  const isOther = (one: Operation): boolean =>
    !isGet(one) && !isPost(one) && !HIDDEN.has(one.method)
  const isPlain = ({ path }: Operation): boolean => !path.includes('{')
  const plain = first((one) => isGet(one) && isPlain(one))
  const rankOf = (one: Operation): number => {
    if (bindingOf(one).action === 'list') return 0
    return one.parameters.some(({ required }) => required) ? 2 : 1
  }
  return [
    ...sortBy(plain, rankOf),
    ...first((one) => isGet(one) && !isPlain(one)),
    ...sortBy(first(isPost), ({ body }) => (body ? 0 : 1)),
    ...first(isOther),
  ]
}

/** Deprecated operations come last. */
function placeOf({ path, deprecation }: Operation): number {
  return path.split('{').length + (deprecation ? 1000 : 0)
}

/** Sorted by ascending rank; operations of equal rank keep their order. */
function sortBy(
  operations: readonly Operation[],
  rankOf: (operation: Operation) => number,
): Operation[] {
  const ranks = new Map(operations.map((operation) => [operation, rankOf(operation)]))
  return [...operations].sort((one, two) => (ranks.get(one) ?? 0) - (ranks.get(two) ?? 0))
}
