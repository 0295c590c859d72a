import { describe, expect, test } from 'vitest'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { Lanes, runInLanes } from './lanes.ts'
import { selectOperations } from './operation-selection.ts'
import { createTestPlan } from './test-plan.ts'

const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }
const json = (schema: object): object => ({ content: { 'application/json': { schema } } })

/** The list, creation and reading of a collection with these properties. */
function collection(name: string, properties: object = {}): object {
  const schema = { type: 'object', properties: { id: { type: 'integer' }, ...properties } }
  const answer = { description: 'An answer.', ...json(schema) }
  return {
    [`/${name}`]: {
      get: {
        operationId: `list ${name}`,
        responses: { 200: { description: 'All.', ...json({ type: 'array', items: schema }) } },
      },
      post: {
        operationId: `create ${name}`,
        requestBody: json(schema),
        responses: { 201: answer },
      },
    },
    [`/${name}/{id}`]: {
      parameters: [id],
      get: { operationId: `get ${name}`, responses: { 200: answer } },
    },
  }
}

async function lanesOf(paths: object): Promise<(path: string) => string> {
  const contract = await loadDocumentOf(paths)
  const { probes } = createTestPlan({ contract }, selectOperations(contract, [], []))
  const lanes = new Lanes(contract, probes)
  return (path) => lanes.ofRecord(['', ...path.split('/').slice(1)])
}

describe('what is sent at the same time', () => {
  test('is about collections that have nothing to do with each other', async () => {
    const laneOf = await lanesOf({
      ...collection('books'),
      ...collection('members'),
      ...collection('loans', { bookId: { type: 'integer' } }),
    })

    expect(laneOf('/books/1')).toBe(laneOf('/loans/1'))
    expect(laneOf('/members/1')).not.toBe(laneOf('/books/1'))
  })

  test('is not about records below one parent', async () => {
    const laneOf = await lanesOf({
      ...collection('shelves'),
      ...collection('shelves/{shelf}/books'),
    })

    expect(laneOf('/shelves/1/books/2')).toBe(laneOf('/shelves/1'))
  })

  test('keeps the order of each lane, and stays within the limit', async () => {
    const done: string[] = []
    let running = 0
    let most = 0

    await runInLanes(
      ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'],
      ([lane = '']) => lane,
      () => (done.length === 0 ? 1 : 2),
      async (task) => {
        running += 1
        most = Math.max(most, running)
        await Promise.resolve()
        running -= 1
        done.push(task)
      },
    )

    expect(most).toBe(2)
    expect(done).toHaveLength(6)
    expect(done.filter((one) => one.startsWith('a'))).toEqual(['a1', 'a2', 'a3'])
  })

  test('ends with the first error', async () => {
    const fail = (): Promise<void> => Promise.reject(new Error('broken'))

    await expect(runInLanes([1, 2], String, () => 2, fail)).rejects.toThrow('broken')
  })
})
