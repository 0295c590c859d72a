/** A value, or a promise of it. Memory has values, so that it costs no turn of the event loop; a database has promises. */
export type Awaitable<Value> = Value | Promise<Value>

/** Calls `use` with the value: at once, or when its promise resolves. */
export function whenKnown<Value, Result>(
  value: Awaitable<Value>,
  use: (value: Value) => Awaitable<Result>,
): Awaitable<Result> {
  return value instanceof Promise ? value.then(use) : use(value)
}
