import { describe, expect, it } from 'vitest'
import { type ReadCache, SharedReads } from './read-cache.ts'
import type { StoredRecords } from './stored-records.ts'

/** A store that notes what is asked, and fails so many times first. */
function countingStore(failures = 0): { asked: string[]; reads: SharedReads } {
  const asked: string[] = []
  const answer = async <Value>(question: string, value: Value): Promise<Value> => {
    asked.push(question)
    if (asked.length <= failures) throw new Error('The store is away')
    return value
  }
  const state = { ids: 3, orders: [] }
  const record = (id: number) => ({ id, version: '1', generation: 0, record: { id } })
  const stored: StoredRecords = {
    opened: () => answer('opened', ['pets@0']),
    state: () => answer('state', state),
    seenState: () => state,
    open: () => answer('open', undefined),
    get: (_, id) => answer(`get ${id}`, record(Number(id))),
    page: (_, { limit = 0 }) =>
      answer('page', {
        records: Array.from({ length: limit }, (_, at) => record(at)),
        hasMore: false,
      }),
    count: () => answer('count', 3),
    removed: () => answer('removed', []),
  }
  return { asked, reads: new SharedReads(stored) }
}

/** All questions of a request, by what the store is asked. */
const QUESTIONS: Readonly<Record<string, (cache: ReadCache) => unknown>> = {
  opened: (cache) => cache.opened(),
  'get 1': (cache) => cache.of('pets@0').get(1),
  page: (cache) => cache.of('pets@0').page({ limit: 2 }, []),
  count: (cache) => cache.of('pets@0').count({}, []),
  removed: (cache) => cache.of('pets@0').removed(),
  state: (cache) => cache.of('pets@0').state(),
}
const ALL = Object.keys(QUESTIONS)

async function readAll(reads: SharedReads, version: string): Promise<void> {
  for (const ask of Object.values(QUESTIONS)) await ask(reads.at(version).cache)
}

describe('the reads of several requests', () => {
  it('are asked once while the records have one version', async () => {
    const { asked, reads } = countingStore()

    await readAll(reads, '7')
    await readAll(reads, '7')

    expect(asked).toEqual(ALL)
  })

  it('are known at once when they were answered', async () => {
    const { reads } = countingStore()

    await readAll(reads, '7')

    const answers = Object.values(QUESTIONS).map((ask) => ask(reads.at('7').cache))
    expect(answers.filter((answer) => answer instanceof Promise)).toEqual([])
  })

  it('are asked again for another version', async () => {
    const { asked, reads } = countingStore()

    await readAll(reads, '7')
    await readAll(reads, '8')

    expect(asked).toEqual([...ALL, ...ALL])
  })

  it.each(Object.entries(QUESTIONS))(
    'are asked again after the store has failed: %s',
    async (name, ask) => {
      const { asked, reads } = countingStore(1)

      await expect(async () => ask(reads.at('7').cache)).rejects.toThrow('away')
      await ask(reads.at('7').cache)

      expect(asked).toEqual([name, name])
    },
  )

  it('are dropped when they are too many', async () => {
    const { asked, reads } = countingStore()

    await reads.at('7').cache.of('pets@0').page({ limit: 5000 }, [])
    await reads.at('7').cache.of('pets@0').page({ limit: 5000 }, [])

    expect(asked).toEqual(['page', 'page'])
  })
})
