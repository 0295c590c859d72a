import { describe, expect, it } from 'vitest'
import { loadNotes, type SchemeName } from '../testing/security-document.ts'
import type { SandboxOptions } from './options.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

/** How a client sends a credential: its headers, or its query. */
type Sent = Readonly<Record<string, string>> | string

const MAGIC = 'sk_sandbox_rate_limited'

const FORMS: Readonly<Record<Exclude<SchemeName, 'certificate'>, (credential: string) => Sent>> = {
  token: (credential) => ({ Authorization: `Bearer ${credential}` }),
  password: (credential) => ({ Authorization: `Basic ${btoa(`${credential}:secret`)}` }),
  digest: (credential) => ({ Authorization: `Digest username="${credential}", nonce="1"` }),
  header: (credential) => ({ 'X-Api-Key': credential }),
  query: (credential) => `?api_key=${credential}`,
  cookie: (credential) => ({ Cookie: `theme=dark; sid=${credential}` }),
  raw: (credential) => ({ Authorization: credential }),
  oauth: (credential) => ({ Authorization: `Bearer ${credential}` }),
  connect: (credential) => ({ Authorization: `bearer ${credential}` }),
}

const CHALLENGES: Readonly<Record<keyof typeof FORMS, string>> = {
  token: 'Bearer realm="Notes"',
  password: 'Basic realm="Notes", charset="UTF-8"',
  digest: 'Digest realm="Notes", qop="auth", nonce="sandbox"',
  header: 'ApiKey realm="Notes", in="header", name="X-Api-Key"',
  query: 'ApiKey realm="Notes", in="query", name="api_key"',
  cookie: 'ApiKey realm="Notes", in="cookie", name="sid"',
  raw: 'ApiKey realm="Notes", in="header", name="Authorization"',
  oauth: 'Bearer realm="Notes"',
  connect: 'Bearer realm="Notes"',
}

const names = Object.keys(FORMS) as (keyof typeof FORMS)[]

async function open(
  schemes: readonly SchemeName[],
  security: Parameters<typeof loadNotes>[1],
  options: SandboxOptions = {},
): Promise<Sandbox> {
  const sandbox = createSandbox({ contract: await loadNotes(schemes, security), ...options })
  sandbox.clock.freeze()
  return sandbox
}

async function send(sandbox: Sandbox, ...sent: readonly Sent[]): Promise<Response> {
  const query = sent.find((one) => typeof one === 'string') ?? ''
  const headers = Object.assign({}, ...sent.filter((one) => typeof one === 'object'))
  return await sandbox.fetch(new Request(`http://localhost/notes${query}`, { headers }))
}

describe.each(names)('a document with the security scheme "%s"', (name) => {
  const form = FORMS[name]

  it('accepts any credential in that form, a hundred times, without quota headers', async () => {
    const sandbox = await open([name], [{ [name]: [] }])

    for (let request = 0; request < 100; request += 1) {
      const response = await send(sandbox, form('my-credential'))
      expect(response.status).toBe(200)
      expect(response.headers.get('X-RateLimit-Limit')).toBeNull()
    }
    const [exchange] = sandbox.journal.exchanges
    expect(exchange).toMatchObject({ caller: 'valid', key: '…tial', notes: [] })
    expect(exchange).not.toHaveProperty('plan')
    expect(exchange).not.toHaveProperty('quota')
    expect(JSON.stringify([exchange, exchange?.request])).not.toContain('my-credential')
  })

  it('answers 401 with a challenge when the credential is missing', async () => {
    const sandbox = await open([name], [{ [name]: [] }])

    const response = await send(sandbox)

    expect(response.status).toBe(401)
    expect(response.headers.get('WWW-Authenticate')).toBe(CHALLENGES[name])
    expect(await response.json()).toMatchObject({
      code: 'unauthorized',
      message: expect.stringMatching(/^A credential is missing\. Send one in the /),
    })
    expect(sandbox.journal.exchanges[0]).toMatchObject({ caller: 'missing' })
  })

  it('gives each credential a quota of its own once there is a plan', async () => {
    const sandbox = await open([name], [{ [name]: [] }])

    sandbox.setPlan('tiny', { minute: 1, day: 10 })

    expect((await send(sandbox, form('one-user'))).status).toBe(200)
    const spent = await send(sandbox, form('one-user'))
    expect(spent.status).toBe(429)
    expect(spent.headers.get('X-RateLimit-Limit')).toBe('1')
    expect((await send(sandbox, form('two-user'))).status).toBe(200)
  })

  it('has magic keys, whose 429 has quota headers without a plan', async () => {
    const sandbox = await open([name], [{ [name]: [] }])

    const response = await send(sandbox, form(MAGIC))
    const banned = await send(sandbox, form('sk_sandbox_banned'))

    expect(response.status).toBe(429)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'retry-after': expect.stringMatching(/^\d+$/),
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '0',
    })
    expect(await banned.json()).toMatchObject({ code: 'api_key_banned' })
  })

  it('accepts only the keys of the sandbox with auth: keys', async () => {
    const sandbox = await open([name], [{ [name]: [] }], {
      auth: 'keys',
      plans: { small: { minute: 5, day: 10 } },
      keys: { my_key: 'small' },
    })

    expect((await send(sandbox, form('my_key'))).status).toBe(200)
    expect((await send(sandbox, form('other'))).status).toBe(401)
    expect((await send(sandbox, form(MAGIC))).status).toBe(429)
    expect((await send(sandbox)).status).toBe(401)
  })
})

