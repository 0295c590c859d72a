import type { Awaitable } from './awaitable.ts'

/** All values of a list: a list if all are known, else a promise of it. */
export function allKnown<Value>(values: readonly Awaitable<Value>[]): Awaitable<readonly Value[]> {
  const known: Value[] = []
  for (const value of values) {
    if (value instanceof Promise) return Promise.all(values)
    known.push(value)
  }
  return known
}

/** Calls `use` with two values: at once if both are known, else when both promises resolve. */
export function bothKnown<One, Other, Result>(
  one: Awaitable<One>,
  other: Awaitable<Other>,
  use: (one: One, other: Other) => Awaitable<Result>,
): Awaitable<Result> {
  return one instanceof Promise || other instanceof Promise
    ? Promise.all([one, other]).then((known) => use(...known))
    : use(one, other)
}
