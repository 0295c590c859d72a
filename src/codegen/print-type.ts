import type { Schema } from '../contract/contract.ts'
import { printString } from './print-literal.ts'

/** The name of a type that is declared elsewhere. */
export type NameOfType = (schema: Schema) => string | undefined

export const withoutName: NameOfType = () => undefined

/**
 * Prints a schema as a TypeScript type: `unknown` when no type can express it. The parts that have a name are printed as the name.
 */
export function printType(schema: Schema, indent = '', nameOf: NameOfType = withoutName): string {
  const print = (part: Schema): string => nameOf(part) ?? printType(part, indent, nameOf)
  if (schema.const !== undefined) return toLiteral(schema.const)
  if (schema.enum) return union(schema.enum.map(toLiteral))
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  if (choices.length > 0) return union(choices.map(print))
  const { properties, required } = membersOf(schema)
  if (properties.size > 0) return printObject(properties, required, indent, nameOf)

  return union([schema.type ?? []].flat().map((type) => printSimple(type, schema, print)))
}

/** Prints an object type with one property per line. */
export function printObject(
  properties: ReadonlyMap<string, Schema>,
  required: ReadonlySet<string>,
  indent: string,
  nameOf: NameOfType = withoutName,
): string {
  const inner = `${indent}  `
  const lines = [...properties].map(([name, schema]) => {
    const mark = required.has(name) ? '' : '?'
    return `${inner}${toName(name)}${mark}: ${nameOf(schema) ?? printType(schema, inner, nameOf)}`
  })
  return ['{', ...lines, `${indent}}`].join('\n')
}

/** The properties of an object schema, including those of its `allOf`, and the names of the required ones. */
export function membersOf(schema: Schema): {
  readonly properties: ReadonlyMap<string, Schema>
  readonly required: ReadonlySet<string>
} {
  const parts = (schema.allOf ?? []).map(membersOf)
  const own = Object.entries(schema.properties ?? {})

  return {
    properties: new Map([...parts.flatMap(({ properties }) => [...properties]), ...own]),
    required: new Set([
      ...parts.flatMap(({ required }) => [...required]),
      ...(schema.required ?? []),
    ]),
  }
}

function printSimple(
  type: string,
  { items, additionalProperties: members }: Schema,
  print: (schema: Schema) => string,
): string {
  switch (type) {
    case 'integer':
      return 'number'
    case 'array':
      return `Array<${items ? print(items) : 'unknown'}>`
    case 'object':
      return `Record<string, ${typeof members === 'object' ? print(members) : 'unknown'}>`
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return type
    default:
      return 'unknown'
  }
}

/** A property name in an object type, in quotes if it is not an identifier. */
export function toName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : toLiteral(name)
}

/** A value as a literal type; `unknown` for objects and arrays. */
export function toLiteral(value: unknown): string {
  if (typeof value === 'string')
    return `'${printString(value).slice(1, -1).replace(/\\"|'/g, swapQuote)}'`
  return typeof value === 'object' && value !== null ? 'unknown' : JSON.stringify(value)
}

function swapQuote(quote: string): string {
  return quote === "'" ? "\\'" : '"'
}

/** A union of types. Without types it is `unknown`, because a schema without a type accepts every value. */
export function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ') || 'unknown'
}
