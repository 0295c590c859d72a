/**
 * Prints a value as JSON that is valid JavaScript. `nameOf` can return the name of a constant that is printed instead of an
 * object or a function.
 */
export function printLiteral(
  value: unknown,
  nameOf: (value: object) => string | undefined = () => undefined,
): string {
  if (typeof value === 'function') return nameOf(value) ?? 'undefined'
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  const name = nameOf(value)
  if (name !== undefined) return name

  return printProperties(value, nameOf)
}

/** Prints the content of an object or an array, whether it has a name or not. Functions without a name are left out. */
export function printProperties(
  value: object,
  nameOf: (value: object) => string | undefined = () => undefined,
): string {
  if (Array.isArray(value)) return `[${value.map((one) => printLiteral(one, nameOf)).join(',')}]`
  const properties = Object.entries(value).flatMap(([key, inner]) =>
    inner === undefined || isUnnamed(inner, nameOf)
      ? []
      : `${printKey(key)}:${printLiteral(inner, nameOf)}`,
  )
  return `{${properties.join(',')}}`
}

/** In a literal, `"__proto__"` would set the prototype. */
function printKey(key: string): string {
  return key === '__proto__' ? '["__proto__"]' : JSON.stringify(key)
}

/** Whether a value is a function without a name, which a module cannot contain. */
function isUnnamed(value: unknown, nameOf: (value: object) => string | undefined): boolean {
  return typeof value === 'function' && nameOf(value) === undefined
}
