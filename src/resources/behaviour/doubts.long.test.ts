import { expect, test } from 'vitest'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import { objectOf } from '../../testing/operation-on.ts'
import { bindingOf } from '../bind.ts'
import { doubtsOf } from './doubts.ts'

test('the operations of 5,000 paths are judged before the test times out', async () => {
  const thing = objectOf(['id', 'name'])
  const list = { type: 'array', items: thing }
  const content = { 'application/json': { schema: list } }
  const get = { responses: { 200: { description: '', content } } }
  const paths = Object.fromEntries(
    Array.from({ length: 5000 }, (_, at) => [`/group${at % 200}/things${at}`, { get }]),
  )
  const contract = await loadDocumentOf(paths)

  const doubts = contract.operations.flatMap((operation) =>
    doubtsOf(bindingOf(contract, operation), contract),
  )

  expect(contract.operations).toHaveLength(5000)
  expect(doubts).toEqual([])
})
