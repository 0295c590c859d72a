import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Contract, SchemaValidator } from '../contract/contract.ts'
import { loadContract } from '../document/load-contract.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'
import { compileModule } from './compiled-module.ts'
import { withServedParts } from './contract-module.ts'

/** A schema, and values that some keyword of it accepts or rejects. */
interface Case {
  readonly schema: object
  readonly values: readonly unknown[]
}

const CASES: Readonly<Record<string, Case>> = {
  'a schema that contains itself': {
    schema: { $ref: '#/components/schemas/Folder' },
    values: [
      { name: 'a', folders: [{ name: 'b', folders: [] }] },
      { name: 'a', folders: [{ name: 'b', folders: [{ name: 1 }] }, 3] },
      { name: 'a', parent: { name: 'b', parent: {} } },
    ],
  },
  'schemas that contain each other, in a branch of another one': {
    schema: { anyOf: [{ $ref: '#/components/schemas/Left' }, { type: 'array' }] },
    values: [{ right: { left: { right: {} } } }, { right: { left: 1 } }, [], 1],
  },
  'a schema that several places share': {
    schema: {
      type: 'object',
      properties: {
        one: { $ref: '#/components/schemas/Named' },
        two: { type: 'array', items: { $ref: '#/components/schemas/Named' } },
      },
    },
    values: [{ one: { name: '' }, two: [{ name: 'x' }, {}] }, { one: { name: 'x' } }],
  },
  formats: {
    schema: {
      type: 'object',
      properties: {
        date: { type: 'string', format: 'date-time' },
        mail: { type: 'string', format: 'email' },
        id: { type: 'string', format: 'uuid' },
        other: { type: 'string', format: 'own-format' },
        count: { type: 'integer', format: 'int32' },
      },
    },
    values: [
      { date: '2027-01-01T00:00:00Z', mail: 'a@example.com', other: 'x', count: 2 ** 33 },
      { date: '2027-13-01T00:00:00Z', mail: 'a', id: 'x' },
    ],
  },
  'patterns, also one that is invalid with the u flag': {
    schema: {
      type: 'object',
      properties: { u: { pattern: '^\\p{L}$' }, plain: { pattern: '^[\\w-.]+$' } },
    },
    values: [
      { u: 'ä', plain: 'a-.' },
      { u: 'ab', plain: '!' },
    ],
  },
  'unevaluatedProperties beside shared branches': {
    schema: {
      allOf: [{ $ref: '#/components/schemas/Named' }, { properties: { age: {} } }],
      unevaluatedProperties: false,
    },
    values: [{ name: 'x', age: 1 }, { name: 'x', more: 1 }, { name: '' }],
  },
  'inherited names': {
    schema: {
      type: 'object',
      required: ['constructor'],
      properties: { constructor: { type: 'string' }, ['__proto__']: { type: 'string' } },
      additionalProperties: false,
    },
    values: [{}, { constructor: 'x' }, { constructor: 1 }, JSON.parse('{"__proto__":1}')],
  },
  'unique items and code points': {
    schema: { type: 'array', uniqueItems: true, items: { type: 'string', maxLength: 1 } },
    values: [
      ['𝒳', 'a'],
      ['ab', 'ab'],
      ['a', 'a'],
    ],
  },
  'text that looks like the code of a module': {
    schema: {
      enum: ['export const check0 = validate0;', 'const f = require("x").default', '\0schema0\0'],
    },
    values: ['export const check0 = validate0;', 'x', '\0schema0\0'],
  },
}

const COMPONENTS = {
  Named: {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string', minLength: 1 } },
  },
  Folder: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string' },
      folders: { type: 'array', items: { $ref: '#/components/schemas/Folder' } },
      parent: { $ref: '#/components/schemas/Folder' },
    },
  },
  Left: { type: 'object', properties: { right: { $ref: '#/components/schemas/Right' } } },
  Right: { type: 'object', properties: { left: { $ref: '#/components/schemas/Left' } } },
}

function operationFor({ schema }: Case): object {
  return {
    post: {
      requestBody: { content: { 'application/json': { schema } } },
      responses: { 204: { description: 'Done.' } },
    },
  }
}

const COMMAND = { heading: 'Heading', command: 'npx pet-sandbox compile api.json' }

const folder = useTemporaryDirectory()

