import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import { createSchemaCompiler } from '../../document/schemas/schema-compiler.ts'
import { Random } from '../../generate/random.ts'
import type { Id, PageQuery, StoredRecord } from '../../records/record-table.ts'
import { isLongRun } from '../../testing/long-run.ts'
import { InvalidRecordError } from '../invalid-record-error.ts'
import type { Resource } from '../resource.ts'
import type { Records } from './records.ts'
import { createStore, type Store } from './store.ts'

const COLORS = ['red', 'green', 'blue']

function resourceOf(id: Schema): Resource {
  const schema: Schema = {
    type: 'object',
    required: ['id', 'name'],
    properties: {
      id,
      name: { type: 'string', minLength: 1 },
      color: { type: 'string', enum: COLORS },
      tags: { type: 'array', items: { type: 'string' } },
    },
  }
  return {
    name: 'items',
    path: '/items',
    id: 'id',
    idSchema: id,
    schema,
    validate: createSchemaCompiler()(schema),
    isValidated: true,
    filters: ['color', 'name', 'tags'],
    hidden: new Set(),
  }
}

async function recordsOf(
  rows: readonly StoredRecord[],
  id: Schema = { type: 'integer' },
): Promise<Records> {
  const store = await createStore([resourceOf(id)], new Map([['items', { rows }]]), 1)
  return itemsIn(store)
}

async function itemsIn(store: Store): Promise<Records> {
  const [records] = await store.opened()
  if (!records) throw new Error('There are no items')
  return records
}

function items(length: number): StoredRecord[] {
  return Array.from({ length }, (_, at) => ({ name: `n${at + 1}`, color: COLORS[at % 3] }))
}

function idsOf(list: readonly StoredRecord[]): unknown[] {
  return list.map(({ id }) => id)
}

async function idsIn(records: Records, query: PageQuery = {}): Promise<unknown[]> {
  return idsOf((await records.page(query)).records)
}

describe('a fork of a store', () => {
  it('has the same records, without later changes', async () => {
    const store = await createStore(
      [resourceOf({ type: 'integer' })],
      new Map([['items', { rows: items(3) }]]),
      1,
    )
    const fork = store.fork()

    await (await itemsIn(fork)).update(1, (record) => ({ ...record, name: 'fork' }))
    await (await itemsIn(store)).update(1, (record) => ({ ...record, name: 'source' }))
    await (await itemsIn(store)).remove(2)
    await (await itemsIn(fork)).create({ name: 'new' })

    expect((await fork.opened()).map(({ name }) => name)).toEqual(['items'])
    expect((await (await itemsIn(store)).page({})).records).toEqual([
      { id: 1, name: 'source', color: 'red' },
      { id: 3, name: 'n3', color: 'blue' },
    ])
    expect((await (await itemsIn(fork)).page({})).records).toEqual([
      { id: 1, name: 'fork', color: 'red' },
      { id: 2, name: 'n2', color: 'green' },
      { id: 3, name: 'n3', color: 'blue' },
      { id: 4, name: 'new' },
    ])
  })

  it('shares the records that neither changed', async () => {
    const source = await recordsOf(items(3))
    const fork = source.fork()

    await fork.update(1, (record) => ({ ...record, name: 'fork' }))

    expect(fork.get(2)).toBe(source.get(2))
  })

  it.each<[name: string, schema: Schema]>([
    ['counted', { type: 'integer' }],
    ['UUIDs', { type: 'string', format: 'uuid' }],
  ])('makes ids that are %s from where the source was, on its own', async (_name, schema) => {
    const source = await recordsOf(items(3), schema)
    const fork = source.fork()
    const twin = source.fork()

    const first = await source.create({ name: 'first' })
    const second = await source.create({ name: 'second' })

    expect(await fork.create({ name: 'mine' })).toMatchObject({ id: first.id })
    expect(await fork.fork().create({ name: 'mine' })).toMatchObject({ id: second.id })
    expect(await twin.create({ name: 'mine' })).toMatchObject({ id: first.id })
  })

  it('refuses what its source refuses, and can still be changed', async () => {
    const fork = (await recordsOf(items(2))).fork()

    await expect(fork.create({ id: 2, name: 'twin' })).rejects.toThrow(InvalidRecordError)
    await expect(fork.create({ name: '' })).rejects.toThrow(InvalidRecordError)
    await expect(fork.update(1, () => ({ name: '' }))).rejects.toThrow(InvalidRecordError)

    expect((await fork.page({})).records).toEqual([
      { id: 1, name: 'n1', color: 'red' },
      { id: 2, name: 'n2', color: 'green' },
    ])
  })

  it('loses nothing of updates that run at the same time', async () => {
    const fork = (await recordsOf([{ name: 'n', tags: [] }])).fork()
    const tags = Array.from({ length: 20 }, (_, at) => `t${at}`)

    await Promise.all(
      tags.map((tag) =>
        fork.update(1, (record) => ({ ...record, tags: [...[record.tags].flat(), tag] })),
      ),
    )

    expect(fork.get(1)).toEqual({ id: 1, name: 'n', tags })
    expect(await idsIn(fork, { where: { tags: 't7' } })).toEqual([1])
  })

  it('can be used to restore a store without a write', async () => {
    const source = await recordsOf(items(3))

    expect(source.fork().snapshot()).toEqual(source.snapshot())
  })
})

