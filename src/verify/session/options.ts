import type { Keys } from '../../contract/credentials.ts'
import { type DocumentTexts, NO_TEXTS } from '../../document/document-texts.ts'
import { milliseconds } from '../../time/duration.ts'
import { refuseUnknown, requireInteger, UsageError } from '../../validation/usage-error.ts'
import type { NamedRecords } from './change-gate.ts'
import type { EventReceiver } from './event-addresses.ts'
import type { NamedRequests, ProviderStates } from './given-requests.ts'

/** How a server is verified. All options are optional. */
export interface VerifyOptions {
  /** The API key, or one for each security scheme by its name; required when the document requires one. */
  readonly key?: Keys
  /**
   * The key of another user or account. With `writes`, the run checks that it cannot read, list, change or remove the records that the run
   * created, where the document has a 403 or a 404 for it. Default: none; then nothing of it is checked.
   */
  readonly otherKey?: Keys
  /** Texts that the result must not contain, such as tokens that the key was replaced by. It is read when results are made. Default: none. */
  readonly secrets?: readonly string[]
  /** Headers that each request has, by their names. Default: none. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * The maximum number of requests. The most valuable checks are sent first. Default: as many as all checks need, at least 60 (200 with
   * `exhaust`), at most 80 for each operation and 10,000.
   */
  readonly budget?: number
  /**
   * The number of random requests after all checks: with boundary values, with what the document does not allow and, with `writes`, in
   * sequences on records of the run. Not part of the budget. Default: none.
   */
  readonly fuzz?: number
  /** The seed of the random requests; the same one makes the same requests. Default: a random one, which the result has. */
  readonly seed?: number
  /**
   * How many requests are sent at once, to collections that have nothing to do with each other. One at a time as soon as the service
   * states or enforces a limit, and with `changes` or `twin`. Default: 1, at most 32.
   */
  readonly concurrency?: number
  /** Whether to use up the quota, to test what happens then. Default: `false`. */
  readonly exhaust?: boolean
  /** Whether to send requests that create records, and that change and remove the records that the run created. Default: `false`. */
  readonly writes?: boolean
  /**
   * Whether to change what exists once, such as settings, too: it is read before, written back afterwards, and compared. Needs `writes`.
   * Default: `false`.
   */
  readonly changes?: boolean
  /**
   * Records below which the run may create others, by the names or paths of their collections: `{ orgs: [{ id: 'acme' }] }`. They are
   * not changed themselves. Default: none.
   */
  readonly data?: NamedRecords
  /**
   * Values for the requests of operations, by the id of the operation or by its method and path:
   * `{ 'POST /zones': { body: { name: 'example.org.' } } }`. Parameters may be optional; those of the path are for requests that read.
   * Names in bodies are still made new for each record. Default: none.
   */
  readonly requests?: NamedRequests
  /**
   * Functions that prepare what an operation needs, such as a paid order for a refund, by the id of the operation or by its method and path.
   * Each returns values for the request, and is called again after the operation succeeded. The run may change the records whose ids are
   * in the path parameters that it returns, and leaves them on the server. Default: none.
   */
  readonly states?: ProviderStates
  /** What the document says in words, such as which states allow an action. Default: nothing; then nothing of it is checked. */
  readonly texts?: DocumentTexts
  /** Whether failed checks of decisions count as failed: of the document (`x-decision`), and of this program where OpenAPI says nothing. Default: `false`. */
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
  /**
   * How long the run sends new checks: milliseconds, or text such as `5m`. What it created is removed afterwards. Default: no limit.
   */
  readonly timeLimit?: number | string
  /** Selects the checks that have all of these words in their id, name or clause. Default: all. */
  readonly check?: string
  /** Tests only operations with one of these ids, methods, tags or path patterns, such as `GET /users/**`. Default: all. */
  readonly only?: readonly string[]
  /** Sends nothing to operations with one of these ids, methods, tags or path patterns, not even to clean up. Default: none. */
  readonly exclude?: readonly string[]
  /** Ends the run when it is aborted. What it created is removed before the result is returned. */
  readonly signal?: AbortSignal
  /**
   * Listens at a host of this machine for the events that the service sends. Called with `writes`, when the document describes events and the
   * service is on this machine, too. Default: none; then no event is checked.
   */
  readonly listen?: ((host: string) => Promise<EventReceiver>) | undefined
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>
  /** The clock, in epoch milliseconds. Default: `Date.now`. */
  readonly now?: () => number
  /** Waits, and ends early when the signal is aborted. Default: a timer. */
  readonly sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** Called before the first request, after each probe and before each wait. */
  readonly onProgress?: (progress: Progress) => void
}

