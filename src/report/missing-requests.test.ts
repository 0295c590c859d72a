import { expect, it } from 'vitest'
import { contract } from '../generated/contract.ts'
import { createFrozenSandbox, entriesOf, reportOn, sendRequest } from '../testing/report-inputs.ts'
import { report } from './report.ts'

async function asked(
  requests: number,
  journal: number,
): Promise<ReturnType<typeof createFrozenSandbox>> {
  const sandbox = createFrozenSandbox({ journal })
  for (let request = 1; request <= requests; request += 1)
    await sendRequest(sandbox, '/pets?limit=1')
  return sandbox
}

it('a report on a journal that has lost its first exchanges says so', async () => {
  const { notices, requests } = reportOn(await asked(5, 3))

  expect(notices).toEqual(['Only the last 3 of 5 requests were seen: the journal keeps no more.'])
  expect(requests).toBe(3)
})

it('a report on a part of a journal says so', async () => {
  const [first, , last] = entriesOf(await asked(3, 3))

  const { notices } = report([[first, last].filter((one) => one !== undefined)], contract)

  expect(notices).toEqual(['Only 2 of 3 requests were seen: the others are not in what was read.'])
})

it('a report on several tells of which of them something is missing', async () => {
  const recordings = [entriesOf(await asked(2, 9)), entriesOf(await asked(3, 1))]

  const { notices } = report(recordings, contract)

  expect(notices).toEqual([
    'Only the last 1 of 3 requests of recording 2 were seen: the journal keeps no more.',
  ])
})

it('a report on a whole journal has nothing to notice', async () => {
  expect(reportOn(await asked(3, 3)).notices).toEqual([])
})

it('a sandbox that keeps no journal says so in its report', async () => {
  const { notices } = await (await asked(2, 0)).report()

  expect(notices).toEqual(['The journal keeps no exchanges.'])
})