/** Lets as many promises resolve, one after the other. */
async function pass(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await undefined
}

describe('a fork that is made during a write', () => {
  const moments = Array.from({ length: 150 }, (_, turns) => turns)

  it('has a created record with its id, or neither', async () => {
    const sizes = new Set<number>()
    for (const turns of moments) {
      const source = await recordsOf(items(2))
      const writing = source.create({ name: 'n', color: 'red' })
      await pass(turns)

      const fork = source.fork()
      sizes.add(await fork.count())

      expect(await fork.create({ name: 'next' })).toMatchObject({ id: (await idsIn(fork)).length })
      expect(await idsIn(fork, { where: { color: 'red' } })).toEqual(
        (await fork.get(3))?.color ? [1, 3] : [1],
      )
      await writing
    }
    expect([...sizes]).toEqual([2, 3])
  })

  it('has an update completely or not at all', async () => {
    const colors = new Set<unknown>()
    for (const turns of moments) {
      const source = await recordsOf([{ name: 'n', color: 'red' }])
      const writing = source.update(1, (record) => ({ ...record, color: 'blue' }))
      await pass(turns)

      const fork = source.fork()
      const color = (await fork.get(1))?.color
      colors.add(color)
      await writing

      expect(await idsIn(fork)).toEqual([1])
      expect(await idsIn(fork, { where: { color: 'red' } })).toEqual(color === 'red' ? [1] : [])
      expect(await idsIn(fork, { where: { color: 'blue' } })).toEqual(color === 'blue' ? [1] : [])
    }
    expect([...colors]).toEqual(['red', 'blue'])
  })

  it('has none or all of the records that are being restored', async () => {
    const sizes = new Set<number>()
    for (const turns of moments.map((one) => one * 4)) {
      const source = await recordsOf([])
      const writing = source.restore({ rows: items(10) })
      await pass(turns)

      sizes.add(await source.fork().count())
      await writing
    }
    expect([...sizes]).toEqual([0, 10])
  })
})

/** Records, and a plain list that should always be the same. */
interface Member {
  readonly records: Records
  plain: readonly StoredRecord[]
  last: number
}

function expected(
  { plain }: Member,
  { where = {}, after = 0 }: PageQuery,
): readonly StoredRecord[] {
  const conditions = Object.entries(where)
  const holds = (own: unknown, value: unknown): boolean =>
    Array.isArray(own) ? own.includes(value) : own === value
  const found = plain.filter((record) =>
    conditions.every(([name, value]) => holds(record[name], value)),
  )

  return found
    .filter(({ id }) => Number(id) > Number(after))
    .sort((one, other) => Number(one.id) - Number(other.id))
}