/** What a run may change. */
export interface PlannedChanges {
  /** The collections in which it creates records. */
  readonly creations: readonly PlannedCreations[]
  /** The paths of what exists once, such as settings, that it changes and restores. */
  readonly settings: readonly string[]
}

/** What a run may create in a collection. */
interface PlannedCreations {
  /** The path of the collection. */
  readonly path: string
  /** The number of checks that may create a record. */
  readonly records: number
  /** Whether the document has an operation that removes one of them. */
  readonly isRemovable: boolean
}

/** What is known before the first request. */
export interface RunStart {
  /** The base address of the server. */
  readonly target: string
  /** The title and version of the document. */
  readonly contract: string
  /** What the run may change. */
  readonly changes: PlannedChanges
}

/** What a run has found so far. */
interface RunState {
  /** The number of operations that were sent a valid request. */
  readonly exercised: number
  /** The number of operations in the document. */
  readonly operations: number
  /** The number of failed checks, without consequences of others. */
  readonly findings: number
}

/** What a run is doing. */
export type Progress =
  | ({ readonly kind: 'start' } & RunStart)
  | ({ readonly kind: 'request'; readonly sent: number; readonly budget: number } & RunState)
  | { readonly kind: 'wait'; readonly milliseconds: number; readonly why: string }

const DEFAULTS = {
  key: '',
  otherKey: '',
  secrets: [],
  headers: {},
  budget: 0,
  fuzz: 0,
  seed: undefined,
  concurrency: 1,
  exhaust: false,
  writes: false,
  changes: false,
  data: {},
  requests: {},
  states: {},
  texts: NO_TEXTS,
  decisions: false,
  twin: false,
  timeout: 10_000,
  maxWait: 65_000,
  timeLimit: Number.POSITIVE_INFINITY,
  check: '',
  only: [],
  exclude: [],
  signal: undefined,
  listen: undefined,
  fetch: (request: Request): Promise<Response> => fetch(request),
  now: (): number => Date.now(),
  sleep: waitWithTimer,
  onProgress: (): void => undefined,
} as const satisfies { readonly [Name in keyof VerifyOptions]-?: unknown }

function waitWithTimer(length: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(end, length)
    signal?.addEventListener('abort', end, { once: true })
    if (signal?.aborted) end()
  })
}

/** One more than the largest random seed. */
const MAX_SEED = 1_000_000

const MAX_CONCURRENCY = 32

/** In milliseconds. */
const MAX_TIMEOUT = 600_000
const MAX_WAIT_WITH_EXHAUST = 300_000
const LONGEST_MAX_WAIT = 24 * 3_600_000

/** Complete and valid options. */
export interface VerifySettings extends Required<Omit<VerifyOptions, 'signal' | 'seed'>> {
  readonly seed: number
  /** The maximum number of requests; 0 for as many as the plan needs. */
  readonly budget: number
  /** In milliseconds. */
  readonly timeout: number
  /** In milliseconds. */
  readonly maxWait: number
  /** In milliseconds. */
  readonly timeLimit: number
  readonly signal: AbortSignal | undefined
}

/** Adds the defaults. Throws a `UsageError` for an invalid option. */
export function toSettings(options: VerifyOptions): VerifySettings {
  refuseUnknown('verify', options, Object.keys(DEFAULTS))
  const given = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  )
  const settings: Omit<VerifySettings, 'timeout' | 'maxWait' | 'timeLimit' | 'seed'> &
    Required<Pick<VerifyOptions, 'timeout' | 'maxWait' | 'timeLimit'>> = {
    ...DEFAULTS,
    ...(options.exhaust && { maxWait: MAX_WAIT_WITH_EXHAUST }),
    ...given,
  }
  if (options.budget !== undefined) requireInteger('budget', settings.budget, 1)
  requireInteger('concurrency', settings.concurrency, 1, MAX_CONCURRENCY)
  if (options.fuzz !== undefined) requireInteger('fuzz', settings.fuzz, 1)
  const { seed = Math.floor(Math.random() * MAX_SEED) } = options
  requireInteger('seed', seed, 0)
  if (settings.changes && !settings.writes) {
    throw new UsageError({
      code: 'invalid_option',
      task: 'use the option changes',
      reason: 'a run that only reads changes nothing',
      help: 'Give --allow-writes, too.',
    })
  }

  return {
    ...settings,
    seed,
    timeout: durationOf('timeout', settings.timeout, [1, MAX_TIMEOUT], 'from 1ms to 10m'),
    timeLimit:
      options.timeLimit === undefined
        ? Number.POSITIVE_INFINITY
        : durationOf('timeLimit', options.timeLimit, [1, LONGEST_MAX_WAIT], 'from 1ms to 24h'),
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
