import standalone from 'ajv/dist/standalone/index.js'
import type { Contract, OperationResponse, Schema } from '../contract/contract.ts'
import type { JsonObject } from '../document/json-value.ts'
import { createAjv, hasInheritedName } from '../document/schema-compiler.ts'
import { mapSubschemas } from '../document/subschemas.ts'
import { bind } from '../resources/bind.ts'
import { isObject } from '../validation/is-object.ts'
import { generateTypes } from './contract-types.ts'

/** The source text of the modules of a contract. A sandbox that imports them needs no YAML parser, no Ajv and no `eval`. */
export interface Modules {
  /** TypeScript: exports `contract`, and imports its validators from `./checks.js`. */
  readonly contract: string
  /** JavaScript: exports a validator for each schema. It loads parts of Ajv with `require`, so the build bundles it. */
  readonly checks: string
  /** The types of `checks`. */
  readonly checksTypes: string
  /** TypeScript: the types of the operations, plans, keys and records of the contract. */
  readonly types: string
}

/**
 * Generates the modules of a contract. Equal schemas appear once and share a validator. The modules omit what the engine does not
 * use: response headers, and everything but the status of responses that are not successful.
 */
export function generateContract(contract: Contract): Modules {
  return {
    ...printContract(withoutRefusals(contract), { checks: './checks.js', types: 'Shipped' }),
    types: generateTypes(contract),
  }
}

/** What the module of a contract imports. */
interface Imports {
  /** The module of the validators. */
  readonly checks: string
  /** The name of the contract's types in `./types.ts`. */
  readonly types?: string
}

/** Prints a contract and its validators as modules. */
export function printContract(
  contract: Contract,
  { checks: checksModule, types }: Imports,
): Omit<Modules, 'types'> {
  const schemas = new NamePool('schema')
  const checks = new NamePool('check')
  const literal = JSON.stringify(
    contract,
    function replace(this: { readonly schema?: Schema }, key, value: unknown) {
      if (key === 'schema') return mark(schemas.nameOf(JSON.stringify(value)))
      const isValidator = key === 'validate' && this.schema
      return isValidator ? mark(checks.nameOf(JSON.stringify(withoutHints(this.schema)))) : value
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
 * The contract without the parts of its responses that the engine does not use. The engine creates errors itself, returns examples
 * only for operations whose behaviour it cannot infer, and does not validate lists as a whole.
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

/** Gives each different text a unique name. */
class NamePool {
  readonly #prefix: string
  readonly #names = new Map<string, string>()

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  get entries(): readonly [text: string, name: string][] {
    return [...this.#names]
  }

  get names(): readonly string[] {
    return [...this.#names.values()]
  }

  nameOf(text: string): string {
    const name = this.#names.get(text) ?? `${this.#prefix}${this.#names.size}`
    this.#names.set(text, name)
    return name
  }
}

/** Marks a name that the printed module must contain as an identifier, not as a string. */
function mark(name: string): string {
  return `\0${name}\0`
}

function unmark(literal: string): string {
  return literal.replaceAll(/"\\u0000(\w+)\\u0000"/g, '$1')
}

function checksOf(entries: readonly [text: string, name: string][]): string {
  const ajv = createAjv({
    code: { source: true, esm: true },
    // Inlining would repeat the code of a schema at each reference to it.
    inlineRefs: false,
    ownProperties: entries.some(([text]) => hasInheritedName(text)),
  })
  const names = new Map(entries)
  for (const [text, name] of entries) {
    ajv.addSchema(
      mapSubschemas(JSON.parse(text), (inner) => withRefs(inner, names)),
      name,
    )
  }

  return standalone.default(ajv, Object.fromEntries(entries.map(([, name]) => [name, name])))
}

/** The schema, with a `$ref` instead of each part that has a validator of its own. */
function withRefs(schema: unknown, names: ReadonlyMap<string, string>): JsonObject {
  const name = names.get(JSON.stringify(schema))
  if (name !== undefined) return { $ref: name }
  return mapSubschemas(isObject(schema) ? schema : {}, (inner) => withRefs(inner, names))
}

/** The schema without what validation ignores: `default`, and extensions such as hints, which are most of some schemas. */
function withoutHints(schema: unknown): JsonObject {
  const entries = Object.entries(isObject(schema) ? schema : {}).filter(
    ([key]) => !/^x-|^default$/.test(key),
  )

  return mapSubschemas(Object.fromEntries(entries), withoutHints)
}
