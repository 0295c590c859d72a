import { faker as shared } from '@faker-js/faker/locale/base'
import { describe, expect, it } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import { createSchemaCompiler } from '../../document/schemas/schema-compiler.ts'
import { contract } from '../../generated/contract.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { createSandbox } from '../../sandbox/sandbox.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { resourcesIn } from '../bind.ts'
import type { Resource } from '../resource.ts'
import { createRecordGenerator } from './generate-records.ts'

/** A schema that contains itself. */
const tree: Schema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string' },
    get parent() {
      return tree
    },
    get children() {
      return { type: 'array', items: tree }
    },
    get other() {
      return { anyOf: [tree, { type: 'null' }] }
    },
  },
}

const checkOf = createSchemaCompiler(undefined, (schema) => schema === tree)

function shippedResources(): readonly Resource[] {
  const resources = resourcesIn(contract)
  return [...new Set(resources)]
}

/** A resource whose records have one property besides the id. */
function resourceOf(value: Schema, name = 'things'): Resource {
  const schema: Schema = {
    type: 'object',
    required: ['value'],
    properties: { id: { type: 'integer' }, value },
  }
  return {
    name,
    path: `/${name}`,
    id: 'id',
    idSchema: { type: 'integer' },
    schema,
    validate: checkOf(schema),
    filters: [],
    hidden: new Set(),
  }
}

/** The generated records of each resource, without ids. */
async function generateRecords(
  resources: readonly Resource[],
  count: number,
  seed: number,
): Promise<ReadonlyMap<string, readonly StoredRecord[]>> {
  const generated = resources.map(async (resource) => {
    const { generate } = await createRecordGenerator(resource, { name: resource.name, seed })
    const records = Array.from({ length: count }, (_, at) => generate(at))
    return [resource.name, records.map(({ [resource.id]: _, ...record }) => record)] as const
  })
  return new Map(await Promise.all(generated))
}

async function seeded(
  resource: Resource,
  count: number,
  seed = 1,
): Promise<readonly StoredRecord[]> {
  return (await generateRecords([resource], count, seed)).get(resource.name) ?? []
}

async function valuesOf(schema: Schema, count: number, seed?: number): Promise<unknown[]> {
  return (await seeded(resourceOf(schema), count, seed)).map(({ value }) => value)
}

/** The fixture's text: one record a line. */
function toText(records: Readonly<Record<string, readonly StoredRecord[]>>): string {
  const lists = Object.entries(records).map(([name, list]) => {
    const lines = list.map((record) => {
      const pairs = Object.entries(record).map(
        ([key, value]) => `"${key}": ${JSON.stringify(value)}`,
      )
      return `    { ${pairs.join(', ')} }`
    })
    return `  "${name}": [\n${lines.join(',\n')}\n  ]`
  })
  return `{\n${lists.join(',\n')}\n}\n`
}

describe('the records that ship', () => {
  it('are those that seed 1 generates for the shipped contract', async () => {
    const generated = await generateRecords(shippedResources(), 50, 1)

    const records = Object.fromEntries(
      [...generated].map(([name, list]) => [
        name,
        list.map((record, at) => ({ id: at + 1, ...record })),
      ]),
    )

    await expect(toText(records)).toMatchFileSnapshot('../../../fixtures/records.json')
    expect(JSON.parse(toText(records))).toEqual(records)
  })

  it('equal those that a sandbox generates', async () => {
    const taken = await createSandbox().collection('pets').list()
    const made = await createSandbox({ records: 51 }).collection('pets').list({ limit: 50 })

    expect(taken).toEqual(made)
    expect(taken).toEqual(contract.sandbox?.records?.pets)
  })
})

