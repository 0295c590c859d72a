import { expect, it } from 'vitest'
import type { ScenarioName } from '../generated/fixtures.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import { idsOf, linkOf, repeat, retryAfterOf } from '../testing/responses.ts'
import { toRequest } from '../testing/transports.ts'

type Send = (path: string, key?: string) => Promise<Response>

async function play(
  scenario: ScenarioName,
  seed = 1,
): Promise<{ sandbox: ReturnType<typeof createSandbox>; send: Send }> {
  const sandbox = createSandbox({ seed })
  await sandbox.play(scenario)
  const send: Send = (path, key = 'sk_sandbox_free') =>
    sandbox.fetch(toRequest('GET', `http://localhost/v1${path}`, { key }))
  return { sandbox, send }
}

async function statusesOf(send: Send, count: number): Promise<number[]> {
  return repeat(count, async () => (await send('/pets/1', 'sk_sandbox_enterprise')).status)
}

it('first-429-then-fine refuses the first request for one second, and then serves', async () => {
  const { send } = await play('first-429-then-fine')

  const [first, second] = [await send('/pets'), await send('/pets')]

  expect([first.status, retryAfterOf(first), second.status]).toEqual([429, 1, 200])
})

it('flaky fails about one request in ten, the same ones with the same seed', async () => {
  const [one, same, other] = [
    await play('flaky', 5),
    await play('flaky', 5),
    await play('flaky', 6),
  ]

  const statuses = await statusesOf(one.send, 400)

  const failed = statuses.filter((status) => status === 503).length
  expect(failed).toBeGreaterThan(20)
  expect(failed).toBeLessThan(65)
  expect(await statusesOf(same.send, 400)).toEqual(statuses)
  expect(await statusesOf(other.send, 400)).not.toEqual(statuses)
})

it('sunset-eve serves the operation until the clock has moved by one minute', async () => {
  const { send, sandbox } = await play('sunset-eve')

  const before = await send('/pets/1')
  sandbox.clock.advance('60s')
  const after = await send('/pets/1')

  expect([before.status, before.headers.has('Sunset'), after.status]).toEqual([200, true, 404])
  expect(after.headers.get('X-Sandbox-Reason')).toBe('operation-removed')
})

it('full-store has ten thousand animals, each on exactly one page', async () => {
  const { send } = await play('full-store')

  const ids: number[] = []
  let next: string | undefined = '/pets?limit=100'
  while (next) {
    const page = await send(next, 'sk_sandbox_enterprise')
    ids.push(...(await idsOf(page)))
    next = linkOf(page, 'next')?.replace('http://localhost/v1', '')
  }

  expect([ids.length, new Set(ids).size]).toEqual([10_000, 10_000])
}, 20_000)

it('empty-store returns an empty list', async () => {
  const { send } = await play('empty-store')

  expect(await idsOf(await send('/pets'))).toEqual([])
})

it('outage-and-recovery serves three requests, fails five, and recovers', async () => {
  const { send } = await play('outage-and-recovery')

  expect(await statusesOf(send, 10)).toEqual([200, 200, 200, 503, 503, 503, 503, 503, 200, 200])
})

it('quota-nearly-spent leaves three requests of the day', async () => {
  const { send, sandbox } = await play('quota-nearly-spent')
  sandbox.clock.set('2027-03-01T12:00:00Z')
  await sandbox.play('quota-nearly-spent')

  const responses = await repeat(4, () => send('/pets'))

  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 429])
  expect(responses[3]?.headers.get('X-Sandbox-Reason')).toBe('day-quota')
})

it('banned-client is served after its ban ends, and other keys during the ban', async () => {
  const { send, sandbox } = await play('banned-client')

  const banned = await send('/pets')
  const other = await send('/pets', 'sk_sandbox_pro')
  sandbox.clock.advanceToBanEnd('sk_sandbox_free')

  expect([banned.status, retryAfterOf(banned), other.status]).toEqual([429, 300, 200])
  expect((await send('/pets')).status).toBe(200)
})

it('slow takes at least half a second', async () => {
  const { send, sandbox } = await play('slow')

  await send('/pets')

  expect(sandbox.journal.exchanges[0]?.milliseconds).toBeGreaterThan(490)
})

it('a reset after another scenario returns to the scenario that the sandbox started with', async () => {
  const sandbox = createSandbox({ scenario: 'empty-store' })
  await sandbox.play('banned-client')

  sandbox.reset()

  expect(await sandbox.collection('pets').count()).toBe(0)
  expect((await sandbox.snapshot()).state.bans).toEqual([])
})