/** As `toEqual`, which is slow for thousands of records and is needed only to show the difference. */
function expectSame(actual: unknown, wanted: unknown): void {
  if (!isDeepStrictEqual(actual, wanted)) expect(actual).toEqual(wanted)
}

/** Seeds, and numbers of first records. `npm run fuzz` grows a tree for each. A chunk of records is split at 1,024. */
const TREES = isLongRun
  ? [
      [1, 20],
      [2, 1024],
      [3, 1500],
    ]
  : [[2, 1024]]

describe('thousands of writes to a tree of forks', () => {
  const wheres: StoredRecord[] = [
    {},
    ...COLORS.map((color) => ({ color })),
    { tags: 'a' },
    { name: 'n7' },
  ]

  it.each(TREES)(
    'never appear in another fork, with seed %i and %i first records',
    async (seed, length) => {
      const random = new Random(seed)
      const below = (limit: number): number => Math.floor(random.next() * limit)
      const anyRow = (): StoredRecord => ({
        name: `n${below(50)}`,
        ...(below(4) > 0 && { color: COLORS[below(3)] }),
        ...(below(3) === 0 && { tags: ['a', 'b', 'c'].slice(below(3)) }),
      })
      // With gaps in between, so that chunks are cut in the middle too.
      const first = Array.from({ length }, (_, at) => ({ id: 3 * at + 1, ...anyRow() }))
      const root: Member = { records: await recordsOf(first), plain: first, last: 3 * length - 2 }
      const members = [root]
      const anyId = (member: Member): Id => 1 + below(member.last + 3)

      const create = async (member: Member): Promise<void> => {
        const id = below(2) === 0 ? undefined : Number(anyId(member))
        const record = { ...anyRow(), ...(id !== undefined && { id }) }
        const isTaken = member.plain.some((one) => one.id === id)
        const made = await member.records.create(record).catch(() => undefined)
        expect(made).toEqual(isTaken ? undefined : { ...record, id: id ?? member.last + 1 })
        if (!made) return
        member.last = Math.max(member.last, Number(made.id))
        member.plain = [...member.plain, made]
      }
      const deeds: ((member: Member) => Promise<void>)[] = [
        create,
        create,
        async (member) => {
          for (let count = 0; count < 40; count += 1) await create(member)
        },
        async (member) => {
          const [id, record] = [anyId(member), anyRow()]
          const isThere = member.plain.some((one) => one.id === id)
          const made = await member.records.update(id, () => record)
          expect(made).toEqual(isThere ? { ...record, id } : undefined)
          member.plain = member.plain.map((one) => (one.id === id ? { ...record, id } : one))
        },
        async (member) => {
          const id = anyId(member)
          const rest = member.plain.filter((one) => one.id !== id)
          expect(await member.records.remove(id)).toBe(rest.length < member.plain.length)
          member.plain = rest
        },
        async (member) => {
          const query = { where: wheres[below(wheres.length)] ?? {}, after: anyId(member) }
          const list = expected(member, query)
          const limit = 1 + below(12)
          const next = list.length > limit ? { next: list[limit - 1]?.id } : {}
          const page = await member.records.page({ ...query, limit })
          expectSame(page, { records: list.slice(0, limit), ...next })
        },
      ]
      const expectAll = async (): Promise<void> => {
        for (const member of members) {
          expect(await member.records.count()).toBe(member.plain.length)
          for (const where of wheres) {
            expectSame(await idsIn(member.records, { where }), idsOf(expected(member, { where })))
          }
        }
      }

      for (let step = 0; step < 1500; step += 1) {
        const member = members[below(members.length)] ?? root
        if (step % 100 === 50) {
          members.push({ ...member, records: member.records.fork() })
        } else {
          await deeds[below(deeds.length)]?.(member)
        }
        if (step % 250 === 0) await expectAll()
      }

      await expectAll()
      for (const member of members) {
        expectSame((await member.records.page({})).records, expected(member, {}))
      }
    },
  )
})
