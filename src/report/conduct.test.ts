import { describe, expect, it } from 'vitest'
import { contract } from '../generated/contract.ts'
import {
  createEntry,
  createFrozenSandbox,
  findingsOf,
  post,
  reportOn,
  sendRequest,
} from '../testing/report-inputs.ts'
import { report } from './report.ts'
import type { ReportEntry } from './report-entry.ts'

const PLANS = { plans: { free: { minute: 2, day: 100 } } }

function rulesOf(...entries: ReportEntry[]): string[] {
  return report([entries], contract).findings.map(({ rule }) => rule)
}

describe('a request before Retry-After has passed', () => {
  it('is a finding with its reference and its exchanges', async () => {
    const sandbox = createFrozenSandbox(PLANS)
    for (let request = 1; request <= 4; request += 1) await sendRequest(sandbox, '/pets')

    const findings = findingsOf(reportOn(sandbox), 'early-retry')

    expect(findings).toEqual([
      {
        rule: 'early-retry',
        severity: 'error',
        operation: 'listPets',
        key: '…free',
        message: '1 request did not wait for Retry-After. Shortest wait: 0 ms instead of 30 s.',
        clause: 'RFC 9110, section 10.2.3 (Retry-After)',
        entries: ['4'],
        count: 1,
        fails: true,
      },
    ])
  })

  it('is also found on another operation, because the quota applies to the key', async () => {
    const sandbox = createFrozenSandbox(PLANS)
    for (let request = 1; request <= 3; request += 1) await sendRequest(sandbox, '/pets')
    await sendRequest(sandbox, '/pets/1')

    expect(findingsOf(reportOn(sandbox), 'early-retry')).toMatchObject([{ operation: 'getPet' }])
  })

  it('is not found with another key', async () => {
    const sandbox = createFrozenSandbox(PLANS)
    for (let request = 1; request <= 3; request += 1) await sendRequest(sandbox, '/pets')
    await sendRequest(sandbox, '/pets', { key: 'sk_sandbox_pro' })

    expect(findingsOf(reportOn(sandbox), 'early-retry')).toEqual([])
  })

  it('is not found after the clock was advanced past Retry-After', async () => {
    const sandbox = createFrozenSandbox(PLANS)
    for (let request = 1; request <= 3; request += 1) await sendRequest(sandbox, '/pets')
    sandbox.clock.advance('30s')
    await sendRequest(sandbox, '/pets')

    expect(reportOn(sandbox).findings).toEqual([])
  })

  it('is found when the minute ends during the wait for a forced 429', async () => {
    const sandbox = createFrozenSandbox()
    sandbox.clock.set('2027-03-01T12:00:59.960Z')
    sandbox.force('rate-limited', { times: 1, retryAfter: 1 })
    await sendRequest(sandbox, '/pets')
    sandbox.clock.advance(60)
    await sendRequest(sandbox, '/pets')

    expect(findingsOf(reportOn(sandbox), 'early-retry')).toHaveLength(1)
  })

  it('is not found after the clock was set back', async () => {
    const sandbox = createFrozenSandbox(PLANS)
    for (let request = 1; request <= 3; request += 1) await sendRequest(sandbox, '/pets')
    sandbox.clock.advance('-1h')
    await sendRequest(sandbox, '/pets')

    expect(reportOn(sandbox).findings).toEqual([])
  })

  it('is not found for requests in flight when the 429 was sent, even on a frozen clock', async () => {
    const sandbox = createFrozenSandbox(PLANS)
    await Promise.all(Array.from({ length: 20 }, () => sendRequest(sandbox, '/pets')))

    expect(sandbox.journal.find({ status: 429 })).toHaveLength(18)
    expect(reportOn(sandbox).findings).toEqual([])
  })

  it('is not found on another operation when the 429 was forced', async () => {
    const sandbox = createFrozenSandbox()
    sandbox.force('rate-limited', { operation: 'listPets', times: 1 })
    await sendRequest(sandbox, '/pets')
    await sendRequest(sandbox, '/pets/1')

    expect(findingsOf(reportOn(sandbox), 'early-retry')).toEqual([])
  })

  it('is found by times in a recording of a real service', () => {
    const refused = createEntry({ status: 429, time: 1000, end: 1200, retryAt: 11_000 })

    expect(rulesOf(refused, createEntry({ time: 1100 }))).toEqual([])
    expect(rulesOf(refused, createEntry({ time: 1200 }))).toEqual(['early-retry'])
    expect(rulesOf(refused, createEntry({ time: 11_000 }))).toEqual([])
  })

  it('is not found for a client that waited until X-RateLimit-Reset', () => {
    const window = { limit: 2, remaining: 0, reset: 60_000 }
    const refused = createEntry({ status: 429, time: 1500, retryAt: 60_500, window })

    expect(rulesOf(refused, createEntry({ time: 60_000 }))).toEqual([])
  })

  it('is not found for a timer that fires a few milliseconds early', () => {
    const refused = createEntry({ status: 429, time: 1000, retryAt: 2000 })

    expect(rulesOf(refused, createEntry({ time: 1990 }))).toEqual([])
  })
})