describe('seeds', () => {
  it('are the same each time', async () => {
    const [resource] = shippedResources()
    if (!resource) throw new Error('The contract has no resource')

    expect(await seeded(resource, 40, 7)).toEqual(await seeded(resource, 40, 7))
  })

  it('differ from those of other seeds', async () => {
    const values = await Promise.all(
      [1, 2, -1].map((seed) => valuesOf({ type: 'integer' }, 5, seed)),
    )

    expect(new Set(values.map((list) => JSON.stringify(list))).size).toBe(3)
  })

  it('are the first ones of a longer list', async () => {
    const [resource] = shippedResources()
    if (!resource) throw new Error('The contract has no resource')

    const [short, long] = [await seeded(resource, 10), await seeded(resource, 200)]

    expect(long.slice(0, 10)).toEqual(short)
    expect(long).toHaveLength(200)
  })

  it('do not depend on the other resources', async () => {
    const [one, other] = [resourceOf({ type: 'integer' }, 'one'), resourceOf({}, 'other')]

    const alone = await generateRecords([one], 5, 1)
    const beside = await generateRecords([other, one], 5, 1)

    expect(beside.get('one')).toEqual(alone.get('one'))
  })

  it('differ for each resource', async () => {
    const schema: Schema = { type: 'integer' }

    const generated = await generateRecords(
      [resourceOf(schema, 'one'), resourceOf(schema, 'two')],
      5,
      1,
    )

    expect(generated.get('one')).not.toEqual(generated.get('two'))
  })

  it("leave faker's shared instance alone", async () => {
    const draw = (): number[] => Array.from({ length: 5 }, () => shared.number.int())
    shared.seed(42)
    const undisturbed = draw()

    shared.seed(42)
    await seeded(resourceOf({ type: 'string', format: 'date' }), 20, 3)

    expect(draw()).toEqual(undisturbed)
    expect(shared.defaultRefDate().getFullYear()).toBeGreaterThanOrEqual(2026)
    expect(shared.defaultRefDate().toISOString()).not.toBe('2026-01-01T00:00:00.000Z')
  })
})

describe('a hint', () => {
  it.each<[name: string, hint: unknown, expected: RegExp]>([
    ['of a method alone', 'datatype.boolean', /^(true|false)$/],
    ['of a method and its arguments', { 'helpers.arrayElement': [['a', 'b']] }, /^[ab]$/],
    ['of a method and its one argument', { 'number.int': { min: 5, max: 6 } }, /^[56]$/],
    ['of a method with words of its own', 'person.firstName', /^\p{L}+/u],
    ['within a branch', undefined, /^[xy]$/],
  ])('%s makes the value', async (_name, hint, expected) => {
    const schema: Schema =
      hint === undefined
        ? { allOf: [{ type: 'string', 'x-faker': { 'helpers.arrayElement': [['x', 'y']] } }] }
        : { 'x-faker': hint }

    const values = await valuesOf(schema, 10)

    expect(values).toHaveLength(10)
    for (const value of values) expect(String(value)).toMatch(expected)
  })

  it.each<[name: string, hint: unknown]>([
    ['an unknown method', 'number.banana'],
    ['an unknown module', { 'banana.int': [] }],
    ['no method', 'number'],
    ['nothing', {}],
    ['what is no name', 7],
    ['arguments that the method refuses', { 'number.int': [{ min: 2, max: 1 }] }],
    ['what makes code of text', { 'constructor.constructor': ['return 1'] }],
    ['what every method has', { 'seed.constructor': ['return 1'] }],
    ['what every object has', { '__proto__.toString': [] }],
  ])('of %s is a UsageError that names the place', async (_name, hint) => {
    const result = await valuesOf({ 'x-faker': hint }, 1).catch((error: unknown) => error)

    expect(result).toBeInstanceOf(UsageError)
    expect(result).toMatchObject({
      code: 'invalid_hint',
      message: expect.stringMatching(
        /^Cannot generate things\.value: its x-faker hint fails \(.*\)\. Name a method of @faker-js\/faker, as number\.int\.$/,
      ),
    })
  })

  it('in a nested property is named by its whole path', async () => {
    const inner: Schema = { type: 'object', properties: { name: { 'x-faker': 'no.such' } } }

    const making = valuesOf({ type: 'array', items: inner }, 1)

    await expect(making).rejects.toThrow(
      'Cannot generate things.value.name: its x-faker hint fails (faker has no no.such)',
    )
  })
})

