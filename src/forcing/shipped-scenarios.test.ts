import { expect, it } from 'vitest'
import { createSandbox } from '../sandbox/sandbox.ts'
import { idsOf, linkOf, repeat, retryAfterOf } from '../testing/responses.ts'
import { toRequest } from '../testing/transports.ts'

type Ask = (path: string, key?: string) => Promise<Response>

async function play(
  scenario: string,
  seed = 1,
): Promise<{ sandbox: ReturnType<typeof createSandbox>; ask: Ask }> {
  const sandbox = createSandbox({ seed })
  await sandbox.play(scenario)
  const ask: Ask = (path, key = 'sk_sandbox_free') =>
    sandbox.fetch(toRequest('GET', `http://localhost/v1${path}`, { key }))
  return { sandbox, ask }
}

async function statusesOf(ask: Ask, count: number): Promise<number[]> {
  return repeat(count, async () => (await ask('/pets/1', 'sk_sandbox_enterprise')).status)
}

it('first-429-then-fine refuses the first request for one second, and then serves', async () => {
  const { ask } = await play('first-429-then-fine')

  const [first, second] = [await ask('/pets'), await ask('/pets')]

  expect([first.status, retryAfterOf(first), second.status]).toEqual([429, 1, 200])
})

it('flaky fails about one request in ten, the same ones with the same seed', async () => {
  const [one, same, other] = [
    await play('flaky', 5),
    await play('flaky', 5),
    await play('flaky', 6),
  ]

  const statuses = await statusesOf(one.ask, 400)

  const failed = statuses.filter((status) => status === 503).length
  expect(failed).toBeGreaterThan(20)
  expect(failed).toBeLessThan(65)
  expect(await statusesOf(same.ask, 400)).toEqual(statuses)
  expect(await statusesOf(other.ask, 400)).not.toEqual(statuses)
})

it('sunset-eve serves the operation until the clock has moved by one minute', async () => {
  const { ask, sandbox } = await play('sunset-eve')

  const before = await ask('/pets/1')
  sandbox.clock.advance('60s')
  const after = await ask('/pets/1')

  expect([before.status, before.headers.has('Sunset'), after.status]).toEqual([200, true, 404])
  expect(after.headers.get('X-Sandbox-Reason')).toBe('operation-removed')
})

it('full-store has ten thousand animals, each on exactly one page', async () => {
  const { ask } = await play('full-store')

  const ids: number[] = []
  let next: string | undefined = '/pets?limit=100'
  while (next) {
    const page = await ask(next, 'sk_sandbox_enterprise')
    ids.push(...(await idsOf(page)))
    next = linkOf(page, 'next')?.replace('http://localhost/v1', '')
  }

  expect([ids.length, new Set(ids).size]).toEqual([10_000, 10_000])
}, 20_000)

it('empty-store returns an empty list', async () => {
  const { ask } = await play('empty-store')

  expect(await idsOf(await ask('/pets'))).toEqual([])
})

it('outage-and-recovery serves three requests, fails five, and recovers', async () => {
  const { ask } = await play('outage-and-recovery')

  expect(await statusesOf(ask, 10)).toEqual([200, 200, 200, 503, 503, 503, 503, 503, 200, 200])
})

it('quota-nearly-spent leaves three requests of the day', async () => {
  const { ask, sandbox } = await play('quota-nearly-spent')
  sandbox.clock.set('2027-03-01T12:00:00Z')
  await sandbox.play('quota-nearly-spent')

  const responses = await repeat(4, () => ask('/pets'))

  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 429])
  expect(responses[3]?.headers.get('X-Sandbox-Reason')).toBe('day-quota')
})

it('banned-client is served after its ban ends, and other keys during the ban', async () => {
  const { ask, sandbox } = await play('banned-client')

  const banned = await ask('/pets')
  const other = await ask('/pets', 'sk_sandbox_pro')
  sandbox.clock.advanceToBanEnd('sk_sandbox_free')

  expect([banned.status, retryAfterOf(banned), other.status]).toEqual([429, 300, 200])
  expect((await ask('/pets')).status).toBe(200)
})

it('slow takes at least half a second', async () => {
  const { ask, sandbox } = await play('slow')

  await ask('/pets')

  expect(sandbox.journal.exchanges[0]?.milliseconds).toBeGreaterThan(490)
})

it('a reset after another scenario returns to the scenario that the sandbox started with', async () => {
  const sandbox = createSandbox({ scenario: 'empty-store' })
  await sandbox.play('banned-client')

  sandbox.reset()

  expect(await sandbox.collection('pets').count()).toBe(0)
  expect((await sandbox.snapshot()).state.bans).toEqual([])
})