describe('over a network', () => {
  /** Entries of requests that come on these connections at these times, each answered in half a millisecond. */
  function received(
    entries: readonly (Partial<ReportEntry> & { on: number; at: number; opened?: number })[],
  ): ReportEntry[] {
    return entries.map(({ on, at, opened, ...more }, index) =>
      createEntry({
        time: 1000 + at,
        end: 1000.5 + at,
        number: index + 1,
        follows: index,
        delivery: {
          received: 50_000 + at,
          connection: on,
          ...(opened !== undefined && { opened: 50_000 + opened }),
        },
        ...more,
      }),
    )
  }
  const refused = { status: 429, retryAt: 31_000 }

  it('a request soon after the 429 of another connection was perhaps sent before', () => {
    const burst = [1, 2, 3, 4, 5].map((on) => ({ on, at: on * 9, opened: 0, ...refused }))

    expect(rulesOf(...received(burst))).toEqual([])
  })

  it('a request on the connection of the 429 is a retry, however soon it comes', () => {
    const retry = received([
      { on: 1, at: 0, opened: 0, ...refused },
      { on: 1, at: 1 },
    ])

    expect(rulesOf(...retry)).toEqual(['early-retry'])
  })

  it('a request on a connection that was idle is a retry after 250 ms', () => {
    const retryAfter = (at: number) =>
      received([
        { on: 1, at: 0, opened: 0, ...refused },
        { on: 2, at, target: '/pets?limit=1' },
      ])

    expect(rulesOf(...retryAfter(240))).toEqual([])
    expect(rulesOf(...retryAfter(251))).toEqual(['early-retry'])
  })

  it('a request on a connection that was opened before the 429 is none, however late it comes', () => {
    const late = received([
      { on: 1, at: 0, opened: 0, ...refused },
      { on: 2, at: 400, opened: 0 },
    ])

    expect(rulesOf(...late)).toEqual([])
  })

  it('a request without a known connection is a retry after 250 ms', () => {
    const unknown = received([
      { on: 1, at: 0, ...refused },
      { on: 1, at: 50, target: '/pets?limit=1' },
      { on: 1, at: 260, target: '/pets?limit=2' },
    ]).map((entry) => ({ ...entry, delivery: { received: entry.delivery?.received ?? 0 } }))

    const { findings } = report([unknown], contract)

    expect(findings).toMatchObject([{ rule: 'early-retry', entries: ['3'] }])
  })

  it('is judged by the real time, whatever the clock of the sandbox says', () => {
    const frozen = received([
      { on: 1, at: 0, opened: 0, ...refused },
      { on: 2, at: 20, opened: 0, target: '/pets?limit=1' },
      { on: 3, at: 300, opened: 299 },
    ]).map((entry) => ({ ...entry, time: 1000, end: 1000.5 }))

    const { findings } = report([frozen], contract)

    expect(findings).toMatchObject([{ rule: 'early-retry', entries: ['3'] }])
  })

  it('a request for which one more connection was opened after the 429 is a retry', () => {
    const openedAt = (opened: number) =>
      received([
        { on: 1, at: 0, opened: 0, ...refused },
        { on: 2, at: 4, opened },
      ])

    expect(rulesOf(...openedAt(0.4))).toEqual([])
    expect(rulesOf(...openedAt(3))).toEqual(['early-retry'])
  })

  it('requests for which a connection each was opened after the response before are retries', () => {
    const loop = (opened: number) =>
      received([
        { on: 1, at: 0, opened: 0, ...refused },
        { on: 2, at: 4, opened: 3, ...refused },
        { on: 3, at: 8, opened, ...refused },
        { on: 4, at: 12, opened: 11, ...refused },
      ])

    expect(report([loop(7)], contract).findings[0]).toMatchObject({
      rule: 'early-retry',
      count: 3,
    })
    expect(rulesOf(...loop(4.2))).toEqual([])
  })

  it('the same request at once after its 429 is a warning: it was repeated, or sent twice', () => {
    const twice = received([
      { on: 2, at: -500, opened: -500, target: '/pets/1' },
      { on: 1, at: 0, opened: 0, ...refused },
      { on: 2, at: 3 },
    ])

    expect(report([twice], contract)).toMatchObject({
      verdict: 'passed',
      findings: [{ rule: 'repeated-at-once', severity: 'warning', entries: ['3'] }],
    })
  })
})

