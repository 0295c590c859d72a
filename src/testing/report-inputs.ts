import { contract } from '../generated/contract.ts'
import { createSandbox, type SandboxOptions, type ShippedSandbox } from '../index.ts'
import { type Report, type ReportOptions, report } from '../report/report.ts'
import { type ReportEntry, toReportEntry } from '../report/report-entry.ts'
import type { Finding } from '../report/rules.ts'

const BASE = 'http://localhost/v1'

/** Creates a sandbox whose clock stands at noon and advances only by `clock.advance`. */
export function createFrozenSandbox(
  options: Omit<SandboxOptions, 'contract'> = {},
): ShippedSandbox {
  const sandbox = createSandbox(options)
  sandbox.clock.set('2027-03-01T12:00:30Z')
  return sandbox
}

/** Sends a request with an API key (`null`: none) and returns the status. */
export async function sendRequest(
  sandbox: Pick<ShippedSandbox, 'fetch'>,
  target: string,
  { key = 'sk_sandbox_free', ...init }: RequestInit & { readonly key?: string | null } = {},
): Promise<number> {
  const headers = key === null ? {} : { Authorization: `Bearer ${key}` }
  const request = new Request(BASE + target, { ...init, headers: { ...headers, ...init.headers } })
  return (await sandbox.fetch(request)).status
}

/** The options of a POST request with a JSON body. */
export function post(body: unknown): RequestInit {
  return {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  }
}

export function entriesOf(sandbox: ShippedSandbox): ReportEntry[] {
  return sandbox.journal.exchanges.map((exchange) => toReportEntry(exchange, contract))
}

/** The report on the journal of a sandbox. */
export function reportOn(sandbox: ShippedSandbox, options?: ReportOptions): Report {
  return report([entriesOf(sandbox)], contract, options)
}

/** The findings of one rule. */
export function findingsOf({ findings }: Report, rule: string): Finding[] {
  return findings.filter((finding) => finding.rule === rule)
}

/** Creates an entry with these fields, and with defaults for the other fields. Times are in milliseconds. */
export function createEntry(more: Partial<ReportEntry>): ReportEntry {
  const time = more.time ?? 0
  return {
    id: '',
    recording: 1,
    time,
    end: time + 1,
    method: 'GET',
    target: '/pets',
    operation: 'listPets',
    caller: 'valid',
    key: '…free',
    status: 200,
    forced: false,
    notes: [],
    faults: [],
    ...more,
  }
}

/** A hostile text that a client can send in every place that a report shows. */
export const HOSTILE = `<script>alert(1)</script>"'&|\`%0A::error::x\u001b[31m`

/** Creates a sandbox whose journal violates many rules and contains hostile texts. */
export async function createMisusedSandbox(): Promise<ShippedSandbox> {
  const sandbox = createFrozenSandbox({ plans: { free: { minute: 6, day: 1000 } } })
  const hostile = encodeURIComponent(HOSTILE)
  await sendRequest(sandbox, '/pets/1')
  await sendRequest(sandbox, `/pets?${hostile}=1`)
  await sendRequest(sandbox, `/${HOSTILE.slice(0, 25)}`)
  await sendRequest(sandbox, '/pets', post({ name: 'Rex', categoryId: 1, [HOSTILE]: 1 }))
  await sendRequest(sandbox, '/pets?limit=500')
  await sendRequest(sandbox, '/pets?limit=500')
  await sendRequest(sandbox, '/pets', { key: null })
  for (let request = 1; request <= 14; request += 1) {
    await sendRequest(sandbox, '/pets')
    sandbox.clock.advance('100ms')
  }
  return sandbox
}

const NOON = Date.parse('2027-03-01T12:00:00Z')

/** So many requests, one every 100 milliseconds. From the 61st request of a minute on, they get a 429. */
export function hammering(count: number): ReportEntry[] {
  return Array.from({ length: count }, (_, at) => {
    const time = NOON + at * 100
    const reset = (Math.floor(time / 60_000) + 1) * 60_000
    const used = Math.floor((time % 60_000) / 100) + 1
    const window = { limit: 60, remaining: Math.max(0, 60 - used), reset }
    const refused = { status: 429, refusal: 'minute', retryAt: reset } as const
    return createEntry({ time, window, plan: 'free', ...(used > 60 && refused) })
  })
}
