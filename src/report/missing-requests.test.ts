import { expect, it } from 'vitest'
import { contract } from '../generated/contract.ts'
import { createFrozenSandbox, entriesOf, reportOn, sendRequest } from '../testing/report-inputs.ts'
import { report } from './report.ts'

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
