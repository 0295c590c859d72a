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
  const wire = { remote: true, time: 1000, end: 1000.3 }

  function numbered(entries: readonly Partial<ReportEntry>[]): ReportEntry[] {
    return entries.map((more, at) => createEntry({ ...wire, number: at + 1, follows: at, ...more }))
  }

  it('a request right after the 429 of a burst was already in flight', () => {
    const burst = numbered([{}, {}, { status: 429, retryAt: 31_000 }, { time: 1002 }])

    expect(rulesOf(...burst)).toEqual([])
  })

  it('a request after the 429 of a fast client that sends one request at a time is a retry', () => {
    const times = [1000, 1002, 1004, 1006]
    const row = numbered(times.map((time) => ({ time, end: time + 0.5 })))
    const refused = { number: 5, follows: 4, time: 1008, end: 1008.5 }

    const rules = rulesOf(
      ...row,
      createEntry({ ...wire, ...refused, status: 429, retryAt: 31_000 }),
      createEntry({ ...wire, number: 6, follows: 5, time: 1010, end: 1010.5 }),
    )

    expect(rules).toEqual(['early-retry'])
  })

  it('a request right after a single 429 is a retry', () => {
    const retry = numbered([{ status: 429, retryAt: 31_000 }, { time: 1002 }])

    expect(rulesOf(...retry)).toEqual(['early-retry'])
  })

  it('a request some milliseconds after the 429 of a burst is a retry', () => {
    const late = numbered([{}, {}, { status: 429, retryAt: 31_000 }, { time: 1020 }])

    expect(rulesOf(...late)).toEqual(['early-retry'])
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
    await sendRequest(sandbox, '/pets', { key: null })
    await sendRequest(sandbox, '/pets', { key: 'not_a_key' })

    expect(findingsOf(reportOn(sandbox), 'unauthorized')).toMatchObject([
      { key: 'no key', message: '1 request was sent without an API key.' },
      { key: '…_key', message: '1 request was sent with an invalid API key.' },
    ])
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
