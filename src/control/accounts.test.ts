import { describe, expect, test } from 'vitest'
import type { Sandbox, SandboxOptions } from '../index.ts'
import { type CallControl, openControl } from '../testing/control.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import type { JsonObject } from '../testing/responses.ts'

const FREE = 'sk_sandbox_free'
const NEXT_MINUTE = '2027-03-01T12:01:00.000Z'
const NEXT_DAY = '2027-03-02T00:00:00.000Z'
const SMALL = { free: { minute: 2, day: 100 } }

/** Sends requests to the API, and returns the statuses. */
async function send(sandbox: Sandbox, times: number, credential = FREE): Promise<number[]> {
  const statuses: number[] = []
  for (let sent = 0; sent < times; sent += 1) {
    const headers = { Authorization: `Bearer ${credential}` }
    const request = new Request('http://localhost/v1/pets', { headers })
    statuses.push((await sandbox.fetch(request)).status)
  }
  return statuses
}

/** What tests read of an account in the list. */
interface ListedAccount {
  readonly account: string
  readonly key: string
  readonly client: string
}

/** The account of a name in the list. */
async function accountOf(callControl: CallControl, name: string): Promise<unknown> {
  const { body } = await callControl<ListedAccount[]>('GET', '/accounts')
  return body.find(({ account }) => account === name)
}

/** A sandbox that accepts any credential. */
async function openToAll(options: SandboxOptions = {}): Promise<ReturnType<typeof openControl>> {
  const paths = { '/pets': { get: { responses: { '200': { description: 'All' } } } } }
  const securitySchemes = { token: { type: 'http', scheme: 'bearer' } }
  const contract = await loadDocumentOf(paths, {
    servers: [{ url: '/v1' }],
    components: { securitySchemes },
    security: [{ token: [] }],
  })
  const settings = { contract, auth: 'any', plans: SMALL, ...options } as const
  return openControl({}, settings)
}

describe('keys with the same last characters', () => {
  const KEYS = { 'alice-key-test': 'free', 'bobby-key-test': 'free' }

  test('are different clients in the journal, its archive, reports and the list of accounts', async () => {
    const { sandbox, callControl } = openControl({}, { keys: KEYS, plans: SMALL })
    const statuses = [
      await send(sandbox, 2, 'alice-key-test'),
      await send(sandbox, 2, 'bobby-key-test'),
      await send(sandbox, 1, 'alice-key-test'),
      await send(sandbox, 1, 'bobby-key-test'),
    ].flat()

    const journal = await callControl<{ exchanges: JsonObject[] }>('GET', '/journal')
    const archive = await callControl<{ log: { entries: JsonObject[] } }>('GET', '/journal/har')
    const report = await callControl<{ entries: JsonObject[]; conduct: JsonObject[] }>(
      'GET',
      '/report',
    )
    const accounts = await callControl<ListedAccount[]>('GET', '/accounts')

    expect(statuses).toEqual([200, 200, 200, 200, 429, 429])
    const [alice, bobby] = ['alice', 'bobby'].map(
      (name) => accounts.body.find(({ key }) => key === `${name}-key-test`)?.client,
    )
    const inOrder = [alice, alice, bobby, bobby, alice, bobby]
    expect(alice).not.toBe(bobby)
    expect(clientsIn(journal.body.exchanges, 'client')).toEqual(inOrder)
    expect(clientsIn(archive.body.log.entries, '_client')).toEqual(inOrder)
    expect(clientsIn(report.body.entries, 'client')).toEqual(inOrder)
    expect(report.body.conduct.map(({ key, requests }) => [key, requests])).toEqual([
      ['…test', 3],
      ['…test (2)', 3],
    ])
    for (const { body } of [journal, archive, report])
      expect(JSON.stringify(body)).not.toMatch(/(alice|bobby)-key/)
  })

  test('within their quotas violate no rule', async () => {
    const { sandbox, callControl } = openControl({}, { keys: KEYS, plans: SMALL })
    await send(sandbox, 3, 'alice-key-test')
    await send(sandbox, 2, 'bobby-key-test')

    const { body } = await callControl('GET', '/report')

    expect(body).toMatchObject({ verdict: 'passed', findings: [] })
  })

  test('are found by the complete key, and by the client of an exchange', async () => {
    const { sandbox, callControl } = openControl({}, { keys: KEYS })
    await send(sandbox, 1, 'alice-key-test')
    await send(sandbox, 2, 'bobby-key-test')
    const { body } = await callControl<{ exchanges: JsonObject[] }>(
      'GET',
      '/journal?limit=1&key=alice-key-test',
    )
    const client = body.exchanges[0]?.client

    const found = await Promise.all(
      ['bobby-key-test', client, '%E2%80%A6test'].map((key) =>
        callControl<{ exchanges: JsonObject[] }>('GET', `/journal?key=${key}`),
      ),
    )

    expect(found.map(({ body }) => body.exchanges.length)).toEqual([2, 1, 3])
  })
})

