import standalone from 'ajv/dist/standalone/index.js'
import type { Contract, OperationResponse, Schema } from '../contract/contract.ts'
import type { JsonObject } from '../document/json-value.ts'
import { createAjv, hasInheritedName } from '../document/schema-compiler.ts'
import { mapSubschemas } from '../document/subschemas.ts'
import { bind } from '../resources/bind.ts'
import { isObject } from '../validation/is-object.ts'
import { generateTypes } from './contract-types.ts'

/**
 * The texts of the modules that hold a contract, so that it is served without YAML, Ajv and `eval`.
 */
export interface Modules {
  /** TypeScript: exports `contract`; imports its checks from `./checks.js`. */
  readonly contract: string
  /**
   * JavaScript: exports a check for each schema. It asks for Ajv's runtime by `require`: bundle it.
   */
  readonly checks: string
  /** The types of `checks`. */
  readonly checksTypes: string
  /** TypeScript: the names and records of the contract, for the compiler. */
  readonly types: string
}

/**
 * Writes a contract down as modules. Each different schema stands there once and has one check; of what the engine never
 * looks at, headers are left out, and of the answers that are no success only the status is kept.
 */
export function generateContract(contract: Contract): Modules {
  return {
    ...printContract(withoutRefusals(contract), { checks: './checks.js', types: 'Shipped' }),
    types: generateTypes(contract),
  }
}

/** Where the modules of a contract find what else they need. */
interface Names {
  readonly checks: string
  /** Of `./types.ts`: what the compiler knows of the service. */
  readonly types?: string
}

/** A contract and its checks as modules. */
export function printContract(
  contract: Contract,
  { checks: checksModule, types }: Names,
): Omit<Modules, 'types'> {
  const schemas = new Pool('schema')
  const checks = new Pool('check')
  const literal = JSON.stringify(
    contract,
    function replace(this: { readonly schema?: Schema }, key, value: unknown) {
      if (key === 'schema') return mark(schemas.nameOf(JSON.stringify(value)))
      const isValidator = key === 'validate' && this.schema
      return isValidator ? mark(checks.nameOf(JSON.stringify(demandsOf(this.schema)))) : value
    },
  )

  return {
    contract: [
      `import type { Contract, Schema } from '../contract/contract.ts'`,
      `import { ${checks.names.join(', ')} } from '${checksModule}'`,
      ...(types ? [`import type { ${types} } from './types.ts'`] : []),
      '',
      ...schemas.entries.map(([text, name]) => `const ${name}: Schema = ${text}`),
      '',
      `export const contract: Contract${types ? `<${types}>` : ''} = ${unmark(literal)}`,
      '',
    ].join('\n'),
    checks: checksOf(checks.entries),
    checksTypes: [
      `import type { SchemaValidator } from '../contract/contract.ts'`,
      '',
      ...checks.names.map((name) => `export declare const ${name}: SchemaValidator`),
      '',
    ].join('\n'),
  }
}

/**
 * The contract as the engine needs it. It makes refusals itself, and binds by what a success looks like; it shows the example
 * of an operation that it cannot infer, and checks no list as a whole.
 */
export function withoutRefusals(contract: Contract): Contract {
  const shown = new Set(
    bind(contract).flatMap(({ action, operation }) => (action === 'example' ? [operation] : [])),
  )
  const operations = contract.operations.map((operation) => ({
    ...operation,
    responses: operation.responses.map((response) => needed(response, shown.has(operation))),
  }))

  return { ...contract, operations }
}

function needed(
  { status, schema, validate, example }: OperationResponse,
  isShown: boolean,
): OperationResponse {
  if (status >= 300) return { status }
  return {
    status,
    ...(schema && { schema }),
    ...(validate && schema?.type !== 'array' && { validate }),
    ...(isShown && example !== undefined && { example }),
  }
}

/** Texts, each with a name of its own. */
class Pool {
  readonly #word: string
  readonly #names = new Map<string, string>()

  constructor(word: string) {
    this.#word = word
  }

  get entries(): readonly [text: string, name: string][] {
    return [...this.#names]
  }

  get names(): readonly string[] {
    return [...this.#names.values()]
  }

  nameOf(text: string): string {
    const name = this.#names.get(text) ?? `${this.#word}${this.#names.size}`
    this.#names.set(text, name)
    return name
  }
}

/** Marks a name that is to stand in the printed module as it is. */
function mark(name: string): string {
  return `\0${name}\0`
}

function unmark(literal: string): string {
  return literal.replaceAll(/"\\u0000(\w+)\\u0000"/g, '$1')
}

function checksOf(entries: readonly [text: string, name: string][]): string {
  const ajv = createAjv({
    code: { source: true, esm: true },
    // Inlined, the code for a schema would be repeated wherever it is referred to.
    inlineRefs: false,
    ownProperties: entries.some(([text]) => hasInheritedName(text)),
  })
  const names = new Map(entries)
  for (const [text, name] of entries) {
    ajv.addSchema(
      mapSubschemas(JSON.parse(text), (inner) => shared(inner, names)),
      name,
    )
  }

  return standalone.default(ajv, Object.fromEntries(entries.map(([, name]) => [name, name])))
}

/** The schema with a reference in place of whatever has a check of its own. */
function shared(schema: unknown, names: ReadonlyMap<string, string>): JsonObject {
  const name = names.get(JSON.stringify(schema))
  if (name !== undefined) return { $ref: name }
  return mapSubschemas(isObject(schema) ? schema : {}, (inner) => shared(inner, names))
}

/** What a value has to be; hints, which make up most of some schemas, are left out. */
function demandsOf(schema: unknown): JsonObject {
  const entries = Object.entries(isObject(schema) ? schema : {}).filter(
    ([key]) => !/^x-|^default$/.test(key),
  )

  return mapSubschemas(Object.fromEntries(entries), demandsOf)
}
