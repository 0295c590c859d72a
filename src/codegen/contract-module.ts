import type {
  Contract,
  Operation,
  RequestBody,
  Schema,
  SchemaValidator,
} from '../contract/contract.ts'
import type { DocumentedResponse } from '../contract/documented-response.ts'
import { isObject } from '../validation/objects.ts'
import { generateTypes } from './contract-types.ts'
import { inBlocks, printChecks } from './print-checks.ts'
import { printLiteral, SchemaPrinter } from './print-literal.ts'
import { isNoExample, shareSchemas } from './share-schemas.ts'

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
 * Generates the modules of a contract. Equal schemas appear once and share a validator. The modules omit what serving does not need, as
 * the modules that users compile do.
 */
export function generateContract(contract: Contract): Modules {
  return {
    ...printContract(withServedParts(contract), {
      checks: './checks.js',
      types: 'Shipped',
    }),
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
  const { literal, schemas, checks, names } = printParts(contract, ': Schema', isNoExample)

  return {
    contract: [
      `import type { Contract, Schema } from '../contract/contract.ts'`,
      `import { ${names.join(', ')} } from '${checksModule}'`,
      ...(types ? [`import type { ${types} } from './types.ts'`] : []),
      '',
      ...schemas,
      '',
      `export const contract: Contract${types ? `<${types}>` : ''} = ${literal}`,
      '',
    ].join('\n'),
    checks: checks.length === 1 ? (checks[0] ?? '') : inBlocks(checks, 'export let'),
    checksTypes: [
      `import type { SchemaValidator } from '../contract/contract.ts'`,
      '',
      ...names.map((name) => `export declare const ${name}: SchemaValidator`),
      '',
    ].join('\n'),
  }
}

/** The parts of the module of a contract. */
interface Parts {
  /** The contract as a literal that uses the constants of the schemas and the functions of the validators. */
  readonly literal: string
  /** The constants of the schemas, each as a statement. */
  readonly schemas: readonly string[]
  /** The functions of the validators, in batches. */
  readonly checks: readonly string[]
  /** The names of the functions that the literal uses. */
  readonly names: readonly string[]
}

/** Prints the parts of the module of a contract. `type` follows the names of constants. Only keywords of `isKept` are printed. */
export function printParts(
  contract: Contract,
  type = '',
  isKept?: (keyword: string) => boolean,
): Parts {
  const validated = validatedSchemas(contract)
  const schemas = new SchemaPrinter(shareSchemas(schemasIn(contract), isKept), type)
  const checks = printChecks([...validated.values()])
  const all = new Set(schemasIn(contract))
  const names = new Set<string>()
  const literal = printLiteral(contract, (value) => {
    const schema = validated.get(value)
    if (schema) {
      const name = checks.nameOf(schema)
      names.add(name)
      return name
    }
    return isObject(value) && all.has(value) ? schemas.nameOf(value) : undefined
  })

  return { literal, schemas: schemas.print(), checks: checks.batches, names: [...names] }
}

/** The contract without what only the start of a server uses: examples of parameters and bodies, which a client sends. */
export function withServedParts({
  resourcePaths: _,
  subscriptions = [],
  hasTrash = false,
  streamsChanges = false,
  ...contract
}: Contract): Contract {
  const operations = contract.operations.map(servedOperation)
  return {
    ...contract,
    ...(subscriptions.length > 0 && { subscriptions }),
    ...(hasTrash && { hasTrash }),
    ...(streamsChanges && { streamsChanges }),
    operations,
  }
}

function servedOperation(operation: Operation): Operation {
  const { parameters, body, responses, otherResponses } = operation
  return {
    ...operation,
    parameters: parameters.map(({ example: _, ...parameter }) => parameter),
    ...(body && { body: servedBody(body) }),
    responses: responses.map(servedResponse),
    ...(otherResponses && { otherResponses: otherResponses.map(servedResponse) }),
  }
}

function servedBody({ example: _, ...body }: RequestBody): RequestBody {
  const content = body.content?.map(({ examples: _, ...media }) => media)
  return { ...body, ...(content && { content }) }
}

/** The examples of a response are in its content, if it has any. */
function servedResponse<Part extends DocumentedResponse>(part: Part): Part | Omit<Part, 'example'> {
  const { example: _, ...others } = part
  return part.content ? others : part
}

/** The parts of an operation that have a schema, in the order of the printed module. */
function partsOf({
  parameters,
  body,
  responses,
  otherResponses = [],
  callbacks = [],
}: Operation): readonly Partial<Validated>[] {
  return [
    ...parameters,
    ...(body ? [body, ...(body.content ?? [])] : []),
    ...callbacks.flatMap(({ content = [] }) => content),
    ...[...responses, ...otherResponses].flatMap((response) => [
      response,
      ...(response.content ?? []),
      ...(response.headers ?? []),
    ]),
  ]
}

interface Validated {
  readonly schema: Schema
  readonly validate: SchemaValidator
}

/** The same of the requests that the service sends. */
function sentPartsOf({ webhooks = [] }: Contract): readonly Partial<Validated>[] {
  return webhooks.flatMap(({ content = [] }) => content)
}

/** The schemas of a contract, in the order of the printed module. */
export function schemasIn(contract: Contract): readonly Schema[] {
  const { operations, resources = {} } = contract
  const own = Object.values(resources).flatMap((resource) =>
    resource ? [resource.schema, resource.idSchema, ...(resource.sent ?? [])] : [],
  )
  const parts = [...operations.flatMap(partsOf), ...sentPartsOf(contract)]
  return [...parts.flatMap(({ schema }) => (schema ? [schema] : [])), ...own]
}

/** The schema of each validator. */
export function validatedSchemas(contract: Contract): ReadonlyMap<unknown, Schema> {
  const parts = [...contract.operations.flatMap(partsOf), ...sentPartsOf(contract)]
  const entries = parts.flatMap(({ schema, validate }) =>
    schema && validate ? [[validate, schema] as const] : [],
  )
  return new Map(entries)
}
