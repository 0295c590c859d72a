/** Characters that end a line of JavaScript, reorder a text or control a terminal. Ends of lines of code are not among them. */
const INVISIBLE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/**
 * Prints text as a string literal of JavaScript and TypeScript. Text of documents and commands is in generated code in such literals
 * only: in a comment, the end of a line or of the comment would make code of it.
 */
export function printString(text: string): string {
  return escapeInvisible(JSON.stringify(text))
}

/** Escapes what is invisible in code whose invisible characters are all in string literals. */
export function escapeInvisible(code: string): string {
  return code.replace(INVISIBLE, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/**
 * Prints a value as JSON that is valid JavaScript. `nameOf` can return the name of a constant that is printed instead of an
 * object or a function.
 */
export function printLiteral(
  value: unknown,
  nameOf: (value: object) => string | undefined = () => undefined,
): string {
  if (typeof value === 'function') return nameOf(value) ?? 'undefined'
  if (typeof value === 'string') return printString(value)
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
  return key === '__proto__' ? '["__proto__"]' : printString(key)
}

/** Whether a value is a function without a name, which a module cannot contain. */
function isUnnamed(value: unknown, nameOf: (value: object) => string | undefined): boolean {
  return typeof value === 'function' && nameOf(value) === undefined
}
