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
  /** Resources by the path of their collection, where the document does not have that path. */
  readonly resources?: Readonly<Record<string, object>>
  /** What the properties of error bodies contain, by their names; default: it follows from their names. */
  readonly errors?: Readonly<Record<string, ErrorMeaning>>
  /** The headers that have the figures of the caller's quota, by their names; default: those of the document. */
  readonly rateLimitHeaders?: Readonly<Record<string, RateLimitFigure>>
  /** The deprecation of every operation that has none of its own: dates as texts, and what replaces the service. */
  readonly deprecation?: Readonly<Partial<Record<'date' | 'sunset' | 'successor', unknown>>>
  /**
   * The records that each collection starts with, by its name; in a document also a `$ref` to a JSON or YAML file. Where more are
   * wanted, or others by another seed, as many are generated. By default, those of the document's examples, and generated ones.
   */
  readonly records?: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
  /** Whether resources and actions that no hint names are inferred. By default, yes. */
  readonly inference?: boolean
}

/** What a property of an error body contains; `none`: nothing that the sandbox knows. */
export type ErrorMeaning =
  | ('code' | 'message' | 'title' | 'status' | 'field')
  | ('time' | 'path' | 'requestId' | 'success' | 'none')

/** A figure of a quota. A reset is in seconds from now, a Unix time, or a date and time (RFC 3339). */
export type RateLimitFigure =
  | ('limit' | 'remaining' | 'used')
  | ('resetSeconds' | 'resetEpochSeconds' | 'resetEpochMilliseconds' | 'resetDateTime')

/** How many requests a plan allows. */
export interface PlanWindows {
  /** Requests per minute. */
  readonly minute: number
  /** Requests per day. */
  readonly day: number
}