/** The ids of the clients of a list, in its order. */
function clientsIn(list: readonly Record<string, unknown>[], name: string): readonly unknown[] {
  return list.map((one) => one[name])
}

describe('the list of accounts', () => {
  test('has each key with the windows of its plan', async () => {
    const { sandbox, callControl } = openControl({}, { plans: SMALL })
    await send(sandbox, 1)

    expect(await accountOf(callControl, FREE)).toEqual({
      account: FREE,
      kind: 'key',
      client: expect.stringMatching(/^\w{13}$/),
      key: FREE,
      plan: { name: 'free', minute: 2, day: 100 },
      minute: { used: 1, limit: 2, remaining: 1, reset: NEXT_MINUTE },
      day: { used: 1, limit: 100, remaining: 99, reset: NEXT_DAY },
    })
  })

  test('follows the clock of the sandbox', async () => {
    const { sandbox, callControl } = openControl({}, { plans: SMALL })
    await send(sandbox, 2)
    await callControl('POST', '/clock', { body: { advance: '1m' } })

    expect(await accountOf(callControl, FREE)).toMatchObject({
      minute: { used: 0, remaining: 2, reset: '2027-03-01T12:02:00.000Z' },
      day: { used: 2, remaining: 98, reset: NEXT_DAY },
    })
  })

  test('has the present ban with its number', async () => {
    const { sandbox, callControl } = openControl({}, { plans: SMALL })
    await send(sandbox, 12)
    const first = await accountOf(callControl, FREE)
    await callControl('POST', '/clock', { body: { advance: '5m' } })
    const between = await accountOf(callControl, FREE)
    await send(sandbox, 12)

    expect(first).toMatchObject({ ban: { until: '2027-03-01T12:05:00.000Z', number: 1 } })
    expect(between).not.toHaveProperty('ban')
    expect(await accountOf(callControl, FREE)).toMatchObject({ ban: { number: 2 } })
  })

  test('has the spent windows and the ban of magic keys', async () => {
    const { callControl } = openControl()

    expect(await accountOf(callControl, 'sk_sandbox_rate_limited')).toMatchObject({
      always: 'rate-limited',
      minute: { remaining: 0 },
    })
    expect(await accountOf(callControl, 'sk_sandbox_banned')).toMatchObject({
      always: 'banned',
      ban: { until: '2027-03-01T12:05:00.000Z', number: 1 },
    })
  })

  test('has one account for all callers without a valid key, as soon as there are some', async () => {
    const { sandbox, callControl } = openControl()
    const before = await accountOf(callControl, '(anonymous)')
    await send(sandbox, 2, 'wrong')

    expect(before).toBeUndefined()
    expect(await accountOf(callControl, '(anonymous)')).toMatchObject({
      kind: 'anonymous',
      plan: { name: 'free' },
      minute: { used: 2 },
    })
  })

  test('masks credentials that are accepted without being keys', async () => {
    const { sandbox, callControl } = await openToAll()
    await send(sandbox, 1, 'secret-of-ada')
    await send(sandbox, 2, 'secret-of-bob')

    const { body } = await callControl<ListedAccount[]>('GET', '/accounts')

    expect(JSON.stringify(body)).not.toContain('secret')
    expect(body).toMatchObject([
      { kind: 'unlisted', key: '…-ada', minute: { used: 1 } },
      { kind: 'unlisted', key: '…-bob', minute: { used: 2 } },
    ])
    expect(body[0]?.account).toMatch(/^unlisted-\w{13}$/)
    expect(body[0]?.account).not.toBe(body[1]?.account)
  })

  test('has no windows when no quota applies', async () => {
    const { callControl } = openControl({}, { quota: false })

    expect(await accountOf(callControl, FREE)).not.toHaveProperty('minute')
  })

  test('does not have a key that was removed', async () => {
    const { sandbox, callControl } = openControl()
    await send(sandbox, 1)
    await callControl('DELETE', `/keys/${FREE}`)

    expect(await accountOf(callControl, FREE)).toBeUndefined()
  })
})

