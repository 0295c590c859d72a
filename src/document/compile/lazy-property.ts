/**
 * An object whose further properties are computed when they are read for the first time. They are enumerable. A copy of the
 * property descriptors shares the computed values.
 */
export function withLazy<Base extends object, Lazy extends object>(
  base: Base,
  lazy: { readonly [Name in keyof Lazy]: () => Lazy[Name] },
): Base & Lazy {
  const object: object = { ...base }
  for (const [name, compute] of Object.entries<() => unknown>(lazy)) {
    Object.defineProperty(object, name, {
      configurable: true,
      enumerable: true,
      get: once(compute),
    })
  }
  return object as Base & Lazy
}

/** A function that computes its value once. */
export function once<Value>(compute: () => Value): () => Value {
  let computed: { readonly value: Value } | undefined
  return () => {
    computed ??= { value: compute() }
    return computed.value
  }
}
