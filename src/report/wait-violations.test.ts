import { describe, expect, it } from 'vitest'
import { contract } from '../generated/contract.ts'
import { ask, entry, found, reportOn, standing } from '../testing/recordings.ts'
import type { Entry } from './entry.ts'
import { report } from './report.ts'

const PLANS = { plans: { free: { minute: 2, day: 100 } } }

function rulesOf(...entries: Entry[]): string[] {
  return report([entries], contract).findings.map(({ rule }) => rule)
}

describe('a request before Retry-After has passed', () => {
  it('is found, with the clause it breaks and the exchanges that show it', async () => {
    const sandbox = standing(PLANS)
    for (let request = 1; request <= 4; request += 1) await ask(sandbox, '/pets')

    const findings = found(reportOn(sandbox), 'early-retry')

    expect(findings).toEqual([
      {
        rule: 'early-retry',
        severity: 'error',
        operation: 'listPets',
        key: '…free',
        message: '1 request was sent before Retry-After had passed: at worst after 0 ms of 30 s.',
        clause: 'Limits, Behaviour on exceeding, 2',
        entries: ['4'],
        count: 1,
        fails: true,
      },
    ])
  })

  it('is found on another operation, too: the quota is of the key', async () => {
    const sandbox = standing(PLANS)
    for (let request = 1; request <= 3; request += 1) await ask(sandbox, '/pets')
    await ask(sandbox, '/pets/1')

    expect(found(reportOn(sandbox), 'early-retry')).toMatchObject([{ operation: 'getPet' }])
  })

  it('is not one of another key', async () => {
    const sandbox = standing(PLANS)
    for (let request = 1; request <= 3; request += 1) await ask(sandbox, '/pets')
    await ask(sandbox, '/pets', { key: 'sk_sandbox_pro' })

    expect(found(reportOn(sandbox), 'early-retry')).toEqual([])
  })

  it('is not one that waited, nor one after which the clock was moved', async () => {
    const sandbox = standing(PLANS)
    for (let request = 1; request <= 3; request += 1) await ask(sandbox, '/pets')
    sandbox.clock.advance('30s')
    await ask(sandbox, '/pets')

    expect(reportOn(sandbox).findings).toEqual([])
  })

  it('is found where a minute ends within a wait that is not for it', async () => {
    const sandbox = standing()
    sandbox.clock.set('2027-03-01T12:00:59.960Z')
    sandbox.force('rate-limited', { times: 1, retryAfter: 1 })
    await ask(sandbox, '/pets')
    sandbox.clock.advance(60)
    await ask(sandbox, '/pets')

    expect(found(reportOn(sandbox), 'early-retry')).toHaveLength(1)
  })

  it('is not one after the clock went back', async () => {
    const sandbox = standing(PLANS)
    for (let request = 1; request <= 3; request += 1) await ask(sandbox, '/pets')
    sandbox.clock.advance('-1h')
    await ask(sandbox, '/pets')

    expect(reportOn(sandbox).findings).toEqual([])
  })

  it('is not one that was under way when the refusal came, on a clock that stands still either', async () => {
    const sandbox = standing(PLANS)
    await Promise.all(Array.from({ length: 20 }, () => ask(sandbox, '/pets')))

    expect(sandbox.journal.find({ status: 429 })).toHaveLength(18)
    expect(reportOn(sandbox).findings).toEqual([])
  })

  it('is not one of another operation, when the refusal was forced', async () => {
    const sandbox = standing()
    sandbox.force('rate-limited', { operation: 'listPets', times: 1 })
    await ask(sandbox, '/pets')
    await ask(sandbox, '/pets/1')

    expect(found(reportOn(sandbox), 'early-retry')).toEqual([])
  })

  it('is found by times, where something else than a sandbox recorded', () => {
    const refused = entry({ status: 429, time: 1000, end: 1200, retryAt: 11_000 })

    expect(rulesOf(refused, entry({ time: 1100 }))).toEqual([])
    expect(rulesOf(refused, entry({ time: 1200 }))).toEqual(['early-retry'])
    expect(rulesOf(refused, entry({ time: 11_000 }))).toEqual([])
  })

  it('is not one that waited for X-RateLimit-Reset, which rounding puts before Retry-After', () => {
    const window = { limit: 2, remaining: 0, reset: 60_000 }
    const refused = entry({ status: 429, time: 1500, retryAt: 60_500, window })

    expect(rulesOf(refused, entry({ time: 60_000 }))).toEqual([])
  })

  it('may come a moment early, as timers do', () => {
    const refused = entry({ status: 429, time: 1000, retryAt: 2000 })

    expect(rulesOf(refused, entry({ time: 1990 }))).toEqual([])
  })
})

