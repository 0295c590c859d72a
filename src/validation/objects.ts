/** Whether a value is an object, and not an array or `null`. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An object's own property; `undefined` for a property that is missing or inherited, such as `constructor`. */
export function getOwn<Value>(
  object: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** Sets an object's own property with any name. Assigning to `__proto__` would replace the object's prototype. */
export function setOwn(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(object, name, { ...OWN, value })
  else object[name] = value
}

const OWN = { configurable: true, enumerable: true, writable: true } as const

/** Whether two lists have the same members in the same order. */
export function areEqualLists(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((one, index) => one === others[index])
}
