import type { BanRules } from '../access/ban.ts'
import type { KeySettings } from '../access/callers.ts'
import type { AuthMode } from '../access/security-scheme.ts'

/** What the document's `x-sandbox` says about the whole service. Options of the sandbox override it. */
export interface ServiceHints {
  /**
   * Which credentials are accepted: `keys` only the API keys of the sandbox, `any` every credential in a documented form, `off`
   * requires none. By default, `any`.
   */
  readonly auth?: AuthMode
  /** The plans by name. Without plans, there is no quota. */
  readonly plans?: Readonly<Record<string, PlanWindows>>
  /** The API keys and their plans. */
  readonly keys?: Readonly<Record<string, KeySettings>>
  /** When a client that does not wait after a 429 is banned; `false` for never. By default, never. */
  readonly ban?: false | Partial<BanRules>
  /** The size limit of a request body in bytes. By default, 10 MiB. */
  readonly bodyLimit?: number
  /** What happens to properties that the schema of a body does not name. By default, `keep`. */
  readonly unknownProperties?: 'drop' | 'keep'
}

/** How many requests a plan allows. */
export interface PlanWindows {
  /** Requests per minute. */
  readonly minute: number
  /** Requests per day. */
  readonly day: number
}