describe('a value', () => {
  it.each<[name: string, schema: Schema]>([
    ['integer', { type: 'integer' }],
    ['integer from', { type: 'integer', minimum: 5000 }],
    ['integer up to', { type: 'integer', maximum: -5 }],
    ['integer between', { type: 'integer', minimum: 3, maximum: 4 }],
    ['integer above', { type: 'integer', exclusiveMinimum: 7, maximum: 8 }],
    ['integer below', { type: 'integer', minimum: 7, exclusiveMaximum: 8 }],
    ['integer in steps', { type: 'integer', multipleOf: 7 }],
    ['integer in steps from', { type: 'integer', multipleOf: 50, minimum: 120, maximum: 150 }],
    ['int32', { type: 'integer', format: 'int32' }],
    ['int64', { type: 'integer', format: 'int64' }],
    ['number', { type: 'number' }],
    ['number between', { type: 'number', minimum: 0.5, maximum: 0.75 }],
    ['number above', { type: 'number', exclusiveMinimum: 0, maximum: 0.1 }],
    ['number below', { type: 'number', exclusiveMaximum: 1, minimum: 0.9 }],
    ['number in steps', { type: 'number', multipleOf: 0.5 }],
    ['boolean', { type: 'boolean' }],
    ['string', { type: 'string' }],
    ['short string', { type: 'string', maxLength: 3 }],
    ['long string', { type: 'string', minLength: 80 }],
    ['string of one length', { type: 'string', minLength: 12, maxLength: 12 }],
    ['empty string', { type: 'string', maxLength: 0 }],
    ['pattern', { type: 'string', pattern: '^[A-Z]{3}-[0-9]{4}$' }],
    ['date', { type: 'string', format: 'date' }],
    ['date-time', { type: 'string', format: 'date-time' }],
    ['time', { type: 'string', format: 'time' }],
    ['duration', { type: 'string', format: 'duration' }],
    ['email', { type: 'string', format: 'email' }],
    ['hostname', { type: 'string', format: 'hostname' }],
    ['ipv4', { type: 'string', format: 'ipv4' }],
    ['ipv6', { type: 'string', format: 'ipv6' }],
    ['uri', { type: 'string', format: 'uri' }],
    ['uri-reference', { type: 'string', format: 'uri-reference' }],
    ['url', { type: 'string', format: 'url' }],
    ['uuid', { type: 'string', format: 'uuid' }],
    ['byte', { type: 'string', format: 'byte' }],
    ['json-pointer', { type: 'string', format: 'json-pointer' }],
    ['unknown format', { type: 'string', format: 'color' }],
    ['enum', { type: 'string', enum: ['a', 'b'] }],
    ['enum with null', { enum: ['a', null] }],
    ['const', { const: { deep: true } }],
    ['null', { type: 'null' }],
    ['several types', { type: ['string', 'null'] }],
    ['null first', { type: ['null', 'integer'] }],
    ['one of', { oneOf: [{ type: 'integer' }, { type: 'string' }] }],
    ['any of', { anyOf: [{ type: 'boolean' }, { type: 'null' }] }],
    ['all of', { allOf: [{ type: 'string', enum: ['a', 'b'] }], default: 'a' }],
    ['all of several', { allOf: [{ type: 'integer', minimum: 5 }, { maximum: 6 }] }],
    ['object', { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } }],
    ['object of any kind', { type: 'object' }],
    ['object without a type', { properties: { a: { type: 'integer' } }, required: ['a'] }],
    [
      'object from branches',
      {
        allOf: [
          { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } },
          { required: ['b'], properties: { b: { type: 'string', format: 'date' } } },
        ],
      },
    ],
    ['array', { type: 'array', items: { type: 'integer' } }],
    ['array of any kind', { type: 'array' }],
    ['long array', { type: 'array', items: { type: 'integer' }, minItems: 4 }],
    ['short array', { type: 'array', items: { type: 'integer' }, maxItems: 1 }],
    ['empty array', { type: 'array', items: { type: 'integer' }, maxItems: 0 }],
    [
      'array without repeats',
      { type: 'array', items: { enum: ['a', 'b', 'c'] }, uniqueItems: true, minItems: 3 },
    ],
    [
      'array of objects without repeats',
      {
        type: 'array',
        items: { type: 'object', properties: { a: { enum: [1, 2] } }, required: ['a'] },
        uniqueItems: true,
        minItems: 2,
      },
    ],
    ['schema that contains itself', tree],
  ])('of %s is what its schema asks for', async (_name, schema) => {
    const check = checkOf(schema)

    const values = await valuesOf(schema, 60)

    expect(values).toHaveLength(60)
    for (const value of values) {
      expect([value, check(value), check.errors]).toEqual([value, true, null])
    }
  })

  it('of a date is in the years before 2026, whenever it is generated', async () => {
    const values = await valuesOf({ type: 'string', format: 'date' }, 100)

    for (const value of values) expect(String(value)).toMatch(/^202[0-5]-\d\d-\d\d$/)
  })

  it('of the id is left to the store', async () => {
    const generated = await seeded(resourceOf({ type: 'integer' }), 3)

    expect(generated.map((record) => Object.keys(record))).toEqual([
      ['value'],
      ['value'],
      ['value'],
    ])
  })
})
