import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import { createSchemaCompiler } from '../../document/schemas/schema-compiler.ts'
import { Random } from '../../generate/random.ts'
import { loadContract } from '../../load.ts'
import type { Id, PageQuery, StoredRecord } from '../../records/record-table.ts'
import { createSandbox } from '../../sandbox/sandbox.ts'
import { UsageError } from '../../validation/usage-error.ts'
import type { RecordCollection } from '../behaviour/record-collection.ts'
import { InvalidRecordError, invalidProperty } from '../invalid-record-error.ts'
import type { Resource } from '../resource.ts'
import type { Records } from './records.ts'
import { createStore } from './store.ts'

const ITEM: Schema = {
  type: 'object',
  required: ['id', 'name'],
  properties: {
    id: { type: 'integer' },
    name: { type: 'string', minLength: 1 },
    color: { type: 'string', enum: ['red', 'green', 'blue'] },
    count: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
  },
}

function resourceOf(schema: Schema = ITEM): Resource {
  return {
    name: 'items',
    path: '/items',
    id: 'id',
    idSchema: schema.properties?.id ?? {},
    idParameter: 'itemId',
    schema,
    validate: createSchemaCompiler()(schema),
    isValidated: true,
    filters: ['color'],
    hidden: new Set(),
  }
}

async function recordsOf(
  rows: readonly StoredRecord[] = [],
  schema: Schema = ITEM,
): Promise<Records> {
  const store = await createStore([resourceOf(schema)], new Map([['items', { rows }]]), 1)
  const records = (await store.opened())[0]
  if (!records) throw new Error('There are no items')
  return records
}

function items(length: number): StoredRecord[] {
  const colors = ['red', 'green', 'blue']
  return Array.from({ length }, (_, at) => ({ name: `n${at + 1}`, color: colors[at % 3] }))
}

function idsOf(list: readonly StoredRecord[]): unknown[] {
  return list.map(({ id }) => id)
}

const LAST = Number.MAX_SAFE_INTEGER

/** The ids of every page, one after the other, as a client that follows each `next` meets them. */
async function walk(records: Records, query: PageQuery): Promise<unknown[]> {
  const ids: unknown[] = []
  let after: Id | undefined
  do {
    const page = await records.page({ ...query, after })
    ids.push(...idsOf(page.records))
    after = page.next
  } while (after !== undefined)
  return ids
}

describe('pages', () => {
  it('continue after a deleted record without losing or repeating one', async () => {
    const records = await recordsOf(items(9))
    const first = await records.page({ limit: 3 })

    await records.remove(3)
    const second = await records.page({ limit: 3, after: first.next })

    expect(idsOf(first.records)).toEqual([1, 2, 3])
    expect(idsOf(second.records)).toEqual([4, 5, 6])
  })

  it('continue after a record that no longer has the value of the filter', async () => {
    const records = await recordsOf(items(9))
    const first = await records.page({ where: { color: 'red' }, limit: 2 })

    await records.update(4, (record) => ({ ...record, color: 'blue' }))
    const second = await records.page({ where: { color: 'red' }, limit: 2, after: first.next })

    expect(idsOf(first.records)).toEqual([1, 4])
    expect(idsOf(second.records)).toEqual([7])
  })

  it('start with the first match when the cursor is a record of another value', async () => {
    const records = await recordsOf(items(9))

    const page = await records.page({ where: { color: 'red' }, limit: 2, after: 2 })

    expect(idsOf(page.records)).toEqual([4, 7])
  })

  it('end with a record that was added meanwhile', async () => {
    const records = await recordsOf(items(3))
    const { next } = await records.page({ limit: 2 })

    await records.create({ name: 'new' })
    const page = await records.page({ limit: 2, after: next })

    expect(idsOf(page.records)).toEqual([3, 4])
    expect(page.next).toBeUndefined()
  })

  it.each([1, 2, 3, 7, 50, 100])('of %i have every matching record once', async (limit) => {
    const records = await recordsOf(items(50))
    const reds = Array.from({ length: 17 }, (_, at) => at * 3 + 1)

    expect(await walk(records, { where: { color: 'red' }, limit })).toEqual(reds)
  })
})

