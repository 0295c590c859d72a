import type { Operation } from '../contract/contract.ts'
import type { VerifySettings } from './options.ts'
import { ORDER } from './probes/order.ts'
import type { Probe } from './probes/probe.ts'
import type { Session } from './requests/session.ts'

/** Decides which probes are sent: those that the user allows, and the budget. */
export class ProbeSelection {
  readonly #settings: VerifySettings
  /** The operations that later probes can exercise. */
  readonly #open = new Set<Operation>()

  constructor(probes: readonly Probe[], settings: VerifySettings) {
    this.#settings = settings
    for (const { exercises, requires } of probes) {
      if (exercises && this.#missingPermission(requires) === undefined) this.#open.add(exercises)
    }
  }

  /** Whether a probe is not needed, because an earlier one has exercised its operation. */
  isDone({ isFallback, exercises }: Probe, { exercised }: Session): boolean {
    return isFallback === true && exercises !== undefined && exercised.has(exercises)
  }

  /** `undefined` when the probe can be sent. */
  reasonToLeaveOut(probe: Probe, session: Session): string | undefined {
    const { decisions, twin, budget } = this.#settings
    const permission = this.#missingPermission(probe.requires)
    if (permission !== undefined) return permission
    if (!decisions && !twin && probe.checks.every(({ decision }) => decision)) {
      return 'a decision of the document (x-decision), excluded by --no-decisions'
    }
    if (probe.maxRequests + this.#reservedFor(probe, session) > session.remainingBudget) {
      return `the budget of ${budget} requests is used up`
    }
    return undefined
  }

  /** Notes that a probe was sent or left out. */
  end({ exercises }: Probe): void {
    if (exercises) this.#open.delete(exercises)
  }

  #missingPermission(requires: Probe['requires']): string | undefined {
    const { writes, exhaust } = this.#settings
    if (requires === 'writes' && !writes) return 'can change records, needs --allow-writes'
    if (requires === 'exhaust' && !exhaust) return 'uses up the quota, needs --exhaust'
    return undefined
  }

  /** The number of requests that a probe must leave to those that exercise other operations. */
  #reservedFor({ order, exercises }: Probe, { exercised }: Session): number {
    if (exercises || order <= ORDER.create) return 0
    for (const operation of this.#open) if (exercised.has(operation)) this.#open.delete(operation)
    return this.#open.size
  }
}
