import { describe, expect, it } from 'vitest'
import { loadContract } from '../../document/load-contract.ts'
import type { SandboxOptions } from '../../sandbox/options.ts'
import { createSandbox } from '../../sandbox/sandbox.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import { UsageError } from '../../validation/usage-error.ts'

const REX = { name: 'Rex', categoryId: 3, status: 'sold' } as const
const MAX = { id: 7, name: 'Max', categoryId: 1, status: 'available' } as const

/** Why a program without types cannot create a sandbox with these records. */
function refusalOf(records: unknown): string {
  const options: SandboxOptions = JSON.parse('{}')
  Reflect.set(options, 'records', records)
  try {
    createSandbox(options)
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  }
  throw new Error('The records were accepted')
}

describe('a sandbox with records of its own', () => {
  it('serves these records, with their own or generated ids', async () => {
    const sandbox = createSandbox({ records: { pets: [REX, MAX, REX] } })

    const pets = await sandbox.collection('pets').list()
    const added = await sandbox.collection('pets').create(REX)

    expect(pets).toEqual([{ id: 1, ...REX }, MAX, { id: 8, ...REX }])
    expect(added.id).toBe(9)
  })

  it('keeps negative ids and the largest safe one, where the schema allows them', async () => {
    const ids = [-(2 ** 53 - 1), -1, 2 ** 53 - 1]
    const sandbox = createSandbox({ records: { pets: ids.map((id) => ({ ...MAX, id })) } })

    const pets = await sandbox.collection('pets').list()

    expect(pets.map(({ id }) => id)).toEqual(ids)
  })

  it.each<[records: SandboxOptions['records'], pets: number]>([
    ['default', 50],
    [{ pets: 3 }, 3],
    [{ pets: 60 }, 60],
    [{ '*': 4 }, 4],
    [{ '*': 'default' }, 50],
    [{}, 0],
    [{ pets: [MAX], '*': 4 }, 1],
  ])('starts with as many as %j says', async (records, pets) => {
    const sandbox = createSandbox({ ...(records !== undefined && { records }) })

    expect(await sandbox.collection('pets').count()).toBe(pets)
  })

  it('has them again after a reset, and in each world', async () => {
    const sandbox = createSandbox({ records: { pets: [MAX] } })
    await sandbox.collection('pets').remove(7)
    await sandbox.world('checkout').collection('pets').create(REX)

    sandbox.reset()

    expect(await sandbox.collection('pets').list()).toEqual([MAX])
    expect(await sandbox.world('search').collection('pets').list()).toEqual([MAX])
    expect(await sandbox.world('checkout').collection('pets').count()).toBe(2)
  })

  it('has them for every seed, which only generates ids', async () => {
    const contract = await loadContract('src/testing/library.yaml')
    const book = { title: 'Dune', author: { name: 'Frank Herbert' } }
    const booksOf = (seed: number) =>
      createSandbox({ contract, records: { books: [book] }, seed })
        .collection('books')
        .list()

    const [[first], [again], [other]] = await Promise.all([booksOf(1), booksOf(1), booksOf(2)])

    expect(first).toMatchObject(book)
    expect(again).toEqual(first)
    expect(other).toEqual({ ...first, id: expect.not.stringMatching(String(first?.id)) })
  })

  it('has the records of the scenario that it starts with instead', async () => {
    const sandbox = createSandbox({ records: { pets: [MAX] }, scenario: 'empty-store' })

    expect(await sandbox.collection('pets').count()).toBe(0)
  })

  it('does not change when the list that was given changes later', async () => {
    const pets = [{ ...MAX }]
    const sandbox = createSandbox({ records: { pets } })

    pets.push({ ...MAX })
    sandbox.reset()

    expect(await sandbox.collection('pets').count()).toBe(1)
  })

  it('ignores properties and collections that are undefined', async () => {
    const given: object = { pets: [{ ...MAX, status: undefined }], horses: undefined }

    const sandbox = createSandbox({ records: { ...given } })

    expect(await sandbox.collection('pets').count()).toBe(1)
  })
})

it('an id that no response can show is refused, also where responses show different parts of a record', async () => {
  const id = { type: 'string', format: 'uuid' } as const
  const note = { type: 'object', properties: { id, text: { type: 'string' } } } as const
  const content = (schema: object): object => ({ content: { 'application/json': { schema } } })
  const contract = await loadDocumentOf({
    '/notes': {
      get: { responses: { 200: { description: '', ...content({ type: 'array', items: note }) } } },
      post: {
        requestBody: content({ type: 'object', properties: { draft: { type: 'boolean' } } }),
        responses: { 201: { description: '', ...content(note) } },
      },
    },
    '/notes/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: id }],
      get: { responses: { 200: { description: '', ...content(note) } } },
    },
  })

  expect(() => createSandbox({ contract, records: { notes: [{ id: 'x' }] } })).toThrow(
    'Cannot create the sandbox: records.notes[0].id must match format "uuid".',
  )
})

