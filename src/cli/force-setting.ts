import { type Outcome, toOutcome } from '../forcing/outcomes.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'

/** An outcome that the settings force, and for which operation. */
export type ForcedSetting = readonly [outcome: Outcome, rule: { readonly operation?: string }]

/** Parses `rate-limited` or `rate-limited:<operationId>`. Throws a UsageError for an unknown outcome. */
export function parseForced(text: string): ForcedSetting {
  const [name = '', ...rest] = text.split(':')
  return [toOutcome(name), rest.length === 0 ? {} : { operation: rest.join(':') }]
}

/** Forces the outcomes of the settings in a sandbox. A saved state may contain those of the start before. */
export function forceOutcomes(sandbox: Sandbox, forced: readonly string[]): void {
  for (const [outcome, rule] of forced.map(parseForced)) {
    const isForced = sandbox
      .forced()
      .some(
        (one) =>
          one.outcome === outcome && one.operation === rule.operation && one.times === undefined,
      )
    if (!isForced) sandbox.force(outcome, rule)
  }
}
