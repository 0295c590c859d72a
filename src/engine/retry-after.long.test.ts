import fc, { type Arbitrary } from 'fast-check'
import { expect, it } from 'vitest'
import type { QuotaWindows } from '../access/keys.ts'
import type { Shipped } from '../generated/types.ts'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import type { Snapshot } from '../sandbox/snapshot.ts'
import { scaledRuns } from '../testing/long-run.ts'
import { retryAfterOf } from '../testing/responses.ts'

const KEYS = ['one', 'two'] as const
/** `null` sends no key. */
const SENDERS = [...KEYS, null] as const
const PLANS = ['free', 'pro'] as const
const SCENARIOS = ['banned', 'spent', 'both'] as const

const MOMENTS = [
  '2027-03-01T12:00:00.000Z',
  '2027-03-01T23:59:59.999Z',
  '2030-12-05T00:00:00.001Z',
  '9999-12-01T00:00:00.000Z',
]

/** In milliseconds; -1 and -60,000 go back in time. */
const SPANS = [-86_400_000, -60_000, -1, 1, 999, 1500, 59_999, 60_000, 300_000, 86_400_000]

type Sender = (typeof SENDERS)[number]
type Step =
  | { readonly do: 'send'; readonly sender: Sender; readonly times: number }
  | { readonly do: 'wait'; readonly sender: Sender }
  | { readonly do: 'advance'; readonly milliseconds: number }
  | { readonly do: 'set'; readonly moment: string }
  | { readonly do: 'setPlan'; readonly plan: string; readonly windows: QuotaWindows }
  | { readonly do: 'setKey' | 'addAgain'; readonly key: string; readonly plan: string }
  | { readonly do: 'play'; readonly scenario: (typeof SCENARIOS)[number] }
  | { readonly do: 'save' | 'restore' | 'reset' }

const sender = fc.constantFrom(...SENDERS)
const plan = fc.constantFrom(...PLANS)
const minute = fc.integer({ min: 1, max: 4 })
const day = fc.integer({ min: 1, max: 8 })

const windows = fc.record({ minute, day })

const anyStep: Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('send'),
      sender,
      times: fc.integer({ min: 1, max: 12 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('wait'), sender }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('advance'),
      milliseconds: fc.constantFrom(...SPANS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('set'), moment: fc.constantFrom(...MOMENTS) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('setPlan'), plan, windows }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('setKey', 'addAgain'),
      key: fc.constantFrom(...KEYS),
      plan,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('play'), scenario: fc.constantFrom(...SCENARIOS) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('save', 'restore', 'reset') }) },
)

const anySandbox = fc.record({
  quota: fc.boolean(),
  auth: fc.boolean(),
  free: fc.record({ minute, day }),
  pro: fc.record({ minute, day }),
  banned: fc.constantFrom('1500ms', '5m', '3d'),
  ban: fc.record({
    refusals: fc.integer({ min: 1, max: 4 }),
    seconds: fc.constantFrom(1, 10, 300, 100_000),
    factor: fc.integer({ min: 1, max: 3 }),
    maxSeconds: fc.constantFrom(10, 3600, 500_000),
  }),
})

type SandboxSettings = typeof anySandbox extends Arbitrary<infer Settings> ? Settings : never

function toSandbox({
  free,
  pro,
  banned,
  ...settings
}: SandboxSettings): Sandbox<Shipped, (typeof SCENARIOS)[number]> {
  const sandbox = createSandbox({
    ...settings,
    records: 1,
    plans: { free, pro },
    keys: { one: 'free', two: 'pro' },
    scenarios: {
      banned: { description: 'a ban', banned: { one: banned } },
      spent: { description: 'a spent day', spent: { one: { day: 8 }, two: { minute: 4 } } },
      both: { description: 'both', spent: { one: { day: 8 } }, banned: { one: banned } },
    },
  })
  sandbox.clock.set('2027-03-01T12:00:00Z')
  return sandbox
}

/** A sandbox that is led through a history. */
class History {
  readonly #sandbox: Sandbox<Shipped, (typeof SCENARIOS)[number]>
  #saved: Snapshot | undefined

  constructor(settings: SandboxSettings) {
    this.#sandbox = toSandbox(settings)
  }

  async take(next: Step): Promise<void> {
    const sandbox = this.#sandbox
    if (next.do === 'send') {
      for (let sent = 0; sent < next.times; sent += 1) await this.#send(next.sender)
    } else if (next.do === 'wait') await this.expectWaitToSuffice(next.sender)
    else if (next.do === 'advance') sandbox.clock.advance(next.milliseconds)
    else if (next.do === 'set') sandbox.clock.set(next.moment)
    else if (next.do === 'setPlan') sandbox.setPlan(next.plan, next.windows)
    else if (next.do === 'setKey') sandbox.setKey(next.key, next.plan)
    else if (next.do === 'addAgain') {
      sandbox.removeKey(next.key)
      sandbox.setKey(next.key, next.plan)
    } else if (next.do === 'play') await sandbox.play(next.scenario)
    else if (next.do === 'save') this.#saved = await sandbox.snapshot()
    else if (next.do === 'reset') sandbox.reset()
    else if (this.#saved) await sandbox.restore(this.#saved)
  }

  /** Sends a request and, if it is refused with 429, waits for exactly Retry-After, and sends one more. */
  async expectWaitToSuffice(by: Sender): Promise<void> {
    const { clock } = this.#sandbox
    clock.freeze()
    const first = await this.#send(by)
    if (first.status !== 429) return

    const wait = retryAfterOf(first)
    expect(wait).toBeGreaterThanOrEqual(1)
    clock.advance(wait * 1000)
    const retry = await this.#send(by)

    expect(retry.status).not.toBe(429)
  }

  #send(by: Sender): Promise<Response> {
    const headers = by === null ? {} : { Authorization: `Bearer ${by}` }
    return this.#sandbox.fetch(new Request('http://localhost/v1/pets?limit=1', { headers }))
  }
}

it('a request after exactly Retry-After is served, after any history', async () => {
  const histories = fc.array(anyStep, { maxLength: 25, size: 'max' })

  await fc.assert(
    fc.asyncProperty(anySandbox, histories, async (settings, steps) => {
      const history = new History(settings)
      for (const next of steps) await history.take(next)
      for (const by of SENDERS) await history.expectWaitToSuffice(by)
    }),
    { numRuns: scaledRuns(100) },
  )
})