describe('records that are wrong', () => {
  const shape = 'Cannot create the sandbox: `records` must be an integer ≥ 0 or an object of arrays'

  it.each<[records: unknown, message: string]>([
    ['50', `${shape} (got string).`],
    [-1, `${shape} (got -1).`],
    [0.5, `${shape} (got 0.5).`],
    [Number.NaN, `${shape} (got NaN).`],
    [null, `${shape} (got null).`],
    [[MAX], `${shape} (got array).`],
    [true, `${shape} (got boolean).`],
    [
      { pet: [] },
      'Cannot create the sandbox: unknown collection "records.pet". Did you mean "pets"?',
    ],
    [
      { pets: [REX, { ...REX, name: 7 }] },
      'Cannot create the sandbox: records.pets[1].name must be string.',
    ],
    [
      { pets: [{ name: 'Rex' }] },
      'Cannot create the sandbox: records.pets[0].categoryId is required.',
    ],
    [
      { pets: [{ ...REX, status: 'solt' }] },
      'Cannot create the sandbox: records.pets[0].status must be one of available, pending, sold (got "solt"). Did you mean "sold"?',
    ],
    [
      { pets: { count: 3 } },
      'Cannot create the sandbox: 3 mistakes.\n' +
        '  unknown property "records.pets.count". Known: name, categoryId, status, id.\n' +
        '  records.pets.name is required.\n' +
        '  records.pets.categoryId is required.',
    ],
    [
      { pet: [], pets: [7, { ...REX, nmae: 'Rex' }] },
      'Cannot create the sandbox: 3 mistakes.\n' +
        '  unknown collection "records.pet". Did you mean "pets"?\n' +
        '  records.pets[0] must be an object (got 7).\n' +
        '  unknown property "records.pets[1].nmae". Did you mean "name"?',
    ],
    [
      { pets: [{ ...REX, nmae: 'Rex' }] },
      'Cannot create the sandbox: unknown property "records.pets[0].nmae". Did you mean "name"?',
    ],
    [
      { pets: [MAX, MAX] },
      'Cannot create the sandbox: records.pets[1].id must be unique (an earlier record has the id 7). Give each record its own id, or none.',
    ],
    [
      { pets: [REX, { ...MAX, id: 2 ** 60 }] },
      'Cannot create the sandbox: records.pets[1].id must be an integer from -9007199254740991 to 9007199254740991 (got 1152921504606847000).',
    ],
    [
      { pets: [{ ...MAX, id: -(2 ** 60) }] },
      'Cannot create the sandbox: records.pets[0].id must be an integer from -9007199254740991 to 9007199254740991 (got -1152921504606847000).',
    ],
    [
      { pets: 'Max' },
      'Cannot create the sandbox: records.pets must be an integer ≥ 0 or an array (got "Max").',
    ],
    [
      { pets: -1 },
      'Cannot create the sandbox: records.pets must be an integer ≥ 0 or an array (got -1).',
    ],
    [{ '*': [] }, 'Cannot create the sandbox: records.* must be an integer ≥ 0 (got array).'],
    [
      { 'pets/1/toys': 3 },
      'Cannot create the sandbox: unknown collection "records.pets/1/toys". Known: pets, *.',
    ],
    [
      { pets: ['Rex'] },
      'Cannot create the sandbox: records.pets[0] must be an object (got "Rex").',
    ],
    [
      { pets: [{ ...REX, categoryId: 7n }] },
      'Cannot create the sandbox: `records` is not valid JSON data. Give plain objects without cycles and without BigInt values.',
    ],
  ])('are refused at creation, with their place (%#)', (records, message) => {
    expect(refusalOf(records)).toBe(message)
  })

  it('are refused at creation in a scenario, too', () => {
    const records: object = { pets: [{ ...REX, nmae: 'Rex', status: 'solt' }] }
    const scenarios = { mine: { description: 'Mine.', records: { ...records } } }

    expect(() => createSandbox({ scenarios })).toThrow(
      'Cannot apply the scenario "mine": 2 mistakes.\n' +
        '  unknown property "records.pets[0].nmae". Did you mean "name"?\n' +
        '  records.pets[0].status must be one of available, pending, sold (got "solt"). Did you mean "sold"?',
    )
  })
})