describe('requests during a ban', () => {
  it('are a finding of their own', async () => {
    const sandbox = createFrozenSandbox(PLANS)
    for (let request = 1; request <= 2 + 10 + 3; request += 1) await sendRequest(sandbox, '/pets')

    const report = reportOn(sandbox)

    expect(findingsOf(report, 'early-retry')).toMatchObject([{ count: 9 }])
    expect(findingsOf(report, 'during-ban')).toMatchObject([
      { count: 3, entries: ['13', '14', '15'], clause: 'RFC 9110, section 10.2.3 (Retry-After)' },
    ])
  })

  it('are not found when the client could not know of the ban', async () => {
    const sandbox = createFrozenSandbox()
    await sendRequest(sandbox, '/pets', { key: 'sk_sandbox_banned' })

    expect(reportOn(sandbox).findings).toEqual([])
  })
})

describe('back-off', () => {
  function retries(...waits: number[]): ReportEntry[] {
    let time = 0
    return [0, ...waits].map((wait) => {
      time += wait
      return createEntry({ status: 429, time, end: time, retryAt: time + 60_000 })
    })
  }

  it.each([[[1, 2, 1, 1]], [[1000, 1000, 1000, 1000]], [[4000, 2000, 1000, 500]]])(
    'is missing where the waits are %j',
    (waits) => {
      expect(rulesOf(...retries(...waits))).toEqual(['early-retry', 'no-back-off'])
    },
  )

  it.each([[[1000, 2000, 4000]], [[500, 400, 1500, 1200]]])(
    'is present where the waits are %j',
    (waits) => {
      expect(rulesOf(...retries(...waits))).toEqual(['early-retry'])
    },
  )

  it('is not required of a client that waits for Retry-After', () => {
    const entries = [0, 1000, 2000, 3000, 4000].map((time) =>
      createEntry({ status: 429, time, end: time, retryAt: time + 1000 }),
    )

    expect(rulesOf(...entries)).toEqual([])
  })
})

describe('jitter', () => {
  const targets = ['/pets', '/pets?limit=1', '/pets?limit=2']
  const refused = targets.map((target) =>
    createEntry({ target, status: 429, time: 0, retryAt: 1000 }),
  )

  it('is missing where several requests are retried at the same moment', () => {
    const herd = targets.map((target) => createEntry({ target, time: 1001 }))

    const { findings, verdict } = report([[...refused, ...herd]], contract)

    expect(findings).toMatchObject([{ rule: 'no-jitter', severity: 'note', count: 3 }])
    expect(verdict).toBe('passed')
  })

  it('is present where the retries come one after the other', () => {
    const spread = targets.map((target, at) => createEntry({ target, time: 1001 + at * 40 }))

    expect(rulesOf(...refused, ...spread)).toEqual([])
  })
})

describe('an outage', () => {
  it('with Retry-After requires the client to wait', async () => {
    const sandbox = createFrozenSandbox()
    sandbox.force('unavailable', { times: 2 })
    await sendRequest(sandbox, '/pets')
    await sendRequest(sandbox, '/pets')

    expect(findingsOf(reportOn(sandbox), 'retry-storm')).toMatchObject([{ entries: ['2'] }])
  })
})

