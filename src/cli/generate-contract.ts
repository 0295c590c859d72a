import standalone from 'ajv/dist/standalone/index.js'
import type { Contract, Schema } from '../contract/contract.ts'
import { createAjv } from './document/checks.ts'
import { isNode, type Node } from './document/node.ts'
import { mapSubschemas } from './document/subschemas.ts'
import { generateTypes } from './generate-types.ts'

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

/** Writes a contract down as modules; each different schema has one check. */
export function generateContract(contract: Contract): Modules {
  const schemas = new Map<string, { readonly name: string; readonly schema: Schema }>()
  const nameOf = (schema: Schema): string => {
    const demands = JSON.stringify(demandsOf(schema))
    const { name } = schemas.get(demands) ?? { name: `check${schemas.size}` }
    schemas.set(demands, { name, schema })

    return name
  }
  const literal = print(contract, nameOf)
  const names = [...schemas.values()].map(({ name }) => name)

  return {
    contract: [
      `import type { Contract } from '../contract/contract.ts'`,
      `import { ${names.join(', ')} } from './checks.js'`,
      `import type { Shipped } from './types.ts'`,
      '',
      `export const contract: Contract<Shipped> = ${literal}`,
      '',
    ].join('\n'),
    checks: checksOf([...schemas].map(([demands, { name }]) => [name, demands])),
    checksTypes: [
      `import type { Check } from '../contract/contract.ts'`,
      '',
      ...names.map((name) => `export declare const ${name}: Check`),
      '',
    ].join('\n'),
    types: generateTypes(contract),
  }
}

function checksOf(demands: readonly [name: string, demands: string][]): string {
  const ajv = createAjv({ source: true, esm: true })
  for (const [name, text] of demands) ajv.addSchema(JSON.parse(text), name)

  return standalone.default(ajv, Object.fromEntries(demands.map(([name]) => [name, name])))
}

/** The contract as an expression, in which each check is the name of one. */
function print(contract: Contract, nameOf: (schema: Schema) => string): string {
  const text = JSON.stringify(
    contract,
    function replace(this: { readonly schema?: Schema }, key, value: unknown) {
      return key === 'check' && typeof value === 'function' && this.schema
        ? `\0${nameOf(this.schema)}\0`
        : value
    },
    2,
  )

  return text.replaceAll(/"\\u0000(\w+)\\u0000"/g, '$1')
}

/** What a value has to be; hints, which make up most of some schemas, are left out. */
function demandsOf(schema: unknown): Node {
  const entries = Object.entries(isNode(schema) ? schema : {}).filter(
    ([key]) => !/^x-|^default$/.test(key),
  )

  return mapSubschemas(Object.fromEntries(entries), demandsOf)
}