describe('a new record', () => {
  it('gets the next id in order when many are created at once', async () => {
    const records = await recordsOf()

    const created = await Promise.all(items(200).map((record) => records.create(record)))

    const ids = Array.from({ length: 200 }, (_, at) => at + 1)
    expect(idsOf(created)).toEqual(ids)
    expect(created.map(({ name }) => name)).toEqual(ids.map((id) => `n${id}`))
    expect(idsOf((await records.page({})).records)).toEqual(ids)
  })

  it('is refused when its id is taken', async () => {
    const records = await recordsOf(items(3))

    const creation = records.create({ id: 2, name: 'twin' })

    await expect(creation).rejects.toThrow(invalidProperty('id', '2 is taken'))
    expect(await records.count()).toBe(3)
    expect(records.get(2)).toMatchObject({ name: 'n2' })
  })

  it('is created once when two with the same id are created at once', async () => {
    const records = await recordsOf()

    const results = await Promise.allSettled([
      records.create({ id: 5, name: 'one' }),
      records.create({ id: 5, name: 'other' }),
    ])

    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect((await records.page({})).records).toEqual([{ id: 5, name: 'one' }])
  })

  it('never gets an id that was deleted', async () => {
    const records = await recordsOf(items(3))

    await records.remove(3)
    const record = await records.create({ name: 'next' })

    expect(record.id).toBe(4)
  })

  it('continues from the highest id that was given', async () => {
    const records = await recordsOf()

    await records.create({ id: 41, name: 'chosen' })
    const record = await records.create({ name: 'next' })

    expect(record.id).toBe(42)
  })

  it('leaves no trace when it is refused', async () => {
    const records = await recordsOf(items(2))

    await expect(records.create({ name: '', color: 'red' })).rejects.toThrow(InvalidRecordError)
    const next = await records.create({ name: 'next', color: 'red' })

    expect(next.id).toBe(3)
    expect(await records.count()).toBe(3)
    expect(idsOf((await records.page({ where: { color: 'red' } })).records)).toEqual([1, 3])
  })

  it('is refused with every error in the message', async () => {
    const records = await recordsOf()

    const creation = records.create({ color: 'pink', count: 'many' })

    await expect(creation).rejects.toThrow(
      'a record.name is required; a record.color must be one of red, green, blue; a record.count must be integer',
    )
  })
})

describe('refusals', () => {
  const methods = ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const
  const originals = methods.map((method) => [method, console[method]] as const)
  let printed: unknown[][] = []

  beforeEach(() => {
    printed = []
    for (const method of methods) console[method] = (...texts: unknown[]) => printed.push(texts)
  })

  afterEach(() => {
    for (const [method, original] of originals) console[method] = original
  })

  it('print nothing', async () => {
    const records = await recordsOf(items(2))

    await records.create({ name: 1 }).catch(() => undefined)
    await records.create({ id: 1, name: 'twin' }).catch(() => undefined)
    await records.update(1, () => ({ name: 1 })).catch(() => undefined)

    expect(printed).toEqual([])
  })
})

