import type { Contract, Schema } from '../contract/contract.ts'
import type { Resource } from '../resources/resource.ts'
import { membersOf, printObject, printType, toLiteral, toName, union } from './print-type.ts'
import { shareSchemas } from './share-schemas.ts'

/** The keywords that types show. */
const SHOWN: ReadonlySet<string> = new Set([
  ...['type', 'enum', 'const', 'properties', 'required', 'items', 'allOf', 'anyOf', 'oneOf'],
])

/**
 * Generates the declarations of a compiled module. Parts that several records have, or that contain themselves, are types of their
 * own.
 */
export function generateCompiledTypes(
  { operations, sandbox }: Contract,
  resources: readonly Resource[],
): string {
  const shared = shareSchemas(
    resources.map(({ schema }) => schema),
    (keyword) => SHOWN.has(keyword),
  )
  const names = new Map<Schema, string>()
  const nameOf = (schema: Schema): string | undefined => {
    if (!shared.isShared(schema)) return undefined
    const name = names.get(schema) ?? `Schema${names.size}`
    names.set(schema, name)
    return name
  }
  const collections = resources.map((resource) =>
    printCollection(resource, shared.get(resource.schema), nameOf),
  )
  const types: string[] = []
  // A `for of` loop also visits what is named during the loop.
  for (const [schema, name] of names) {
    types.push(`type ${name} = ${printType(schema, '', nameOf)}\n`)
  }

  return [
    `import type { Contract } from 'pet-sandbox'\n`,
    ...types,
    '/** The names and records of the document. */',
    'export interface Service {',
    `  operation: ${operations.length > 0 ? union(operations.map(({ id }) => toLiteral(id))) : 'never'}`,
    ...namesIn('plan', sandbox?.plans),
    ...namesIn('key', sandbox?.keys),
    `  collections: {${resources.length > 0 ? '' : '}'}`,
    ...collections,
    ...(resources.length > 0 ? ['  }'] : []),
    '}\n',
    'export declare const contract: Contract<Service>',
    '',
  ].join('\n')
}

function namesIn(field: string, values: object = {}): readonly string[] {
  const names = Object.keys(values).map(toLiteral)
  return names.length > 0 ? [`  ${field}: ${union(names)}`] : []
}

function printCollection(
  { name, id }: Resource,
  schema: Schema,
  nameOf: (schema: Schema) => string | undefined,
): string {
  const indent = '      '
  const { properties, required } = membersOf(schema)
  const given = new Set([...required].filter((one) => one !== id))

  return [
    `    ${toName(name)}: {`,
    `${indent}id: ${printId(properties.get(id) ?? {})}`,
    `${indent}record: ${printObject(properties, new Set([...required, id]), indent, nameOf)}`,
    `${indent}created: ${printObject(properties, given, indent, nameOf)}`,
    '    }',
  ].join('\n')
}

/** Ids are numbers or strings, whatever else their schema allows. */
function printId(schema: Schema): string {
  const type = printType(schema)
  return type === 'number' || type === 'string' ? type : 'number | string'
}
