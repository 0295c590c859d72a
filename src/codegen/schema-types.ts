import type { Schema } from '../contract/contract.ts'
import { printType, toLiteral } from './print-type.ts'

/** The text of a module with a type for each named schema of a document, whose references are resolved. */
export function generateSchemas({
  title,
  schemas,
}: {
  readonly title: string
  readonly schemas: Readonly<Record<string, Schema>>
}): string {
  const types = Object.entries(schemas).map(
    ([name, schema]) =>
      `/** The schema ${toLiteral(name)}. */\nexport type ${typeName(name)} = ${printType(schema)}\n`,
  )
  return [`/** The schemas of ${title}, by name. Written by the build. */\n`, ...types].join('\n')
}

/** A name that would hide a global one, as `Error`, ends with `RequestBody`; characters that no name can have are left out. */
function typeName(name: string): string {
  const word = name.replace(/[^\w$]/g, '').replace(/^\d/, '_$&')
  return word in globalThis ? `${word}Body` : word
}