it('a key of the sandbox may be the password of basic credentials', async () => {
  const sandbox = await open(['password'], [{ password: [] }], {
    auth: 'keys',
    plans: { free: { minute: 5, day: 9 } },
    keys: { my_key: 'free' },
  })
  const credentials = (text: string): Sent => ({ Authorization: `Basic ${btoa(text)}` })

  expect((await send(sandbox, credentials('me:my_key'))).status).toBe(200)
  expect((await send(sandbox, credentials('my_key:'))).status).toBe(200)
  expect((await send(sandbox, credentials('me:other'))).status).toBe(401)
})

describe('the credentials that a document requires', () => {
  it('are all that one requirement names', async () => {
    const sandbox = await open(['header', 'token'], [{ header: [], token: [] }])

    const partial = await send(sandbox, FORMS.header('app'))

    expect(partial.status).toBe(401)
    expect(partial.headers.get('WWW-Authenticate')).toBe(
      `${CHALLENGES.header}, ${CHALLENGES.token}`,
    )
    expect(await partial.json()).toMatchObject({
      message:
        'A credential is missing. Send one in the header "X-Api-Key: <API_KEY>" and one in the header "Authorization: Bearer <API_KEY>".',
    })
    expect(sandbox.journal.exchanges[0]?.caller).toBe('missing')
    expect((await send(sandbox, FORMS.header('app'), FORMS.token('user'))).status).toBe(200)
  })

  it('are those of any one of several requirements', async () => {
    const sandbox = await open(['query', 'password'], [{ query: [] }, { password: [] }])

    expect((await send(sandbox)).status).toBe(401)
    expect((await send(sandbox, FORMS.query('a'))).status).toBe(200)
    expect((await send(sandbox, FORMS.password('a'))).status).toBe(200)
  })

  it('are optional with an empty requirement', async () => {
    const sandbox = await open(['token'], [{ token: [] }, {}])

    expect((await send(sandbox)).status).toBe(200)
    expect((await send(sandbox, FORMS.token('a'))).status).toBe(200)
  })

  it('do not include a client certificate, which the sandbox cannot see', async () => {
    const sandbox = await open(['certificate', 'token'], [{ certificate: [], token: [] }])

    expect((await send(sandbox)).status).toBe(401)
    expect((await send(sandbox, FORMS.token('a'))).status).toBe(200)
  })

  it('are none with auth: off', async () => {
    const sandbox = await open(['token'], [{ token: [] }], { auth: 'off' })

    expect((await send(sandbox)).status).toBe(200)
  })
})

describe('a document without security', () => {
  it('has one account for all callers, on the first plan', async () => {
    const sandbox = await open([], undefined)

    expect((await send(sandbox)).headers.get('X-RateLimit-Limit')).toBeNull()
    sandbox.setPlan('tiny', { minute: 1, day: 10 })

    expect((await send(sandbox, FORMS.token('one'))).status).toBe(200)
    expect((await send(sandbox, FORMS.token('two'))).status).toBe(429)
    expect(sandbox.journal.exchanges[0]).toMatchObject({ caller: 'valid' })
  })

  it('has no quota to wait for', async () => {
    const sandbox = await open([], undefined)

    expect(() => sandbox.clock.advanceToReset('any')).toThrow(
      'the sandbox has no plans, so there is no quota. Add a plan, such as free=60/1000.',
    )
  })

  it('sends the quota headers that it declares, which never fall without a plan', async () => {
    const headers = { 'X-RateLimit-Remaining': { schema: { type: 'integer' } } }
    const sandbox = createSandbox({ contract: await loadNotes([], undefined, {}, headers) })

    const first = await send(sandbox)
    const second = await send(sandbox)

    expect(first.headers.get('X-RateLimit-Remaining')).toBe('1000000')
    expect(second.headers.get('X-RateLimit-Remaining')).toBe('1000000')
    const { exchanges } = sandbox.journal
    expect(exchanges[1]).not.toHaveProperty('quota')
    expect(Object.fromEntries(exchanges[1]?.response.headers ?? [])).toMatchObject({
      'X-RateLimit-Limit': '1000000',
    })
  })
})

