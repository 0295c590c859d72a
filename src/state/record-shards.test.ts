import { afterEach, describe, expect, it, vi } from 'vitest'
import { RecordShards } from './record-shards.ts'
import type { StoredRecord } from './record-table.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

async function shardsOf(count: number): Promise<{ shards: RecordShards; records: StoredRecord[] }> {
  const shards = new RecordShards()
  const records: StoredRecord[] = []
  for (let id = 1; id <= count; id += 1) records.push(await shards.create({ id, tags: ['new'] }))
  return { shards, records }
}

describe('a record in shards', () => {
  it('can be deleted from the first shard and created again while the last one fills', async () => {
    const { shards, records } = await shardsOf(2500)
    const [, second = {}] = records

    shards.delete(second)
    const again = await shards.create({ id: 2, tags: ['again'] })
    shards.delete(again)

    expect(again).toEqual({ id: 2, tags: ['again'] })
  })

  it('keeps a property that is called __proto__', async () => {
    const { shards } = await shardsOf(1)
    const record = JSON.parse('{"id":1,"__proto__":{"x":1}}')

    const created = await shards.create(record)

    expect(JSON.stringify(created)).toBe('{"id":1,"__proto__":{"x":1}}')
  })

  it('is created and deleted where crypto.randomUUID is missing, as in pages without HTTPS', async () => {
    vi.stubGlobal('crypto', {})
    const { shards, records } = await shardsOf(1)
    const tags = ['old']

    const created = await shards.create({ id: 2, tags })
    tags.push('changed later')
    shards.delete(created)

    expect(records).toEqual([{ id: 1, tags: ['new'] }])
    expect(created).toEqual({ id: 2, tags: ['old'] })
  })
})