describe('over a network', () => {
  const wire = { remote: true, time: 1000, end: 1000.3 }

  function numbered(entries: readonly Partial<Entry>[]): Entry[] {
    return entries.map((more, at) => entry({ ...wire, number: at + 1, follows: at, ...more }))
  }

  it('what comes right after the refusal of a burst was under way', () => {
    const burst = numbered([{}, {}, { status: 429, retryAt: 31_000 }, { time: 1002 }])

    expect(rulesOf(...burst)).toEqual([])
  })

  it('what comes after the refusal of a quick client that sends one request at a time is a retry', () => {
    const times = [1000, 1002, 1004, 1006]
    const row = numbered(times.map((time) => ({ time, end: time + 0.5 })))
    const refused = { number: 5, follows: 4, time: 1008, end: 1008.5 }

    const rules = rulesOf(
      ...row,
      entry({ ...wire, ...refused, status: 429, retryAt: 31_000 }),
      entry({ ...wire, number: 6, follows: 5, time: 1010, end: 1010.5 }),
    )

    expect(rules).toEqual(['early-retry'])
  })

  it('what comes right after a lone refusal is a retry', () => {
    const retry = numbered([{ status: 429, retryAt: 31_000 }, { time: 1002 }])

    expect(rulesOf(...retry)).toEqual(['early-retry'])
  })

  it('what comes later is a retry, after a burst as well', () => {
    const late = numbered([{}, {}, { status: 429, retryAt: 31_000 }, { time: 1020 }])

    expect(rulesOf(...late)).toEqual(['early-retry'])
  })
})

describe('requests during a ban', () => {
  it('are told apart from early ones', async () => {
    const sandbox = standing(PLANS)
    for (let request = 1; request <= 2 + 10 + 3; request += 1) await ask(sandbox, '/pets')

    const report = reportOn(sandbox)

    expect(found(report, 'early-retry')).toMatchObject([{ count: 9 }])
    expect(found(report, 'during-ban')).toMatchObject([
      { count: 3, entries: ['13', '14', '15'], clause: 'Limits, Behaviour on exceeding, 3' },
    ])
  })

  it('are none when the first of them brought the news', async () => {
    const sandbox = standing()
    await ask(sandbox, '/pets', { key: 'sk_sandbox_banned' })

    expect(reportOn(sandbox).findings).toEqual([])
  })
})

describe('back-off', () => {
  function retries(...waits: number[]): Entry[] {
    let time = 0
    return [0, ...waits].map((wait) => {
      time += wait
      return entry({ status: 429, time, end: time, retryAt: time + 60_000 })
    })
  }

  it.each([[[1, 2, 1, 1]], [[1000, 1000, 1000, 1000]], [[4000, 2000, 1000, 500]]])(
    'is missing where the waits are %j',
    (waits) => {
      expect(rulesOf(...retries(...waits))).toEqual(['early-retry', 'no-back-off'])
    },
  )

  it.each([[[1000, 2000, 4000]], [[500, 400, 1500, 1200]]])(
    'is there where they are %j',
    (waits) => {
      expect(rulesOf(...retries(...waits))).toEqual(['early-retry'])
    },
  )

  it('is not asked of a client that waits as long as it is told to', () => {
    const told = [0, 1000, 2000, 3000, 4000].map((time) =>
      entry({ status: 429, time, end: time, retryAt: time + 1000 }),
    )

    expect(rulesOf(...told)).toEqual([])
  })
})

describe('jitter', () => {
  const targets = ['/pets', '/pets?limit=1', '/pets?limit=2']
  const refused = targets.map((target) => entry({ target, status: 429, time: 0, retryAt: 1000 }))

  it('is missing where several requests are retried at the same moment', () => {
    const herd = targets.map((target) => entry({ target, time: 1001 }))

    const { findings, verdict } = report([[...refused, ...herd]], contract)

    expect(findings).toMatchObject([{ rule: 'no-jitter', severity: 'note', count: 3 }])
    expect(verdict).toBe('passed')
  })

  it('is there where they come one after the other', () => {
    const spread = targets.map((target, at) => entry({ target, time: 1001 + at * 40 }))

    expect(rulesOf(...refused, ...spread)).toEqual([])
  })
})

describe('an outage', () => {
  it('asks for its Retry-After to be waited for', async () => {
    const sandbox = standing()
    sandbox.force('unavailable', { times: 2 })
    await ask(sandbox, '/pets')
    await ask(sandbox, '/pets')

    expect(found(reportOn(sandbox), 'retry-storm')).toMatchObject([{ entries: ['2'] }])
  })
})