describe('another document', () => {
  it('forces answers on the requests with a credential that nobody has configured', async () => {
    const rules = [{ key: 'one', status: 418 }]
    const scenarios = { teapot: { description: 'One gets a teapot.', rules } }
    const sandbox = await open(['token'], [{ token: [] }], { scenarios })
    const statuses = async (): Promise<readonly number[]> => [
      (await send(sandbox, FORMS.token('one'))).status,
      (await send(sandbox, FORMS.token('two'))).status,
    ]

    sandbox.force({ key: 'one', status: 503, times: 1 })

    expect(await statuses()).toEqual([503, 200])
    await sandbox.play('teapot')
    expect(await statuses()).toEqual([418, 200])
  })

  it('forces answers on the requests with a key, where only keys are valid', async () => {
    const sandbox = await open(['token'], [{ token: [] }], { auth: 'keys', keys: { one: {} } })

    expect(() => sandbox.force({ key: 'onee', status: 503 })).toThrow(
      'unknown API key "onee". Did you mean "one"?',
    )
  })

  it('bans nobody, unless it is configured', async () => {
    const plans = { tiny: { minute: 1, day: 100 } }
    const usual = await open(['token'], [{ token: [] }], { plans })
    const strict = await open(['token'], [{ token: [] }], { plans, ban: {} })

    const last = async (sandbox: Sandbox): Promise<unknown> => {
      for (let request = 0; request < 15; request += 1) await send(sandbox, FORMS.token('one'))
      return (await send(sandbox, FORMS.token('one'))).json()
    }

    expect(await last(usual)).toMatchObject({ code: 'rate_limit_exceeded' })
    expect(await last(strict)).toMatchObject({ code: 'api_key_banned' })
  })

  it('offers the scenarios that name nothing of the shipped document', async () => {
    const sandbox = await open(['token'], [{ token: [] }])

    expect(sandbox.scenarios.map(({ name }) => name)).toEqual([
      'first-429-then-fine',
      'flaky',
      'outage-and-recovery',
      'slow',
    ])
    await sandbox.play('first-429-then-fine')
    const refused = await send(sandbox, FORMS.token('one'))
    expect(refused.status).toBe(429)
    expect(refused.headers.get('Retry-After')).toBe('1')
    expect((await send(sandbox, FORMS.token('one'))).status).toBe(200)
  })

  it('accepts what its x-sandbox says', async () => {
    const contract = await loadNotes(['token'], [{ token: [] }], {
      'x-sandbox': {
        auth: 'keys',
        plans: { solo: { minute: 2, day: 3 } },
        keys: { sk_solo: { plan: 'solo' } },
      },
    })
    const sandbox = createSandbox({ contract })

    expect((await send(sandbox, FORMS.token('other'))).status).toBe(401)
    const response = await send(sandbox, FORMS.token('sk_solo'))
    expect(response.status).toBe(200)
    expect(response.headers.get('X-RateLimit-Limit')).toBe('2')
    expect((await send(createSandbox({ contract, auth: 'any' }), FORMS.token('x'))).status).toBe(
      200,
    )
  })

  it('can be restored from a snapshot without plans, also in a later process', async () => {
    const sandbox = await open(['token'], [{ token: [] }])
    const copy = await open(['token'], [{ token: [] }])

    await copy.restore(JSON.parse(JSON.stringify(await sandbox.snapshot())))

    expect(copy.plans).toEqual([])
    expect((await send(copy, FORMS.token('one'))).status).toBe(200)
    expect(JSON.stringify(await copy.journal.toHar())).not.toContain('_plan')
  })

  it('can be steered by a credential that is not a key', async () => {
    const sandbox = await open(['token'], [{ token: [] }], { plans: { p: { minute: 1, day: 9 } } })
    await send(sandbox, FORMS.token('one'))

    sandbox.clock.advanceToReset('one')

    expect((await send(sandbox, FORMS.token('one'))).status).toBe(200)
  })
})