describe('an update', () => {
  it('keeps the changes of another update at the same time', async () => {
    const records = await recordsOf([{ name: 'one', count: 0 }])
    const increments = Array.from({ length: 50 }, () =>
      records.update(1, (record) => ({ ...record, count: Number(record.count) + 1 })),
    )

    await Promise.all([
      ...increments,
      records.update(1, (record) => ({ ...record, color: 'green' })),
    ])

    expect(records.get(1)).toEqual({ id: 1, name: 'one', count: 50, color: 'green' })
  })

  it('moves the record from the list of the old value to that of the new one', async () => {
    const records = await recordsOf(items(3))

    await records.update(1, (record) => ({ ...record, color: 'blue' }))

    expect(idsOf((await records.page({ where: { color: 'red' } })).records)).toEqual([])
    expect(idsOf((await records.page({ where: { color: 'blue' } })).records)).toEqual([1, 3])
    expect(await records.count()).toBe(3)
  })

  it('removes the properties that the change leaves out', async () => {
    const records = await recordsOf([{ name: 'one', color: 'red', tags: ['a'] }])

    await records.update(1, () => ({ name: 'two' }))

    expect(records.get(1)).toEqual({ id: 1, name: 'two' })
    expect(idsOf((await records.page({ where: { color: 'red' } })).records)).toEqual([])
  })

  it('keeps the id', async () => {
    const records = await recordsOf(items(1))

    await records.update(1, (record) => ({ ...record, id: 9 }))

    expect(records.get(9)).toBeUndefined()
    expect(records.get(1)).toMatchObject({ id: 1 })
  })

  it('that is refused changes nothing', async () => {
    const records = await recordsOf(items(1))

    const change = records.update(1, (record) => ({ ...record, name: '', color: 'blue' }))

    await expect(change).rejects.toThrow(InvalidRecordError)
    expect(records.get(1)).toEqual({ id: 1, name: 'n1', color: 'red' })
    expect(idsOf((await records.page({ where: { color: 'red' } })).records)).toEqual([1])
  })

  it('of an unknown id resolves with undefined', async () => {
    const records = await recordsOf()

    expect(await records.update(1, (record) => record)).toBeUndefined()
  })

  it('still runs after another update threw', async () => {
    const records = await recordsOf(items(1))
    const boom = (): StoredRecord => {
      throw new RangeError('boom')
    }

    await expect(records.update(1, boom)).rejects.toThrow('boom')
    await records.update(1, (record) => ({ ...record, name: 'after' }))

    expect(records.get(1)).toMatchObject({ name: 'after' })
  })
})

describe('a deletion', () => {
  it('removes the record from every list', async () => {
    const records = await recordsOf(items(4))

    const wasThere = await records.remove(1)

    expect(wasThere).toBe(true)
    expect(records.get(1)).toBeUndefined()
    expect(await records.count()).toBe(3)
    expect(idsOf((await records.page({})).records)).toEqual([2, 3, 4])
    expect(idsOf((await records.page({ where: { color: 'red' } })).records)).toEqual([4])
  })

  it('resolves with false the second time', async () => {
    const records = await recordsOf(items(1))

    const results = await Promise.all([records.remove(1), records.remove(1)])

    expect(results).toEqual([true, false])
  })

  it('removes every record, however many there are', async () => {
    const records = await recordsOf(items(500))

    await Promise.all(
      idsOf((await records.page({})).records).map((id) => records.remove(Number(id))),
    )

    expect(await records.count()).toBe(0)
    expect(await records.page({})).toEqual({ records: [] })
    expect(await records.page({ where: { color: 'red' } })).toEqual({ records: [] })
  })
})

describe('a new store', () => {
  it('shares nothing with an earlier one, and generates the same ids', async () => {
    const schema = {
      ...ITEM,
      properties: { ...ITEM.properties, id: { type: 'string', format: 'uuid' } },
    }
    const first = await recordsOf(items(20), schema)
    await first.create({ name: 'more' })

    const second = await recordsOf(items(20), schema)

    expect(await second.count()).toBe(20)
    expect(idsOf((await second.page({})).records)).toEqual(
      idsOf((await first.page({})).records.filter(({ name }) => name !== 'more')),
    )
  })

  it('refuses first records that do not match the schema', async () => {
    await expect(recordsOf([{ name: '' }])).rejects.toThrow(
      'a record.name must have at least 1 character',
    )
  })
})