describe('the remaining requests of an account', () => {
  test.each([
    [{ minute: 0 }, { minute: 0, day: 99 }, [429]],
    [{ minute: 1 }, { minute: 1, day: 99 }, [200, 429]],
    [{ day: 0 }, { minute: 1, day: 0 }, [429]],
    [{ minute: 2, day: 1 }, { minute: 2, day: 1 }, [200, 429]],
  ])('can be set to %j', async (body, remaining, statuses) => {
    const { sandbox, callControl } = openControl({}, { plans: SMALL })
    await send(sandbox, 1)

    const response = await callControl('PUT', `/accounts/${FREE}/remaining`, { body })

    expect(response.status).toBe(200)
    expect(response.body).toMatchObject({
      account: FREE,
      minute: { remaining: remaining.minute },
      day: { remaining: remaining.day },
    })
    expect(await send(sandbox, statuses.length)).toEqual(statuses)
  })

  test('can be set for a masked credential, by its id or by itself', async () => {
    const { sandbox, callControl } = await openToAll()
    await send(sandbox, 1, 'secret-of-ada')
    const { body } = await callControl<ListedAccount[]>('GET', '/accounts')

    await callControl('PUT', `/accounts/${body[0]?.account}/remaining`, { body: { minute: 0 } })
    const refused = await send(sandbox, 1, 'secret-of-ada')
    await callControl('PUT', '/accounts/secret-of-ada/remaining', { body: { minute: 1 } })

    expect(refused).toEqual([429])
    expect(await send(sandbox, 2, 'secret-of-ada')).toEqual([200, 429])
  })

  test.each([
    ['more than the plan has', FREE, { minute: 3 }, 400, 'the plan allows 2 requests per minute'],
    ['less than 0', FREE, { day: -1 }, 400, 'body.day must be >= 0'],
    ['nothing', FREE, {}, 400, 'body must have one of minute, day'],
    ['a window that does not exist', FREE, { hour: 1 }, 400, 'hour'],
    ['a number for an unknown account', 'other', { minute: 1 }, 404, 'unknown account "other"'],
    ['a number for a magic key', 'sk_sandbox_rate_limited', { minute: 1 }, 400, 'is rate-limited'],
  ])('cannot be set to %s', async (_name, account, body, status, message) => {
    const { callControl } = openControl({}, { plans: SMALL })

    const response = await callControl('PUT', `/accounts/${account}/remaining`, { body })

    expect(response.status).toBe(status)
    expect(response.body.message).toContain(message)
  })

  test('cannot be set when no quota applies', async () => {
    const { callControl } = openControl({}, { quota: false })

    const { status, body } = await callControl('PUT', `/accounts/${FREE}/remaining`, {
      body: { minute: 0 },
    })

    expect(status).toBe(400)
    expect(body.reason).toBe('no quota applies to the account')
  })
})

describe('a ban', () => {
  test('ends when it is lifted, and the next one is longer', async () => {
    const { sandbox, callControl } = openControl({}, { plans: SMALL })
    await send(sandbox, 12)

    const { status } = await callControl('DELETE', `/accounts/${FREE}/ban`)
    const lifted = await accountOf(callControl, FREE)
    await callControl('POST', '/clock', { body: { advanceToReset: FREE } })
    const served = await send(sandbox, 1)
    await send(sandbox, 12)

    expect(status).toBe(204)
    expect(lifted).not.toHaveProperty('ban')
    expect(served).toEqual([200])
    expect(await accountOf(callControl, FREE)).toMatchObject({
      ban: { until: '2027-03-01T12:11:00.000Z', number: 2 },
    })
  })

  test('that does not exist can be lifted', async () => {
    const { callControl } = openControl()

    expect((await callControl('DELETE', `/accounts/${FREE}/ban`)).status).toBe(204)
  })

  test.each([
    ['other', 404, 'unknown account "other"'],
    ['sk_sandbox_banned', 400, 'this key is always banned'],
  ])('of %s cannot be lifted', async (account, status, reason) => {
    const { callControl } = openControl()

    const response = await callControl('DELETE', `/accounts/${account}/ban`)

    expect(response.status).toBe(status)
    expect(response.body.reason).toBe(reason)
  })
})

test('an exchange is found by its id', async () => {
  const { sandbox, callControl } = openControl({}, { journal: 2 })
  await send(sandbox, 3)

  expect((await callControl('GET', '/journal/3')).body).toMatchObject({
    id: 3,
    request: { url: 'http://localhost/v1/pets' },
    response: { headers: expect.anything() },
  })
  expect((await callControl('GET', '/journal/1')).body).toMatchObject({
    status: 404,
    message: 'There is no exchange 1. The full journal has dropped it.',
  })
  expect((await callControl('GET', '/journal/4')).body.message).toBe(
    'There is no exchange 4. The latest exchange is 3.',
  )
  expect((await callControl('GET', '/journal/x')).status).toBe(404)
})
