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

it('overlapping recordings become one recording, with each entry once', async () => {
  const sandbox = createFrozenSandbox()
  for (let request = 1; request <= 4; request += 1) await sendRequest(sandbox, '/pets')
  const all = entriesOf(sandbox)

  const merged = mergeRecordings([all.slice(0, 3), all.slice(1), all])

  expect(merged).toEqual(all)
})

it('recordings of parallel jobs stay separate: a 429 in one does not apply to the other', async () => {
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

it('two equal requests at the same time are two entries, also without ids', () => {
  const twice = [createEntry({}), createEntry({})]

  expect(mergeRecordings([twice, twice])).toHaveLength(2)
})

it('entries are sorted by arrival, even when the clock was set back', () => {
  const slow = createEntry({ number: 3, follows: 0, time: 9000, target: '/slow' })
  const first = createEntry({ number: 1, follows: 0, time: 9001, target: '/first' })
  const later = createEntry({ number: 4, follows: 3, time: 10, target: '/later' })

  const merged = mergeRecordings([[first, slow, later]])

  expect(merged.map(({ target }) => target)).toEqual(['/slow', '/first', '/later'])
})

it('recordings that share an entry by chance stay separate when other entries differ', () => {
  const first = createEntry({ number: 1, follows: 0 })
  const one = [first, createEntry({ number: 2, follows: 1, target: '/one' })]
  const other = [first, createEntry({ number: 2, follows: 1, target: '/other' })]

  expect(mergeRecordings([one, other])).toHaveLength(4)
  expect(mergeRecordings([[{ ...first, world: 'a' }], [{ ...first, world: 'b' }]])).toHaveLength(2)
})