describe('a restored snapshot', () => {
  it('has the records, and continues their ids', async () => {
    const records = await recordsOf(items(3))
    await records.remove(3)
    const snapshot = JSON.parse(JSON.stringify(records.snapshot()))

    const restored = await recordsOf()
    await restored.restore(snapshot)

    expect(await restored.page({})).toEqual(await records.page({}))
    expect(await restored.create({ name: 'next' })).toMatchObject({ id: 4 })
  })

  it('adds its records to the present ones, which can still be changed', async () => {
    const records = await recordsOf(items(2))

    await records.restore({ rows: [{ name: 'three', color: 'red' }] })
    await records.update(1, (record) => ({ ...record, color: 'blue' }))

    expect(idsOf((await records.page({ where: { color: 'red' } })).records)).toEqual([3])
    expect(records.get(1)).toEqual({ id: 1, name: 'n1', color: 'blue' })
  })

  it.each<[fault: string, rows: StoredRecord[], message: string]>([
    [
      'what is refused',
      [{ name: 'three' }, { name: '' }],
      'a record.name must have at least 1 character',
    ],
    ['a taken id', [{ name: 'three' }, { id: 2, name: 'twin' }], 'a record.id 2 is taken'],
    [
      'an id twice',
      [
        { id: 7, name: 'one' },
        { id: 7, name: 'twin' },
      ],
      'a record.id 7 is taken',
    ],
  ])('with %s leaves no trace', async (_fault, rows, message) => {
    const records = await recordsOf(items(2))

    await expect(records.restore({ rows })).rejects.toThrow(message)

    expect(idsOf((await records.page({})).records)).toEqual([1, 2])
    expect(await records.create({ name: 'next' })).toMatchObject({ id: 3 })
  })
})

describe('the records of sandbox.collection()', () => {
  it('are returned as copies', async () => {
    const pets = createSandbox({ records: 3 }).collection('pets')
    const before = await pets.list()
    const made = await pets.create({ name: 'Rex', categoryId: 1 })
    const handedOut = [...(await pets.list()), await pets.get(1), made]

    for (const record of handedOut) Object.assign(record ?? {}, { name: 'changed' })

    const rex = { id: 4, name: 'Rex', categoryId: 1, status: 'available' }
    expect(await pets.list()).toEqual([...before, rex])
  })

  it('are stored as copies', async () => {
    const contract = await loadContract('src/testing/library.yaml')
    const books: RecordCollection = createSandbox({ contract, records: 0 }).collection('books')
    const values = { title: 'Dune', genre: 'novel', author: { name: 'Frank' } }
    const changes = { author: { name: 'Brian' } }

    const id = String((await books.create(values)).id)
    values.author.name = 'changed'
    const created = await books.get(id)
    await books.update(id, changes)
    changes.author.name = 'changed'

    expect(created).toMatchObject({ author: { name: 'Frank' } })
    expect(await books.get(id)).toMatchObject({ author: { name: 'Brian' } })
  })

  it('are plain objects', async () => {
    const pets = createSandbox({ records: 1 }).collection('pets')

    const record = await pets.get(1)

    expect(Object.getOwnPropertySymbols(record ?? {})).toEqual([])
    expect(Object.keys(record ?? {})).toEqual(['id', 'name', 'categoryId', 'status'])
  })

  it('are found, counted, changed and removed', async () => {
    const pets: RecordCollection = createSandbox({ records: 3 }).collection('pets')

    await pets.update(1, { status: 'sold', name: 'Rex' })
    const wasThere = [await pets.remove(2), await pets.remove(2)]

    expect(await pets.get(1)).toMatchObject({ id: 1, status: 'sold', name: 'Rex' })
    expect(wasThere).toEqual([true, false])
    expect(await pets.count()).toBe(2)
    expect(idsOf(await pets.list({ where: { name: 'Rex' } }))).toEqual([1])
    expect(idsOf(await pets.list({ limit: 1 }))).toEqual([1])
    expect(await pets.get('1')).toMatchObject({ id: 1 })
    expect(await pets.get('Rex')).toBeUndefined()
  })

  it.each<[name: string, change: (pets: RecordCollection) => Promise<unknown>, message: string]>([
    [
      'a taken id',
      (pets) => pets.create({ id: 1, name: 'Rex', categoryId: 1 }),
      'Cannot change pets: id 1 is taken.',
    ],
    [
      'what the contract refuses',
      (pets) => pets.create({ name: 'Rex', categoryId: 'dog' }),
      'Cannot change pets: categoryId must be integer.',
    ],
    [
      'a change that the contract refuses',
      (pets) => pets.update(1, { status: 'lost' }),
      'Cannot change pets: status must be one of available, pending, sold.',
    ],
    [
      'a change of a record that there is not',
      (pets) => pets.update(9, { name: 'Rex' }),
      'Cannot change pets 9: the record does not exist. Create it first.',
    ],
  ])('refuse %s with a UsageError', async (_name, change, message) => {
    const pets = openPets()

    const result = await change(pets).catch((error: unknown) => error)

    expect(result).toBeInstanceOf(UsageError)
    expect(result).toHaveProperty('message', message)
  })
})

