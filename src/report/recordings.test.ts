import { expect, it } from 'vitest'
import { contract } from '../generated/contract.ts'
import {
  createEntry,
  createFrozenSandbox,
  entriesOf,
  reportOn,
  sendRequest,
} from '../testing/report-inputs.ts'
import { mergeRecordings } from './recordings.ts'
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

async function afterRequests(
  requests: number,
  journal: number,
): Promise<ReturnType<typeof createFrozenSandbox>> {
  const sandbox = createFrozenSandbox({ journal })
  for (let request = 1; request <= requests; request += 1)
    await sendRequest(sandbox, '/pets?limit=1')
  return sandbox
}

it('a report on a full journal has a notice', async () => {
  const { notices, requests } = reportOn(await afterRequests(5, 3))

  expect(notices).toEqual(['Only the last 3 of 5 requests are recorded. The journal is full.'])
  expect(requests).toBe(3)
})

it('a report on a part of a journal has a notice', async () => {
  const [first, , last] = entriesOf(await afterRequests(3, 3))

  const { notices } = report([[first, last].filter((one) => one !== undefined)], contract)

  expect(notices).toEqual(['Only 2 of 3 requests are recorded.'])
})

it('a report on several recordings states which of them lack requests', async () => {
  const recordings = [entriesOf(await afterRequests(2, 9)), entriesOf(await afterRequests(3, 1))]

  const { notices } = report(recordings, contract)

  expect(notices).toEqual([
    'Only the last 1 of 3 requests of recording 2 are recorded. The journal is full.',
  ])
})

it('a report on a complete journal has no notice', async () => {
  expect(reportOn(await afterRequests(3, 3)).notices).toEqual([])
})

it('a report on a sandbox without a journal has a notice', async () => {
  const { notices } = await (await afterRequests(2, 0)).report()

  expect(notices).toEqual(['The journal is switched off (journal: 0).'])
})
