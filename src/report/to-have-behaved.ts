import type {} from 'vitest'
import { count, refuseUnknown, UsageError } from '../validation/usage-error.ts'
import { type Report, type ReportOptions, type ReportSource, reportOnWorld } from './report.ts'
import { toText } from './text.ts'

/** The options of `toHaveBehaved`. */
export type BehavedOptions = Pick<ReportOptions, 'only' | 'ignore' | 'minCoverage' | 'coverageOf'>

/** The result of a matcher. */
interface MatcherResult {
  readonly pass: boolean
  readonly message: () => string
}

/** A client of a sandbox in another process, or of one of its worlds: what `createClient()` returns. */
interface RemoteReportSource {
  report(options: ReportOptions): Promise<Report>
  plans(): unknown
}

/**
 * Passes when the report on a sandbox or world, since its last reset, has no error and no warning, of its clients and of the receivers of
 * its events. For a client of
 * `createClient()` it is asynchronous: `await expect(client).toHaveBehaved()`. Throws a UsageError for other values, for
 * invalid options, and when there were no requests (with `.not`, too).
 */
export function toHaveBehaved(received: ReportSource, options?: BehavedOptions): MatcherResult
export function toHaveBehaved(
  received: unknown,
  options?: BehavedOptions,
): MatcherResult | Promise<MatcherResult>
export function toHaveBehaved(
  received: unknown,
  options: BehavedOptions = {},
): MatcherResult | Promise<MatcherResult> {
  refuseUnknown('toHaveBehaved', options, ['only', 'ignore', 'minCoverage', 'coverageOf'])
  const failing = { ...options, failOn: ['warnings'] as const }
  if (isReportSource(received)) return toMatcherResult(reportOnWorld(received, undefined, failing))
  if (isRemoteReportSource(received)) return received.report(failing).then(toMatcherResult)
  throw new UsageError({
    code: 'no_sandbox',
    task: 'report how the client behaved',
    reason: 'the value given to expect() is not a sandbox',
    help: 'Give what createSandbox() or createClient() returns, or one of its worlds.',
  })
}

/** Matchers for Vitest, Jest and Playwright: `expect.extend(matchers)`. */
export const matchers: { readonly toHaveBehaved: typeof toHaveBehaved } = { toHaveBehaved }

function toMatcherResult(report: Report): MatcherResult {
  if (report.requests === 0 && !report.receivers) throw nothingRecorded(report)
  return { pass: report.verdict === 'passed', message: () => failureMessage(report) }
}

/** A test must not pass when its client sends the requests to another server. */
function nothingRecorded({ notices: [notice] }: Report): UsageError {
  const advice =
    notice ??
    'Check that the client sends its requests to this sandbox or world, that the test waits for them, and that no reset comes after them.'
  return new UsageError({
    code: 'nothing_recorded',
    task: 'report how the client behaved',
    reason: 'no request was recorded',
    help: advice,
  })
}

function failureMessage(report: Report): string {
  if (report.verdict === 'passed') {
    return `Expected the client not to have behaved, but ${count(report.requests, 'request')} had no errors or warnings.`
  }
  return `Expected the client to have behaved, but it did not.\n\n${toText(report, { findingsOnly: true })}`
}

function isReportSource(received: unknown): received is ReportSource {
  const { contract, journal, plans } = Object(received)
  return Array.isArray(Object(journal).exchanges) && Array.isArray(plans) && Boolean(contract)
}

function isRemoteReportSource(received: unknown): received is RemoteReportSource {
  const { report, plans } = Object(received)
  return typeof report === 'function' && typeof plans === 'function'
}

declare module 'vitest' {
  interface Matchers<T> {
    /**
     * Passes when the report on a sandbox or world, since its last reset, has no error and no warning. Fails when there were
     * no requests. For a client of `createClient()`, await it.
     */
    toHaveBehaved(options?: BehavedOptions): T extends RemoteReportSource ? Promise<void> : void
  }
}
