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
