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

/**
 * Passes when nothing was found that is an error or a warning, in what a sandbox, or a world of it, was asked since its last
 * reset. Throws a UsageError for what is no sandbox, and for options that are wrong.
 */
export function toHaveBehaved(received: unknown, options: BehavedOptions = {}): Told {
  if (!isReported(received)) {
    throw new UsageError(
      'no_sandbox',
      'Cannot tell how the client behaved: expect() was given no sandbox. Give what createSandbox() returns, or one of its worlds.',
    )
  }
  refuseUnknown('option of toHaveBehaved', options, ['only', 'ignore', 'minCoverage'])
  const report = reportOn(received, undefined, { ...options, failOn: ['warnings'] })

  return { pass: report.verdict === 'passed', message: () => messageOf(report) }
}

/** Matchers for Vitest and Jest: `expect.extend(matchers)`. */
export const matchers: { readonly toHaveBehaved: typeof toHaveBehaved } = { toHaveBehaved }

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

declare module 'vitest' {
  // The runner's own declaration, which this one joins, names the parameter so.
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  interface Matchers<T = any> {
    /**
     * Whether the client of a sandbox, or of one of its worlds, behaved: no error and no warning was found in what it was
     * asked since its last reset.
     */
    toHaveBehaved(options?: BehavedOptions): void
  }
}