describe('a report finds', () => {
  it('the use of a deprecated operation, with the date of its removal and its replacement', async () => {
    const sandbox = createFrozenSandbox()
    await sendRequest(sandbox, '/pets/1')
    await sendRequest(sandbox, '/pets/2')

    expect(findingsOf(reportOn(sandbox), 'deprecated')).toMatchObject([
      {
        operation: 'getPet',
        message:
          '2 requests were sent to the deprecated operation getPet (removal on 2030-12-05; use /pets?status=available instead).',
        clause: 'RFC 9745 (Deprecation header)',
        entries: ['1', '2'],
      },
    ])
  })

  it('unknown parameters and dropped properties, by name', async () => {
    const sandbox = createFrozenSandbox()
    await sendRequest(sandbox, '/pets?page=2')
    await sendRequest(sandbox, '/pets?page=3&sort=name')
    await sendRequest(sandbox, '/pets', post({ name: 'Rex', categoryId: 1, color: 'red' }))

    const all = reportOn(sandbox)

    expect(findingsOf(all, 'unknown-parameter')).toMatchObject([
      { message: expect.stringContaining('query.page (2 times), query.sort.'), count: 3 },
    ])
    expect(findingsOf(all, 'dropped-property')).toMatchObject([
      { operation: 'createPet', message: expect.stringContaining('body.color'), entries: ['3'] },
    ])
  })

  it('requests without a key, and with an invalid key', async () => {
    const sandbox = createFrozenSandbox()
    await sendRequest(sandbox, '/pets')
    await sendRequest(sandbox, '/pets', { key: null })
    await sendRequest(sandbox, '/pets', { key: 'not_a_key' })

    expect(findingsOf(reportOn(sandbox), 'unauthorized')).toMatchObject([
      { key: 'no key', message: '1 request was sent without an API key.' },
      { key: '…_key', message: '1 request was sent with an invalid API key.' },
    ])
  })

  it('a client that never has a valid key, which is an error', async () => {
    const sandbox = createFrozenSandbox()
    await sendRequest(sandbox, '/pets', { key: null })
    await sendRequest(sandbox, '/pets', { key: null })
    await sendRequest(sandbox, '/pets', { key: 'not_a_key' })

    const { findings, verdict } = reportOn(sandbox)

    expect(findings).toMatchObject([
      {
        rule: 'never-authorized',
        severity: 'error',
        key: 'no key',
        message: '2 requests were sent without an API key (2 times), and none with a valid one.',
      },
      { rule: 'never-authorized', key: '…_key', count: 1 },
    ])
    expect(verdict).toBe('failed')
  })

  it('an invalid request that is sent again unchanged', async () => {
    const sandbox = createFrozenSandbox()
    await sendRequest(sandbox, '/pets', post({ name: 'Rex' }))
    await sendRequest(sandbox, '/pets', post({ name: 'Max' }))
    await sendRequest(sandbox, '/pets', post({ name: 'Rex' }))

    expect(findingsOf(reportOn(sandbox), 'repeated-invalid')).toMatchObject([
      {
        message:
          '1 request was sent again unchanged, although the service had rejected it as invalid: body.categoryId is required.',
        entries: ['3'],
      },
    ])
  })

  it('a request for a path or a method that the document does not have, but not a preflight or a record that is not there', async () => {
    const sandbox = createFrozenSandbox()
    await sendRequest(sandbox, '/dogs/7?limit=2')
    await sendRequest(sandbox, '/pets', { method: 'PUT' })
    await sendRequest(sandbox, '/pets', { method: 'OPTIONS' })
    await sendRequest(sandbox, '/pets/9999')

    expect(findingsOf(reportOn(sandbox), 'unknown-operation')).toMatchObject([
      {
        message:
          '2 requests were sent to a path or with a method that the document does not have: GET /dogs/7?limit=2, PUT /pets.',
        entries: ['1', '2'],
      },
    ])
  })

  it('a page that is fetched twice, but not when two responses linked to it', async () => {
    const sandbox = createFrozenSandbox()
    const next = async (target: string): Promise<string> => {
      const headers = { Authorization: 'Bearer sk_sandbox_free' }
      const response = await sandbox.fetch(new Request(`http://localhost/v1${target}`, { headers }))
      const [, address = ''] =
        /<([^>]+)>; rel="next"/.exec(response.headers.get('Link') ?? '') ?? []
      return address.replace('http://localhost/v1', '')
    }
    const second = await next('/pets?limit=20')
    await next(second)
    await next('/pets?limit=20')
    await next(second)
    expect(findingsOf(reportOn(sandbox), 'page-twice')).toEqual([])

    await next(second)

    expect(findingsOf(reportOn(sandbox), 'page-twice')).toMatchObject([
      { entries: ['5'], count: 1 },
    ])
  })

  it('a storm of retries after server errors', () => {
    const failing = [0, 5, 10, 15, 20].map((time) =>
      createEntry({ status: 500, time, end: time + 1 }),
    )

    const { findings } = report([failing], contract)

    expect(findings).toMatchObject([{ rule: 'retry-storm', count: 2 }])
  })
})

describe('a report does not count as a violation', () => {
  it('uploads that the client aborts and repeats', () => {
    const brokenOff = [0, 5, 10, 15, 20].map((time) =>
      createEntry({ status: 0, code: 'incomplete_body', time, end: time + 1 }),
    )

    expect(report([brokenOff], contract).findings).toEqual([])
  })

  it('retries after a server error that wait, or are few', () => {
    const patient = [0, 1000, 3000].map((time) => createEntry({ status: 500, time }))
    const few = [10_000, 10_010, 10_020].map((time) => createEntry({ status: 500, time }))

    expect(report([[...patient, ...few]], contract).findings).toEqual([])
  })

  it('requests whose errors were forced', async () => {
    const sandbox = createFrozenSandbox()
    for (const outcome of ['unauthorized', 'bad-request', 'server-error'] as const) {
      sandbox.force(outcome, { times: 2 })
      await sendRequest(sandbox, '/pets')
      await sendRequest(sandbox, '/pets')
    }

    expect(reportOn(sandbox).findings).toEqual([])
  })

  it('CORS preflights', async () => {
    const sandbox = createFrozenSandbox()
    await sendRequest(sandbox, '/pets', { method: 'OPTIONS', key: null })

    expect(reportOn(sandbox)).toMatchObject({ requests: 0, findings: [] })
  })
})
