/** An object's own property; `undefined` for one that it does not have, or only inherits, as `constructor`. */
export function getOwn<Value>(
  object: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** Sets a property of the object's own, whatever it is called: assigned to, `__proto__` would be the object's prototype. */
export function setOwn(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(object, name, { ...OWN, value })
  else object[name] = value
}

const OWN = { configurable: true, enumerable: true, writable: true } as const