async function load(paths: object, schemas: object = COMPONENTS): Promise<Contract> {
  const file = join(folder(), 'api.json')
  const info = { title: 'Things', version: '1' }
  await writeFile(file, JSON.stringify({ openapi: '3.1.1', info, paths, components: { schemas } }))

  return loadContract(file)
}

async function evaluate(code: string): Promise<Contract> {
  const { contract } = await import(`data:text/javascript,${encodeURIComponent(code)}`)
  return contract
}

function resultOf(validate: SchemaValidator | undefined, value: unknown): unknown {
  const isValid = validate?.(value)
  const errors = (validate?.errors ?? []).map(({ instancePath, keyword, params, message }) => ({
    ...{ instancePath, keyword, params, message },
  }))
  return [isValid, errors]
}

describe('a compiled module validates as the loaded contract does, with the same errors', () => {
  const names = Object.keys(CASES)
  let loaded: Contract
  let compiled: Contract

  test.each(names)('%s', async (name) => {
    const paths = Object.entries(CASES).map(([, one], index) => [`/${index}`, operationFor(one)])
    loaded ??= await load(Object.fromEntries(paths))
    compiled ??= await evaluate(compileModule(loaded, COMMAND).code)
    const index = names.indexOf(name)
    const { values = [] } = CASES[name] ?? {}

    const results = values.map((value) =>
      resultOf(compiled.operations[index]?.body?.validate, value),
    )

    const expected = values.map((value) =>
      resultOf(loaded.operations[index]?.body?.validate, value),
    )
    expect(results).toEqual(expected)
    expect(new Set(expected.map((result) => JSON.stringify(result))).size).toBeGreaterThan(1)
  })
})

describe('a compiled module', () => {
  test('has the schemas of the document, cyclic ones as cyclic objects', async () => {
    const one: Case = { schema: { $ref: '#/components/schemas/Folder' }, values: [] }
    const contract = await load({ '/folders': operationFor(one) })

    const { format, ...compiled } = await evaluate(compileModule(contract, COMMAND).code)

    expect(format).toBe(1)
    const [operation] = compiled.operations
    expect(operation?.body?.schema.properties?.parent).toBe(operation?.body?.schema)
    expect(operation?.body?.schema).toEqual(contract.operations[0]?.body?.schema)
    const { onRecordsMissing: _, onResponseMissing: __, ...data } = withServedParts(contract)
    expect({ ...compiled, operations: [] }).toEqual({ ...data, operations: [] })
  })

  test('keeps a property with the name __proto__ as a property', async () => {
    const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}')
    const contract = await load({ '/x': operationFor({ schema, values: [] }) })

    const compiled = await evaluate(compileModule(contract, COMMAND).code)

    const properties = compiled.operations[0]?.body?.schema.properties ?? {}
    expect(Object.keys(properties)).toEqual(['__proto__'])
  })

  test('contains a chain of a hundred references', async () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 100 }, (_value, index) => [
        `S${index}`,
        { type: 'object', properties: { next: { $ref: `#/components/schemas/S${index + 1}` } } },
      ]),
    )
    const first: Case = { schema: { $ref: '#/components/schemas/S0' }, values: [] }
    const contract = await load(
      { '/chain': operationFor(first) },
      { ...schemas, S100: { type: 'string' } },
    )

    const compiled = await evaluate(compileModule(contract, COMMAND).code)

    expect(compiled.operations[0]?.body?.validate({ next: { next: 1 } })).toBe(false)
  })

  test('has the record types of collections, and names for those that contain themselves', async () => {
    const record = {
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'integer' }, parent: { $ref: '#/components/schemas/Thing' } },
    }
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } }
    const get = { operationId: 'getThing', responses: { 200: { description: 'One.', content } } }
    const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }]
    const contract = await load({ '/things/{id}': { parameters, get } }, { Thing: record })

    const { types } = compileModule(contract, COMMAND)

    expect(types).toBe(`// Heading
import type { Contract } from 'pet-sandbox'

type Schema0 = {
  id: number
  parent?: Schema0
}

/** The names and records of the document. */
export interface Service {
  operation: 'getThing'
  collections: {
    things: {
      id: number
      record: {
        id: number
        parent?: Schema0
      }
      created: {
        id?: number
        parent?: Schema0
      }
    }
  }
}

export declare const contract: Contract<Service>
`)
  })
})
