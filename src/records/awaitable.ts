/** A value, or a promise of it. Memory has values, so that it costs no turn of the event loop; a database has promises. */
export type Awaitable<Value> = Value | Promise<Value>

/** Calls `use` with the value: at once, or when its promise resolves. */
export function whenKnown<Value, Result>(
  value: Awaitable<Value>,
  use: (value: Value) => Awaitable<Result>,
): Awaitable<Result> {
  return value instanceof Promise ? value.then(use) : use(value)
}

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
