import { milliseconds } from '../time/duration.ts'
import { refuseUnknown, UsageError, wholeNumber } from '../validation/usage-error.ts'

/** How a target is verified. Every field may be left out. */
export interface VerifyOptions {
  /** The API key; needed where the document asks for one. */
  readonly key?: string
  /** Requests at the most; 60 when left out, 200 with `exhaust`. */
  readonly budget?: number
  /** Whether the quota may be spent to see what comes then. */
  readonly exhaust?: boolean
  /** Whether requests may be sent that create, change or remove records. */
  readonly writes?: boolean
  /** Whether what the document decides counts, where the service's specification is silent (`x-decision`). It does when left out. */
  readonly decisions?: boolean
  /** Whether a sandbox of the same document is asked the same, to be compared. */
  readonly twin?: boolean
  /** For each answer; 10 s when left out. Milliseconds or text, as `10s`. */
  readonly timeout?: number | string
  /** Only checks whose id, name or clause has all of these words. */
  readonly only?: string
  readonly fetch?: (request: Request) => Promise<Response>
  /** Epoch milliseconds. */
  readonly now?: () => number
  readonly sleep?: (milliseconds: number) => Promise<void>
  readonly onProgress?: (progress: Progress) => void
}

/** What happens during a run. */
export type Progress =
  | { readonly kind: 'request'; readonly sent: number; readonly budget: number }
  | { readonly kind: 'wait'; readonly milliseconds: number; readonly why: string }

const DEFAULTS = {
  key: '',
  budget: 60,
  exhaust: false,
  writes: false,
  decisions: true,
  twin: false,
  timeout: 10_000,
  only: '',
  fetch: (request: Request): Promise<Response> => fetch(request),
  now: (): number => Date.now(),
  sleep: (length: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, length)),
  onProgress: (): void => undefined,
} as const satisfies { readonly [Name in keyof VerifyOptions]-?: unknown }

/** Milliseconds. */
const LONGEST_TIMEOUT = 600_000

/** With `exhaust`, unless another budget is given. */
const EXHAUSTING = 200

/** Options as a run uses them: complete and checked. */
export interface Settings extends Required<VerifyOptions> {
  /** Milliseconds. */
  readonly timeout: number
}

/** Fills in the defaults. Throws a `UsageError` that names the option. */
export function settingsOf(options: VerifyOptions): Settings {
  refuseUnknown('verify option', options, Object.keys(DEFAULTS))
  const given = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  )
  const settings: Required<VerifyOptions> = {
    ...DEFAULTS,
    ...(options.exhaust && { budget: EXHAUSTING }),
    ...given,
  }
  wholeNumber('budget', settings.budget, 1)
  const timeout = milliseconds(settings.timeout)
  if (timeout >= 1 && timeout <= LONGEST_TIMEOUT) return { ...settings, timeout }

  throw new UsageError(
    'invalid_option',
    `Cannot wait ${settings.timeout} for an answer: it is not from 1ms to 10m. Write it as 10s.`,
  )
}