function openPets() {
  return createSandbox({ records: 2 }).collection('pets')
}

/** A plain list that does what the records do, the slow way. */
class Model {
  readonly #records = new Map<number, StoredRecord>()
  last = 0

  create(record: StoredRecord): StoredRecord {
    this.last += 1
    return this.#put(this.last, record)
  }

  update(id: number, record: StoredRecord): StoredRecord | undefined {
    return this.#records.has(id) ? this.#put(id, record) : undefined
  }

  remove(id: number): boolean {
    return this.#records.delete(id)
  }

  list(where: StoredRecord = {}, after = 0): StoredRecord[] {
    const conditions = Object.entries(where)
    return [...this.#records.values()]
      .filter((record) => Number(record.id) > after)
      .filter((record) => conditions.every(([name, value]) => record[name] === value))
      .sort((one, other) => Number(one.id) - Number(other.id))
  }

  #put(id: number, record: StoredRecord): StoredRecord {
    this.#records.set(id, { id, ...record })
    return { id, ...record }
  }
}

describe('thousands of operations', () => {
  const colors = ['red', 'green', 'blue']

  it.each([1, 2, 3])('equal those of a plain list, with seed %i', async (seed) => {
    const random = new Random(seed)
    const below = (limit: number): number => Math.floor(random.next() * limit)
    const records = await recordsOf()
    const model = new Model()
    const anyId = (): number => 1 + below(model.last + 5)
    const anyRow = (): StoredRecord => ({
      name: `n${below(1000)}`,
      ...(below(4) > 0 && { color: colors[below(3)] }),
    })
    const deeds: (() => Promise<[found: unknown, expected: unknown]>)[] = [
      async () => {
        const record = anyRow()
        return [await records.create(record), model.create(record)]
      },
      async () => {
        const [id, record] = [anyId(), anyRow()]
        return [await records.update(id, () => record), model.update(id, record)]
      },
      async () => {
        const id = anyId()
        return [await records.remove(id), model.remove(id)]
      },
      async () => {
        const where = below(2) === 0 ? { color: colors[below(3)] } : {}
        const [after, limit] = [below(model.last + 10), 1 + below(12)]
        const all = model.list(where, after)
        const next = all.length > limit ? { next: all[limit - 1]?.id } : {}
        return [
          await records.page({ where, after, limit }),
          { records: all.slice(0, limit), ...next },
        ]
      },
    ]
    // Creations are the most, so that there is something to page through.
    const likely = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3]

    for (let step = 0; step < 3000; step += 1) {
      const [found, expected] = (await deeds[likely[below(10)] ?? 0]?.()) ?? []
      expect(found).toEqual(expected)
    }

    expect((await records.page({})).records).toEqual(model.list())
    for (const color of colors) {
      expect(await walk(records, { where: { color }, limit: 7 })).toEqual(
        idsOf(model.list({ color })),
      )
    }
  })
})

describe('ids at the end of the integers that are exact', () => {
  it('continue with ids that are not in use', async () => {
    const records = await recordsOf([
      { id: 1, name: 'first' },
      { id: LAST, name: 'last' },
    ])

    const made = [await records.create({ name: 'a' }), await records.create({ name: 'b' })]
    const again = await recordsOf([])
    await again.restore(await records.snapshot())
    made.push(await again.create({ name: 'c' }))

    expect(idsOf(made)).toEqual([2, 3, 4])
    expect(again.get(4)).toMatchObject({ name: 'c' })
  })

  it.each([LAST + 1, -LAST - 1, 1e300])('are not exceeded: %d is refused', async (id) => {
    const records = await recordsOf()

    await expect(records.create({ id, name: 'far' })).rejects.toThrow(InvalidRecordError)
    expect(await records.count()).toBe(0)
  })
})
