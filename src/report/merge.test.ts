import { expect, it } from 'vitest'
import { contract } from '../generated/contract.ts'
import {
  createEntry,
  createFrozenSandbox,
  entriesOf,
  sendRequest,
} from '../testing/report-inputs.ts'
import { mergeRecordings } from './merge.ts'
import { report } from './report.ts'

it('recordings that overlap become one, with each entry once', async () => {
  const sandbox = createFrozenSandbox()
  for (let request = 1; request <= 4; request += 1) await sendRequest(sandbox, '/pets')
  const all = entriesOf(sandbox)

  const merged = mergeRecordings([all.slice(0, 3), all.slice(1), all])

  expect(merged).toEqual(all)
})

it('recordings of parallel jobs stay apart: the refusal of one is not news of the other', async () => {
  const [one, other] = [
    createFrozenSandbox({ plans: { free: { minute: 1, day: 9 } } }),
    createFrozenSandbox(),
  ]
  await sendRequest(one, '/pets')
  await sendRequest(one, '/pets')
  await sendRequest(other, '/pets?limit=3')

  const merged = report([entriesOf(one), entriesOf(other)], contract)

  expect(merged).toMatchObject({ requests: 3, recordings: 2, findings: [] })
  expect(merged.entries.map(({ id }) => id)).toEqual(['1:1', '1:2', '2:1'])
})

it('the same request twice at the same moment is two entries, in an archive without ids as well', () => {
  const twice = [createEntry({}), createEntry({})]

  expect(mergeRecordings([twice, twice])).toHaveLength(2)
})

it('what came first stands first, whatever ended first and wherever the clock was moved', () => {
  const slow = createEntry({ number: 3, follows: 0, time: 9000, target: '/slow' })
  const first = createEntry({ number: 1, follows: 0, time: 9001, target: '/first' })
  const later = createEntry({ number: 4, follows: 3, time: 10, target: '/later' })

  const merged = mergeRecordings([[first, slow, later]])

  expect(merged.map(({ target }) => target)).toEqual(['/slow', '/first', '/later'])
})

it('sandboxes that were asked the same at the same moment stay apart, if anything else differs', () => {
  const first = createEntry({ number: 1, follows: 0 })
  const one = [first, createEntry({ number: 2, follows: 1, target: '/one' })]
  const other = [first, createEntry({ number: 2, follows: 1, target: '/other' })]

  expect(mergeRecordings([one, other])).toHaveLength(4)
  expect(mergeRecordings([[{ ...first, world: 'a' }], [{ ...first, world: 'b' }]])).toHaveLength(2)
})
