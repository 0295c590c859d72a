import { readFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { loadContract } from '../document/load-contract.ts'
import type { EventOptions } from '../events/event-settings.ts'
import type { DeliveryFault } from '../forcing/outcomes.ts'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { reportToJUnit } from './junit.ts'
import { readReport } from './read-report.ts'
import type { ReceiverCheck } from './receivers.ts'
import type { Report } from './report.ts'
import { toText } from './text.ts'
import { toHaveBehaved } from './to-have-behaved.ts'

const contract = await loadContract('src/testing/shop-events.yaml')
const HOOK = 'http://127.0.0.1:3000/hooks'

type Receive = (request: Request, sandbox: Sandbox) => Promise<number>

function open(receive: Receive, events: EventOptions = {}): Sandbox {
  const sandbox: Sandbox = createSandbox({
    contract,
    events: {
      to: HOOK,
      deliver: async (request) => new Response(null, { status: await receive(request, sandbox) }),
      ...events,
    },
  })
  return sandbox
}

/** Sends a change of an order to a sandbox. */
async function send(sandbox: Sandbox, method: string, path: string, body: object): Promise<void> {
  const headers = { 'Content-Type': 'application/json' }
  const request = new Request(`http://localhost/v1${path}`, {
    method,
    headers,
    body: JSON.stringify(body),
  })
  expect((await sandbox.fetch(request)).status).toBeLessThan(300)
}

/** What the report says about a receiver after an order with some faults. */
async function judge(
  receive: Receive,
  faults: readonly DeliveryFault[] = [],
  events?: EventOptions,
): Promise<{ readonly report: Report; readonly checks: Record<string, ReceiverCheck> }> {
  const sandbox = open(receive, events)
  for (const delivery of faults) {
    sandbox.force({ delivery, times: 1 })
    await send(sandbox, 'POST', '/orders', { item: delivery })
    await sandbox.events.settled()
  }
  if (faults.length === 0) await send(sandbox, 'POST', '/orders', { item: 'book' })
  await sandbox.events.settled()
  const report = await sandbox.report()
  const [judged] = report.receivers ?? []

  return {
    report,
    checks: Object.fromEntries((judged?.checks ?? []).map((check) => [check.rule, check])),
  }
}

/** Whether a delivery is genuine and new, as a careful receiver decides it. The secret is the same for each sandbox of a seed. */
async function isGenuine(request: Request): Promise<boolean> {
  const body = await request.clone().text()
  const header = (name: string): string => request.headers.get(name) ?? ''
  const timestamp = header('webhook-timestamp')
  const { createHmac } = await import('node:crypto')
  const { secret } = createSandbox({ contract }).events
  const signature = createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'))
    .update(`${header('webhook-id')}.${timestamp}.${body}`)
    .digest('base64')

  return (
    header('webhook-signature') === `v1,${signature}` &&
    Math.abs(Date.now() / 1000 - Number(timestamp)) < 300
  )
}

describe('a receiver of events', () => {
  it('is judged by nothing that did not happen', async () => {
    const { report, checks } = await judge(async () => 204)

    expect(report.verdict).toBe('passed')
    expect(Object.values(checks).map(({ rule, verdict }) => [rule, verdict])).toEqual([
      ['event-not-accepted', 'passed'],
      ['accepted-forged', 'not-judged'],
      ['accepted-old', 'not-judged'],
      ['confused-by-duplicate', 'not-judged'],
      ['event-loop', 'not-judged'],
    ])
    expect((await createSandbox({ contract }).report()).receivers).toBeUndefined()
  })

  it('fails when it does not answer with a 2xx in time', async () => {
    const wrong = await judge(async () => 500, [], { retries: [] })
    const late = await judge(() => new Promise(() => undefined), [], {
      retries: [],
      timeout: '10ms',
    })

    expect(wrong.report.findings).toMatchObject([
      { rule: 'event-not-accepted', receiver: HOOK, deliveries: [1], fails: true },
    ])
    expect(late.checks['event-not-accepted']?.message).toBe(
      '1 of 1 delivery attempt did not get a 2xx in time: no response within 10 ms.',
    )
    expect(late.report.reasons).toEqual(['1 violation of event-not-accepted'])
  })

  it('fails when it accepts what is forged or old, and passes when it refuses both', async () => {
    const faults = ['wrong-signature', 'old-timestamp', 'cut-body'] as const
    const careless = await judge(async () => 204, faults)
    const careful = await judge(async (request) => ((await isGenuine(request)) ? 204 : 401), faults)

    expect(careless.report.findings.map(({ rule, message }) => [rule, message])).toEqual([
      ['accepted-forged', 'It accepted 2 of 2 forged deliveries.'],
      ['accepted-old', 'It accepted 1 of 1 old delivery.'],
    ])
    expect(careful.checks).toMatchObject({
      'event-not-accepted': { verdict: 'passed' },
      'accepted-forged': { verdict: 'passed', message: 'It refused 2 forged deliveries.' },
      'accepted-old': { verdict: 'passed' },
    })
    expect(careful.report.verdict).toBe('passed')
  })

  it('fails when it acts twice on an event that comes twice, and passes when it acts once', async () => {
    const seen = new Set<string>()
    const act: Receive = async (request, sandbox) => {
      const { data } = JSON.parse(await request.text())
      await send(sandbox, 'PATCH', `/orders/${data.object.id}`, { item: 'gift' })
      return 204
    }
    const once: Receive = (request, sandbox) => {
      const id = String(request.headers.get('webhook-id'))
      if (seen.has(id)) return Promise.resolve(204)
      seen.add(id)
      return isCreation(request) ? act(request, sandbox) : Promise.resolve(204)
    }
    const onCreation: Receive = (request, sandbox) =>
      isCreation(request) ? act(request, sandbox) : Promise.resolve(204)
    let created = ''
    const isCreation = (request: Request): boolean => {
      const id = String(request.headers.get('webhook-id'))
      if (created === '') created = id
      return id === created
    }

    const twice = await judge(onCreation, ['twice'])
    created = ''
    const careful = await judge(once, ['twice'])

    expect(twice.checks['confused-by-duplicate']).toMatchObject({
      verdict: 'failed',
      message: expect.stringMatching(
        /^It acted more than once on 1 event that came more than once\. For instance, it sent PATCH \/orders\/\d+ again\.$/,
      ),
    })
    expect(careful.checks['confused-by-duplicate']).toMatchObject({ verdict: 'passed' })
    expect(careful.checks['event-loop']).toMatchObject({ verdict: 'passed' })
  })

  it('is not judged when it sends the same request again with another body', async () => {
    let times = 0
    const { checks } = await judge(
      async (request, sandbox) => {
        const { type, data } = JSON.parse(await request.text())
        times += 1
        if (type === 'order.created')
          await send(sandbox, 'PATCH', `/orders/${data.object.id}`, { item: `gift ${times}` })
        return 204
      },
      ['twice'],
    )

    expect(checks['confused-by-duplicate']).toMatchObject({
      verdict: 'not-judged',
      message: expect.stringMatching(/^It sent PATCH \/orders\/\d+ again with another body/),
    })
  })

  it('is not judged by duplicates when it has accepted nothing', async () => {
    const { checks } = await judge(async () => 500, ['twice'])

    expect(checks['confused-by-duplicate']).toMatchObject({
      verdict: 'not-judged',
      message: 'It accepted no event that came twice. Force "twice".',
    })
  })

  it('fails when it refuses a duplicate of what it has accepted', async () => {
    const seen = new Set<unknown>()
    const { checks } = await judge(
      async (request) => {
        const id = request.headers.get('webhook-id')
        return seen.size === seen.add(id).size ? 409 : 204
      },
      ['twice'],
    )

    expect(checks['confused-by-duplicate']?.message).toBe(
      'It did not answer 1 duplicate with a 2xx: 409.',
    )
  })

  it('fails when it causes the event of which it is told again and again', async () => {
    let times = 0
    const sandbox = open(async (_, own) => {
      times += 1
      if (times <= 5) await send(own, 'PATCH', '/orders/1', { item: `${times}` })
      return 204
    })
    await send(sandbox, 'PATCH', '/orders/1', { item: 'book' })
    await sandbox.events.settled()

    const { findings } = await sandbox.report()
    expect(findings).toMatchObject([
      {
        rule: 'event-loop',
        message: 'It caused order.updated about orders/1 itself 5 times in a row.',
      },
    ])
    expect(toHaveBehaved(sandbox).pass).toBe(false)
    expect(toHaveBehaved(sandbox, { ignore: ['event-loop'] }).pass).toBe(true)
  })

  it('is kept by the JSON of the report, which matches the published schema', async () => {
    const { report } = await judge(async () => 500, ['wrong-signature', 'twice'])
    const schema = JSON.parse(await readFile('src/report/report.schema.json', 'utf8'))
    const validate = new Ajv2020({ strict: true, allErrors: true }).compile(schema)
    const saved = JSON.parse(JSON.stringify(report))

    validate(saved)
    expect(validate.errors).toBeNull()
    expect(readReport(saved, contract.title)?.receivers).toEqual(report.receivers)
    saved.receivers[0].checks[0].verdict = 'good'
    expect(() => readReport(saved, contract.title)).toThrow('unknown verdict "good"')
  })

  it('is shown by the text and as test cases', async () => {
    const { report } = await judge(async () => 204, ['wrong-signature'])

    expect(toText(report)).toContain(
      [
        `error   accepted-forged  receiver ${HOOK}`,
        '        It accepted 1 of 1 forged delivery.',
        '        Standard Webhooks, "Verifying webhook authenticity"  delivery 1',
      ].join('\n'),
    )
    expect(toText(report)).toContain('not judged  accepted-old: It got no old delivery.')
    expect(reportToJUnit(report)).toContain(
      `<testcase name="The receiver ${HOOK} refuses deliveries whose signature does not fit`,
    )
    expect(reportToJUnit(report)).toMatch(/<skipped message="It got no old delivery/)
  })
})
