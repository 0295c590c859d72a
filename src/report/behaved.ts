import type {} from 'vitest'
import { refuseUnknown, UsageError } from '../usage-error.ts'
import { type Reported, reportOn } from './in-process.ts'
import type { Report, ReportOptions } from './report.ts'
import { toText } from './text.ts'

/** What `toHaveBehaved` looks for. */
export type BehavedOptions = Pick<ReportOptions, 'only' | 'ignore' | 'minCoverage'>

/** What a matcher tells its runner. */
interface Told {
  readonly pass: boolean
  readonly message: () => string
}

/** A sandbox that runs elsewhere, or a world of it: what `createClient()` returns. */
interface RemoteReported {
  report(options: ReportOptions): Promise<Report>
  plans(): unknown
}

/**
 * Passes when nothing was found that is an error or a warning, in what a sandbox, or a world of it, was asked since its last
 * reset. For a client of `createClient()` it is asynchronous: `await expect(client).toHaveBehaved()`. Throws a UsageError for
 * what is neither, and for options that are wrong.
 */
export function toHaveBehaved(received: Reported, options?: BehavedOptions): Told
export function toHaveBehaved(received: unknown, options?: BehavedOptions): Told | Promise<Told>
export function toHaveBehaved(
  received: unknown,
  options: BehavedOptions = {},
): Told | Promise<Told> {
  refuseUnknown('option of toHaveBehaved', options, ['only', 'ignore', 'minCoverage'])
  const failing = { ...options, failOn: ['warnings'] }
  if (isReported(received)) return toTold(reportOn(received, undefined, failing))
  if (isRemote(received)) return received.report(failing).then(toTold)
  throw new UsageError(
    'no_sandbox',
    'Cannot tell how the client behaved: expect() was given no sandbox. Give what createSandbox() or createClient() returns, or one of its worlds.',
  )
}

/** Matchers for Vitest, Jest and Playwright: `expect.extend(matchers)`. */
export const matchers: { readonly toHaveBehaved: typeof toHaveBehaved } = { toHaveBehaved }

function toTold(report: Report): Told {
  return { pass: report.verdict === 'passed', message: () => messageOf(report) }
}

function messageOf(report: Report): string {
  if (report.verdict === 'passed') {
    return `Expected the client to have misbehaved, and nothing was found in ${report.requests} requests.`
  }
  return `Expected the client to have behaved, and it did not.\n\n${toText(report, { findingsOnly: true })}`
}

function isReported(received: unknown): received is Reported {
  const { contract, journal, plans } = Object(received)
  return Array.isArray(Object(journal).exchanges) && Array.isArray(plans) && Boolean(contract)
}

function isRemote(received: unknown): received is RemoteReported {
  const { report, plans } = Object(received)
  return typeof report === 'function' && typeof plans === 'function'
}

declare module 'vitest' {
  // The runner's own declaration, which this one joins, names the parameter so.
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  interface Matchers<T = any> {
    /**
     * Whether the client of a sandbox, or of one of its worlds, behaved: no error and no warning was found in what it was
     * asked since its last reset. For a client of `createClient()` it has to be awaited.
     */
    toHaveBehaved(options?: BehavedOptions): T extends RemoteReported ? Promise<void> : void
  }
}
