import type { Schema } from '../contract/contract.ts'

/** A schema as a TypeScript type; `unknown` where it says nothing that a type can. */
export function printType(schema: Schema, indent = ''): string {
  if (schema.const !== undefined) return toLiteral(schema.const)
  if (schema.enum) return union(schema.enum.map(toLiteral))
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  if (choices.length > 0) return union(choices.map((choice) => printType(choice, indent)))
  const { properties, required } = membersOf(schema)
  if (properties.size > 0) return printObject(properties, required, indent)

  return union([schema.type ?? []].flat().map((type) => printSimple(type, schema, indent)))
}

/** An object type, a property a line. */
export function printObject(
  properties: ReadonlyMap<string, Schema>,
  required: ReadonlySet<string>,
  indent: string,
): string {
  const inner = `${indent}  `
  const lines = [...properties].map(([name, schema]) => {
    const mark = required.has(name) ? '' : '?'
    return `${inner}${toName(name)}${mark}: ${printType(schema, inner)}`
  })
  return ['{', ...lines, `${indent}}`].join('\n')
}

/** The properties of an object, those of its `allOf` included, and which of them it must have. */
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

function printSimple(type: string, { items }: Schema, indent: string): string {
  switch (type) {
    case 'integer':
      return 'number'
    case 'array':
      return `Array<${items ? printType(items, indent) : 'unknown'}>`
    case 'object':
      return 'Record<string, unknown>'
    default:
      return type
  }
}

/** A property's name, as an object type spells it. */
export function toName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : toLiteral(name)
}

/** A value as its literal type; what has none is `unknown`. */
export function toLiteral(value: unknown): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replace(/\\"|'/g, swapQuote)}'`
  return typeof value === 'object' && value !== null ? 'unknown' : JSON.stringify(value)
}

function swapQuote(quote: string): string {
  return quote === "'" ? "\\'" : '"'
}

/** Of no types, anything: a schema without a type takes every value. */
export function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ') || 'unknown'
}
