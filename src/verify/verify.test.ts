import { beforeAll, describe, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { loadContract } from '../document/load-contract.ts'
import { createSandbox, type Sandbox, type SandboxOptions } from '../index.ts'
import { changeResponse, isList, withHeaders, withJson } from '../testing/mutants/mutation.ts'
import { isObject } from '../validation/objects.ts'
import type { VerifyOptions } from './session/options.ts'
import type { CheckResult, Verification } from './verification.ts'
import { verify } from './verify.ts'

let contract: Contract

beforeAll(async () => {
  contract = await loadContract('openapi.yaml')
})

const KEY = 'sk_sandbox_free'

interface Ran {
  readonly verification: Verification
  readonly sandbox: Sandbox
  /** In milliseconds, in their order. */
  readonly waits: readonly number[]
}

/** Verifies a sandbox in process; its clock advances only while `verify` waits. */
async function run(options: VerifyOptions = {}, settings: SandboxOptions = {}): Promise<Ran> {
  const sandbox = createSandbox(settings)
  sandbox.clock.set('2027-03-01T12:00:10Z')
  const waits: number[] = []
  const verification = await verify('http://target.test/v1', contract, {
    key: KEY,
    decisions: true,
    fetch: (request) => sandbox.fetch(request),
    now: () => sandbox.clock.now(),
    sleep: async (length) => {
      waits.push(length)
      sandbox.clock.advance(length)
    },
    ...options,
  })
  return { verification, sandbox, waits }
}

function check({ checks }: Verification, id: string): CheckResult | undefined {
  return checks.find((one) => one.id === id)
}

function countOf({ checks }: Verification, reason: string): number {
  return checks.filter((one) => one.reason?.startsWith(reason)).length
}

describe('the budget', () => {
  test.each([1, 2, 5, 13, 30])('of %d requests is never exceeded', async (budget) => {
    const { verification, sandbox } = await run({
      budget,
      writes: true,
      exhaust: true,
    })

    expect(verification.requests).toBeLessThanOrEqual(budget)
    expect(sandbox.journal.exchanges.length).toBe(verification.requests)
    expect(countOf(verification, `the budget of ${budget} requests is used up`)).toBeGreaterThan(0)
  })

  test('is used for the most informative checks first: the list, the keys, the filter, one record', async () => {
    const { verification } = await run({ budget: 11 })

    const passed = verification.checks.filter(({ status }) => status === 'passed')
    expect(passed.map(({ id }) => id)).toEqual(
      expect.arrayContaining([
        'listPets/served',
        'listPets/limit/default',
        'listPets/no-key',
        'listPets/wrong-key',
        'listPets/wrong-scheme',
        'listPets/limit=100',
        'listPets/status=sold/fits',
        'listPets/status=sold/all',
        'getPet/listed',
        'getPet/removal',
        'getPet/absent=9007199254740991',
        'quota/falls',
        'quota/future',
        'listPets/401/body',
        'getPet/404/body',
      ]),
    )
  })

  test('by default is what all checks need, and what is left out has its kind', async () => {
    const { verification: whole } = await run({ writes: true, decisions: false })
    const { verification: part } = await run({ writes: true, decisions: false, budget: 20 })

    expect(whole.requests).toBeLessThanOrEqual(whole.budget)
    expect(countOf(whole, 'the budget')).toBe(0)
    const reasons = part.checks.flatMap(({ reason = '' }) => reason)
    expect(new Set(reasons)).toContain('the budget of 20 requests is used up: invalid bodies')
  })

  test('of 72 requests is sufficient for all checks that are not decisions, including writes', async () => {
    const { verification, waits } = await run({ writes: true, decisions: false })

    expect(verification.requests).toBeLessThanOrEqual(72)
    expect(countOf(verification, 'the budget of 72 requests is used up')).toBe(0)
    expect(waits).toEqual([])
  })
})

describe('the quota', () => {
  test('is used except for one tenth, which is left to other users of the key', async () => {
    const { verification, sandbox, waits } = await run(
      { writes: true, budget: 100, maxWait: '5m' },
      { plans: { free: { minute: 30, day: 1000 } } },
    )

    const left = sandbox.journal.exchanges
      .filter(({ caller }) => caller === 'valid')
      .map(({ quota }) => quota?.after.minute ?? 0)
    expect(Math.min(...left)).toBe(3)
    expect(waits.length).toBe(2)
    expect(verification.waited).toBe(waits.reduce((sum, one) => sum + one, 0))
    expect(verification.totals.failed).toBe(0)
  })

  test('is waited for no longer than maxWait in the whole run', async () => {
    const { verification, waits } = await run(
      { writes: true, budget: 100 },
      { plans: { free: { minute: 10, day: 1000 } } },
    )

    expect(waits.length).toBe(1)
    expect(verification.waited).toBeLessThanOrEqual(65_000)
    const reasons = verification.checks.map(({ reason = '' }) => reason)
    expect(reasons).toContain('the quota is used up, and --max-wait allows no longer wait')
    expect(verification.totals.failed).toBe(0)
  })

  test('is used up once, and only with exhaust', async () => {
    const { sandbox, waits } = await run({ exhaust: true })

    const refused = sandbox.journal.exchanges.filter(({ status }) => status === 429)
    expect(refused.length).toBe(1)
    expect(waits.length).toBe(1)
  })

  test('is not waited for when its reset is hours away', async () => {
    const { verification, waits } = await run(
      { writes: true },
      { plans: { free: { minute: 60, day: 20 } } },
    )

    expect(waits).toEqual([])
    expect(verification.totals.failed).toBe(0)
    expect(verification.totals.passed).toBeGreaterThan(20)
    const reasons = verification.checks.map(({ reason = '' }) => reason)
    expect(reasons).toContainEqual(
      expect.stringMatching(
        /^only 2 requests of the quota are left for the next \d+ s, longer than --max-wait allows$/,
      ),
    )
  })

  test('that others used up is waited for as long as Retry-After requests', async () => {
    const sandbox = createSandbox()
    sandbox.clock.set('2027-03-01T12:00:10Z')
    sandbox.force('rate-limited', { times: 1, retryAfter: 7 })
    const waits: number[] = []

    const { totals } = await verify('http://target.test/v1', contract, {
      key: KEY,
      fetch: (request) => sandbox.fetch(request),
      now: () => sandbox.clock.now(),
      sleep: async (length) => {
        waits.push(length)
        sandbox.clock.advance(length)
      },
    })

    expect(waits).toEqual([7000])
    expect(totals.failed).toBe(0)
    expect(totals.passed).toBeGreaterThan(60)
  })
})

describe('verify sends nothing that is not allowed:', () => {
  test('without writes, it sends only GET and HEAD', async () => {
    const { verification, sandbox } = await run()

    const methods = new Set(sandbox.journal.exchanges.map(({ method }) => method))
    expect([...methods].sort()).toEqual(['GET', 'HEAD'])
    expect(countOf(verification, 'can change records, needs --allow-writes')).toBeGreaterThan(30)
  })

  test('without decisions, it sends no probe that only checks decisions', async () => {
    const { verification } = await run({ decisions: false })

    expect(check(verification, 'listPets/head')).toMatchObject({
      status: 'left-out',
      reason: 'a decision that the document need not make (x-decision), needs --decisions',
    })
  })

  test('it does not change records that it did not create', async () => {
    const library = await loadContract('src/testing/library.yaml')
    const sandbox = createSandbox({ contract: library })
    await sandbox.ready
    const before = await sandbox.collection('books').list({ limit: 100 })

    await verify('http://target.test/api', library, {
      key: KEY,
      budget: 200,
      writes: true,
      fetch: (request) => sandbox.fetch(request),
      now: () => sandbox.clock.now(),
      sleep: async (length) => {
        sandbox.clock.advance(length)
      },
    })

    const after = await sandbox.collection('books').list({ limit: 1000 })
    expect(after).toEqual(expect.arrayContaining([...before]))
  })
})

describe('a check', () => {
  test('that failed shows what it expected, what the server returned, and a curl command', async () => {
    const sandbox = createSandbox()
    const broken = changeResponse(isList, (one) =>
      withJson(one, (rows: unknown[]) => [...rows, ...rows]),
    )

    const verification = await verify('http://target.test/v1/', contract, {
      key: KEY,
      fetch: (request) => broken(request, (one) => sandbox.fetch(one), sandbox),
    })

    expect(check(verification, 'listPets/limit/default')).toEqual({
      id: 'listPets/limit/default',
      name: 'listPets lists at most 20 records when limit is omitted',
      clause: 'OpenAPI, GET /pets',
      operation: 'listPets',
      status: 'failed',
      expected: 'at most 20',
      received: '40',
      exchange: {
        curl: `curl -i -H "Authorization: Bearer $PET_SANDBOX_KEY" 'http://target.test/v1/pets'`,
        request: { method: 'GET', url: 'http://target.test/v1/pets' },
        response: {
          status: 200,
          headers: expect.objectContaining({ 'x-ratelimit-limit': '60' }),
          body: expect.stringMatching(/^\[\{"id":1,/),
        },
      },
    })
  })

  test('never shows the key, even when the server returns it', async () => {
    const quoting = changeResponse(
      () => true,
      (one) => withHeaders(one, { 'X-Your-Key': KEY, 'X-RateLimit-Limit': KEY }),
    )
    const sandbox = createSandbox()

    const verification = await verify('http://target.test/v1', contract, {
      key: KEY,
      writes: true,
      twin: true,
      budget: 50,
      fetch: (request) => quoting(request, (one) => sandbox.fetch(one), sandbox),
    })

    expect(verification.totals.failed).toBeGreaterThan(0)
    expect(JSON.stringify(verification)).not.toContain(KEY)
  })

  test('does not hide a key of a few letters in other words', async () => {
    const sandbox = createSandbox({ keys: { e: 'free' } })
    const broken = changeResponse(isList, (one) =>
      withJson(one, (rows: unknown[]) => [...rows, ...rows]),
    )

    const verification = await verify('http://target.test/v1', contract, {
      key: 'e',
      fetch: (request) => broken(request, (one) => sandbox.fetch(one), sandbox),
    })

    expect(JSON.stringify(check(verification, 'listPets/limit/default'))).toContain('available')
  })

  test('has a unique id, a unique name, and a reference to OpenAPI or an RFC', async () => {
    const { verification } = await run({ writes: true, exhaust: true })

    const ids = verification.checks.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(verification.checks.every(({ clause }) => /^(OpenAPI|RFC \d+)/.test(clause))).toBe(true)
    const names = verification.checks.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })

  test('is selected by words of its id, name or clause', async () => {
    const { verification } = await run({ check: 'getpet 404' })

    expect(verification.checks.map(({ id }) => id)).toContain('getPet/404/body')
    expect(verification.checks.every(({ id }) => id.startsWith('getPet'))).toBe(true)
    expect(verification.requests).toBeLessThan(20)
  })
})

describe('words that no check has', () => {
  test('are rejected before any request', async () => {
    const asked: string[] = []
    const verification = verify('http://target.test/v1', contract, {
      key: KEY,
      check: 'listPets limt=101',
      fetch: async ({ url }) => {
        asked.push(url)
        return Response.error()
      },
    })

    await expect(verification).rejects.toThrow(
      'Cannot evaluate the checks "listPets limt=101": no check has these words.',
    )
    expect(asked).toEqual([])
  })
})

describe('ids of 64 bits', () => {
  test('are sent exactly as they are listed', async () => {
    const asked: string[] = []

    await verify('http://target.test/v1', contract, {
      key: KEY,
      fetch: async ({ url }) => {
        asked.push(url)
        const record = '{"id":1234567890123456789,"name":"Rex","categoryId":1}'
        return new Response(url.includes('/pets/') ? record : `[${record}]`, {
          headers: { 'Content-Type': 'application/json' },
        })
      },
    })

    expect(asked).toContain('http://target.test/v1/pets/1234567890123456789')
  })
})

describe('a write-only property, such as a password,', () => {
  const verifyAccounts = async (url: string, spoil: (answer: unknown) => unknown) => {
    const accounts = await loadContract('src/testing/accounts.yaml')
    const sandbox = createSandbox({ contract: accounts })
    return await verify(url, accounts, {
      key: KEY,
      writes: true,
      budget: 200,
      fetch: async (request) => {
        const response = await sandbox.fetch(request)
        if (request.method === 'HEAD') return response
        return Response.json(spoil(await response.json()), response)
      },
    })
  }

  test('is sent, and not expected in responses', async () => {
    const { checks } = await verifyAccounts('http://target.test/v1', (answer) => answer)

    expect(checks.filter(({ status }) => status === 'failed')).toEqual([])
    expect(checks.find(({ id }) => id === 'createUser/full/values')?.status).toBe('passed')
    expect(checks.find(({ id }) => id === 'putUser/values')?.status).toBe('passed')
  })

  test('does not excuse other missing properties', async () => {
    const { checks } = await verifyAccounts('http://target.test/v1', (answer) =>
      isObject(answer) ? { ...answer, name: 'another' } : answer,
    )

    expect(checks.find(({ id }) => id === 'createUser/full/values')?.status).toBe('failed')
    expect(checks.find(({ id }) => id === 'putUser/values')?.status).toBe('failed')
  })
})

describe('verify rejects', () => {
  test.each([
    [{ budget: 0 }, 'Cannot use the option budget: the value must be an integer ≥ 1 (got 0).'],
    [
      { timeout: '0s' },
      'Cannot use the option timeout: the value must be a duration from 1ms to 10m (got 0s). Write it as 10s.',
    ],
    [
      { timeout: '2h' },
      'Cannot use the option timeout: the value must be a duration from 1ms to 10m (got 2h). Write it as 10s.',
    ],
  ] as const)('the invalid options %o', async (options, message) => {
    await expect(verify('http://target.test', contract, options)).rejects.toThrow(message)
  })

  test.each(['target', 'ftp://target.test', 'http://target.test/v1?key=1', 'http://', '/v1'])(
    'the invalid address %s',
    async (target) => {
      await expect(verify(target, contract)).rejects.toThrow(
        `Cannot verify "${target}": it is not a base URL. Write it as https://api.example.com/v1.`,
      )
    },
  )
})
