import { milliseconds } from '../time/duration.ts'
import { refuseUnknown, requireInteger, UsageError } from '../validation/usage-error.ts'
import type { NamedRecords } from './session/change-gate.ts'

/** How a server is verified. All options are optional. */
export interface VerifyOptions {
  /** The API key; required when the document requires one. */
  readonly key?: string
  /**
   * The maximum number of requests. Default: 6 for each operation, at least 60 and at most 2,000; at least 200 with `exhaust`.
   */
  readonly budget?: number
  /** Whether to use up the quota, to test what happens then. Default: `false`. */
  readonly exhaust?: boolean
  /** Whether to send requests that create records, and that change and remove the records that the run created. Default: `false`. */
  readonly writes?: boolean
  /**
   * Records below which the run may create others, by the names or paths of their collections: `{ orgs: [{ id: 'acme' }] }`. They are
   * not changed themselves. Default: none.
   */
  readonly data?: NamedRecords
  /** Whether failed checks of decisions of the document (`x-decision`) count as failed. Default: `true`. */
  readonly decisions?: boolean
  /** Whether to send the same requests to a sandbox of the document, and to list the differences. Default: `false`. */
  readonly twin?: boolean
  /** For each response: milliseconds, or text such as `10s`. Default: 10 s. */
  readonly timeout?: number | string
  /**
   * How long the whole run waits for new quota: milliseconds, or text such as `10m`. Checks that would need more are left out.
   * Default: 65 s, so that it waits for a new minute once; 5 m with `exhaust`.
   */
  readonly maxWait?: number | string
  /** Selects the checks that have all of these words in their id, name or clause. Default: all. */
  readonly only?: string
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>
  /** The clock, in epoch milliseconds. Default: `Date.now`. */
  readonly now?: () => number
  /** Waits. Default: a timer. */
  readonly sleep?: (milliseconds: number) => Promise<void>
  /** Called after each probe and before each wait. */
  readonly onProgress?: (progress: Progress) => void
}

/** What a run is doing. */
export type Progress =
  | { readonly kind: 'request'; readonly sent: number; readonly budget: number }
  | { readonly kind: 'wait'; readonly milliseconds: number; readonly why: string }

const DEFAULTS = {
  key: '',
  budget: 0,
  exhaust: false,
  writes: false,
  data: {},
  decisions: true,
  twin: false,
  timeout: 10_000,
  maxWait: 65_000,
  only: '',
  fetch: (request: Request): Promise<Response> => fetch(request),
  now: (): number => Date.now(),
  sleep: (length: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, length)),
  onProgress: (): void => undefined,
} as const satisfies { readonly [Name in keyof VerifyOptions]-?: unknown }

/** In milliseconds. */
const MAX_TIMEOUT = 600_000
const MAX_WAIT_WITH_EXHAUST = 300_000
const LONGEST_MAX_WAIT = 24 * 3_600_000

/** The limits of the default budget. */
const BUDGET = { perOperation: 6, minimum: 60, minimumWithExhaust: 200, maximum: 2000 } as const

/** Complete and valid options. */
export interface VerifySettings extends Required<VerifyOptions> {
  /** In milliseconds. */
  readonly timeout: number
  /** In milliseconds. */
  readonly maxWait: number
}

/** Adds the defaults. Throws a `UsageError` for an invalid option. */
export function toSettings(options: VerifyOptions, operations: number): VerifySettings {
  refuseUnknown('verify', options, Object.keys(DEFAULTS))
  const given = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  )
  const settings: Required<VerifyOptions> = {
    ...DEFAULTS,
    budget: defaultBudget(operations, options.exhaust ?? false),
    ...(options.exhaust && { maxWait: MAX_WAIT_WITH_EXHAUST }),
    ...given,
  }
  requireInteger('budget', settings.budget, 1)

  return {
    ...settings,
    timeout: durationOf('timeout', settings.timeout, [1, MAX_TIMEOUT], 'from 1ms to 10m'),
    maxWait: durationOf('maxWait', settings.maxWait, [0, LONGEST_MAX_WAIT], 'from 0s to 24h'),
  }
}

function durationOf(
  name: string,
  value: number | string,
  [least, most]: readonly [number, number],
  range: string,
): number {
  const duration = milliseconds(value)
  if (duration >= least && duration <= most) return duration

  throw new UsageError({
    code: 'invalid_option',
    task: `use the option ${name}`,
    reason: `the value must be a duration ${range} (got ${value})`,
    help: 'Write it as 10s.',
  })
}

function defaultBudget(operations: number, exhaust: boolean): number {
  const { perOperation, minimum, minimumWithExhaust, maximum } = BUDGET
  const least = exhaust ? minimumWithExhaust : minimum
  return Math.max(least, Math.min(maximum, perOperation * operations))
}

/** The base address without a slash at its end. Throws a `UsageError` for an invalid address. */
export function baseOf(target: string): string {
  const address = URL.canParse(target) ? new URL(target) : undefined
  if (address && /^https?:$/.test(address.protocol) && !address.search && !address.hash) {
    return address.href.replace(/\/+$/, '')
  }
  throw new UsageError({
    code: 'invalid_target',
    task: `verify "${target}"`,
    reason: 'it is not a base URL',
    help: 'Write it as https://api.example.com/v1.',
  })
}
