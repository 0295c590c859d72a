import { expect, test } from 'vitest'
import { DEPOTS } from '../../testing/depots-document.ts'
import { openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

test('a count of the records that name another one is true, and changes with them', async () => {
  const { ask } = await openApi(DEPOTS)
  const countOf = async (id: unknown) => (await ask(`GET /depots/${id}`)).body.vehicle_count
  const vehicles = (await ask<{ readonly depot_id: number }[]>('GET /vehicles')).body
  const first = vehicles.filter(({ depot_id }) => depot_id === 1).length
  const { body: depot } = await ask('POST /depots', { name: 'North' })

  const created = await ask('POST /vehicles', { plate: 'A 1', depot_id: depot.id })
  const added = await countOf(depot.id)
  await ask(`PATCH /vehicles/${created.body.id}`, { depot_id: 1 })

  expect(depot.vehicle_count).toBe(0)
  expect(added).toBe(1)
  expect([await countOf(depot.id), await countOf(1)]).toEqual([0, first + 1])
})

test('a count of a list in the record is its length', async () => {
  const { ask } = await openApi(DEPOTS)
  type Club = { readonly id: number; readonly members: string[]; readonly member_count: number }

  const { body: club } = await ask<Club>('POST /clubs', { name: 'Chess', members: ['a', 'b'] })
  const { body: changed } = await ask<Club>(`PATCH /clubs/${club.id}`, { members: ['a'] })
  const { body: clubs } = await ask<Club[]>('GET /clubs')

  expect([club.member_count, changed.member_count]).toEqual([2, 1])
  for (const { members, member_count } of clubs) expect(member_count).toBe(members.length)
})

test('a count of the records beside it that show a record is true, also of those in a state', async () => {
  const [number, text] = [{ type: 'integer' }, { type: 'string' }] as const
  const state = { type: 'string', enum: ['open', 'closed'] } as const
  const milestone = objectOf({ id: number, number, title: text, open_issues: number })
  const issue = objectOf({ number, title: text, state, milestone })
  const path = { number }
  const { ask } = await openApi({
    'GET /repos/{repo}/milestones': { shown: listOf(milestone) },
    'POST /repos/{repo}/milestones': { sent: objectOf(['title']), shown: milestone, status: [201] },
    'GET /repos/{repo}/milestones/{number}': { shown: milestone, path },
    'GET /repos/{repo}/issues': { shown: listOf(issue) },
    'POST /repos/{repo}/issues': {
      ...{ sent: objectOf({ title: text, milestone: number }), shown: issue, status: [201] },
    },
    'PATCH /repos/{repo}/issues/{number}': { sent: objectOf({ state }), shown: issue, path },
    'GET /repos/{repo}/issues/{number}': { shown: issue, path },
  })
  const { body: created } = await ask('POST /repos/a/milestones', { title: 'One' })
  const open = async () => (await ask(`GET /repos/a/milestones/${created.number}`)).body.open_issues

  const { body: first } = await ask('POST /repos/a/issues', { milestone: created.number })
  await ask('POST /repos/a/issues', { milestone: created.number })
  const before = await open()
  await ask(`PATCH /repos/a/issues/${first.number}`, { state: 'closed' })

  expect([created.open_issues, before, await open()]).toEqual([0, 2, 1])
})
