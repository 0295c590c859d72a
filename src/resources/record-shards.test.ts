import { afterEach, describe, expect, it, vi } from 'vitest'
import type { StoredRecord } from './record-index.ts'
import { RecordShards } from './record-shards.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

async function shardsOf(count: number): Promise<{ shards: RecordShards; records: StoredRecord[] }> {
  const shards = new RecordShards()
  const records: StoredRecord[] = []
  for (let id = 1; id <= count; id += 1)
    records.push(await shards.create(id, { id, tags: ['new'] }))
  return { shards, records }
}

describe('a record in shards', () => {
  it('can be replaced and deleted in the first shard while the last one fills', async () => {
    const { shards, records } = await shardsOf(2500)
    const [first = {}, second = {}] = records

    const replaced = await shards.replace(1, first, { id: 1, tags: [] })
    shards.delete(2, second)
    const again = await shards.create(2, { id: 2, tags: ['again'] })

    expect(replaced).toEqual({ id: 1, tags: [] })
    expect(again).toEqual({ id: 2, tags: ['again'] })
  })

  it('keeps a property that is called __proto__ when it is replaced', async () => {
    const { shards, records } = await shardsOf(1)
    const record = JSON.parse('{"id":1,"__proto__":{"x":1}}')

    const replaced = await shards.replace(1, records[0] ?? {}, record)

    expect(JSON.stringify(replaced)).toBe('{"id":1,"__proto__":{"x":1}}')
  })

  it('is created, replaced and deleted where crypto.randomUUID is missing, as in pages without HTTPS', async () => {
    vi.stubGlobal('crypto', {})
    const { shards, records } = await shardsOf(1)
    const tags = ['old']

    const replaced = await shards.replace(1, records[0] ?? {}, { id: 1, tags })
    tags.push('changed later')
    shards.delete(1, replaced)

    expect(records).toEqual([{ id: 1, tags: ['new'] }])
    expect(replaced).toEqual({ id: 1, tags: ['old'] })
  })
})
