import type { Schema } from '../contract/contract.ts'
import { isObject } from '../validation/objects.ts'
import type { SharedSchemas } from './share-schemas.ts'

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
function printProperties(
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

/** Prints schemas as constants that refer to each other. */
export class SchemaPrinter {
  readonly #shared: SharedSchemas
  readonly #type: string
  readonly #names = new Map<Schema, string>()

  /** `type` follows the name of each constant, such as `: Schema`. */
  constructor(shared: SharedSchemas, type = '') {
    this.#shared = shared
    this.#type = type
  }

  /** The name of the constant of a schema of the contract. */
  nameOf(schema: Schema): string {
    return this.#name(this.#shared.get(schema))
  }

  /** The constants of the schemas that were named, and of those that they refer to. Each constant is declared before its use. */
  print(): readonly string[] {
    const texts = new Map<Schema, string>()
    const targets = new Map<Schema, readonly Schema[]>()
    // A `for of` loop also visits what is named during the loop.
    for (const schema of this.#names.keys()) {
      const used = new Set<Schema>()
      const text = printProperties(schema, (inner) => {
        if (!isObject(inner) || !this.#shared.isShared(inner)) return undefined
        used.add(inner)
        return this.#name(inner)
      })
      texts.set(schema, text)
      targets.set(schema, [...used])
    }

    const declared = new Set<Schema>()
    return inOrder([...texts.keys()], targets).flatMap((schema) => {
      const ahead = (targets.get(schema) ?? []).filter((one) => !declared.has(one))
      for (const one of ahead) declared.add(one)
      const isDeclared = declared.has(schema)
      declared.add(schema)
      const name = this.#name(schema)
      const text = texts.get(schema) ?? ''

      return [
        ...ahead.map((one) => `const ${this.#name(one)}${this.#type} = {}`),
        isDeclared ? `Object.assign(${name}, ${text})` : `const ${name}${this.#type} = ${text}`,
      ]
    })
  }

  #name(schema: Schema): string {
    const name = this.#names.get(schema) ?? `schema${this.#names.size}`
    this.#names.set(schema, name)
    return name
  }
}

/** The schemas, each after those that it refers to, as far as there are no cycles. */
function inOrder(
  schemas: readonly Schema[],
  targets: ReadonlyMap<Schema, readonly Schema[]>,
): readonly Schema[] {
  const visited = new Set<Schema>()
  const ordered: Schema[] = []
  for (const root of schemas) {
    const path = visited.has(root) ? [] : [{ schema: root, left: [...(targets.get(root) ?? [])] }]
    visited.add(root)
    for (let last = path.at(-1); last; last = path.at(-1)) {
      const next = last.left.shift()
      if (!next) {
        ordered.push(last.schema)
        path.pop()
      } else if (!visited.has(next)) {
        visited.add(next)
        path.push({ schema: next, left: [...(targets.get(next) ?? [])] })
      }
    }
  }

  return ordered
}
