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

/** Items by a key, in the order in which each key first appears. Node.js 20 has no `Map.groupBy`. */
export function groupBy<Item, Key>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): ReadonlyMap<Key, readonly [Item, ...Item[]]> {
  const groups = new Map<Key, [Item, ...Item[]]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

/** A function that computes its result once for each object. What it returns is shared, so nobody may change it. */
export function once<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const results = new WeakMap<Key, { readonly value: Value }>()
  return (key) => {
    const known = results.get(key)
    if (known) return known.value
    const value = compute(key)
    results.set(key, { value })

    return value
  }
}

/** The results for longer texts are not kept. */
const MAX_TEXT = 250

/** So many results are kept: documents with more paths are rare. */
const MAX_TEXTS = 20_000

/** A function that computes its result once for each text. What it returns is shared, so nobody may change it. */
export function onceByText<Value>(compute: (text: string) => Value): (text: string) => Value {
  const results = new Map<string, { readonly value: Value }>()
  return (text) => {
    const known = results.get(text)
    if (known) return known.value
    const value = compute(text)
    if (results.size >= MAX_TEXTS) results.clear()
    if (text.length <= MAX_TEXT) results.set(text, { value })

    return value
  }
}

/** Whether two JSON values are equal. The order of properties does not matter. */
export function areEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, at) => areEqual(item, other[at]))
  }
  if (!isObject(one) || !isObject(other)) return false
  const names = Object.keys(one)

  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && areEqual(one[name], other[name]))
  )
}
