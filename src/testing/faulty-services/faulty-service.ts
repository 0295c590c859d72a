import type { JsonObject } from '../../document/json-value.ts'
import type { VerifyOptions } from '../../verify/session/options.ts'

/** A service with a document, and with faults that a run of `verify` sees. It shares no code with the engine. */
export interface FaultyService {
  /** What a run meets in it. */
  readonly what: string
  readonly base: string
  /** What a run needs to verify it. */
  readonly options: VerifyOptions
  /** The document, or the path of its file. */
  readonly document: JsonObject | string
  /** What it does wrong with each fault, and the id of a check that fails. */
  readonly faults: Readonly<Record<string, string>>
  /** The faults that are seen in records of other operations only: all checks run. */
  readonly seenElsewhere?: readonly string[]
  readonly create: (fault?: string) => RunningService
}

export interface RunningService {
  /** What is stored. */
  readonly records: readonly unknown[]
  fetch(request: Request): Promise<Response>
}
