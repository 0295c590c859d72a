import type { Contract, Operation } from '../contract/contract.ts'
import { hasWords, requireSelectedCheck } from './check-words.ts'
import { ReferenceSandbox } from './comparison/reference-sandbox.ts'
import { countExercised } from './exercised-operations.ts'
import { toSettings, type VerifyOptions, type VerifySettings } from './options.ts'
import { ProbeSelection } from './probe-selection.ts'
import type { Probe } from './probes/probe.ts'
import { alternatives, baseOf } from './requests/base-address.ts'
import type { Target } from './requests/outgoing-request.ts'
import { NotSent, type ProbeResponse } from './requests/probe-messages.ts'
import { removeOwnRecords } from './requests/remove-own-records.ts'
import { integerIn } from './requests/response-headers.ts'
import { NoResponse } from './requests/send-and-read.ts'
import { Session } from './requests/session.ts'
import { ResultBuilder } from './result-builder.ts'
import { shadowedOperations } from './shadowed-operations.ts'
import { createTestPlan, type TestPlan } from './test-plan.ts'
import { findAlwaysLimited, findUnusable, type UnusableServer } from './unusable-server.ts'
import { type CheckResult, totalsOf, type Verification } from './verification.ts'

/** After so many probes in a row without a response, no more requests are sent. */
const MAX_PROBES_WITHOUT_RESPONSE = 3

/**
 * Tests whether the server at a base address implements a contract. Never throws because of the server; throws a
 * `UsageError` for invalid options.
 */
export async function verify(
  target: string,
  contract: Contract,
  options: VerifyOptions = {},
): Promise<Verification> {
  const base = baseOf(target)
  const settings = toSettings(options, contract.operations.length)
  const plan = createTestPlan(contract)
  requireSelectedCheck(plan, settings.only)

  return await new Run(base, contract, settings, plan).execute()
}

class Run {
  readonly #base: string
  readonly #contract: Contract
  readonly #settings: VerifySettings
  readonly #plan: TestPlan
  readonly #probes: readonly Probe[]
  readonly #selection: ProbeSelection
  readonly #session: Session
  readonly #builder: ResultBuilder
  readonly #results: CheckResult[] = []
  #reference: ReferenceSandbox | undefined
  #unusable: UnusableServer | undefined
  #probesWithoutResponse = 0
  /** Why operations were not exercised. */
  readonly #reasons = new Map<Operation, string>()

  constructor(base: string, contract: Contract, settings: VerifySettings, plan: TestPlan) {
    for (const operation of shadowedOperations(contract))
      this.#reasons.set(operation, 'an earlier operation has the same method and path')
    const { key, onProgress } = settings
    const target: Target = { base, contract, key }
    this.#base = base
    this.#contract = contract
    this.#settings = settings
    this.#plan = plan
    this.#probes = plan.probes.filter((probe) => this.#isSelected(probe))
    this.#selection = new ProbeSelection(this.#probes, settings)
    this.#builder = new ResultBuilder(target, settings.decisions)
    this.#session = new Session(target, {
      ...settings,
      onWait: (milliseconds, why) => onProgress({ kind: 'wait', milliseconds, why }),
    })
  }

  async execute(): Promise<Verification> {
    const { budget, now, twin } = this.#settings
    const start = now()
    for (const probe of this.#probes) {
      if (!this.#unusable) await this.#executeProbe(probe)
      this.#selection.end(probe)
    }
    const { responses } = this.#session
    this.#unusable ??= findAlwaysLimited(responses)
    this.#evaluate(this.#plan.checksOfAllResponses, responses)
    const operations = countExercised(this.#contract, this.#session.exercised, this.#reasons)
    await removeOwnRecords(this.#session)
    const reason = this.#unusable && (await this.#explain(this.#unusable))
    const checks = this.#unusable ? [] : this.#sortedResults()

    return {
      target: this.#base,
      contract: `${this.#contract.title} ${this.#contract.version}`,
      checks,
      totals: totalsOf(checks),
      operations,
      ...(reason !== undefined && { unusable: this.#builder.hideKey(reason) }),
      ...(twin && !this.#unusable && { differences: this.#reference?.differences() ?? [] }),
      requests: this.#session.sent,
      budget,
      duration: now() - start,
      waited: this.#session.waited,
    }
  }

  /** A prerequisite is sent even if only other checks are selected. */
  #isSelected({ checks, isPrerequisite }: Probe): boolean {
    return isPrerequisite === true || checks.some((check) => hasWords(check, this.#settings.only))
  }

  async #executeProbe(probe: Probe): Promise<void> {
    const { responses: all } = this.#session
    const before = all.length
    if (this.#selection.isDone(probe, this.#session)) return
    const reason = this.#reasonToLeaveOut(probe)
    if (reason !== undefined) return this.#leaveOut(probe, reason)
    try {
      const responses = await probe.send(this.#session)
      this.#probesWithoutResponse = 0
      this.#evaluate(probe.checks, responses)
      await this.#compareWithReference(probe, all.slice(before))
    } catch (error) {
      if (error instanceof NotSent) this.#leaveOut(probe, error.message)
      else if (error instanceof NoResponse) this.#recordNoResponse(probe, error)
      else throw error
    }
    this.#unusable ??= findUnusable(all)
    const { onProgress, budget } = this.#settings
    onProgress({ kind: 'request', sent: this.#session.sent, budget })
  }

  /** `undefined` when the probe can be sent. */
  #reasonToLeaveOut(probe: Probe): string | undefined {
    if (this.#probesWithoutResponse >= MAX_PROBES_WITHOUT_RESPONSE) {
      return 'the server stopped responding'
    }
    return this.#selection.reasonToLeaveOut(probe, this.#session)
  }

  #evaluate(checks: Probe['checks'], responses: readonly ProbeResponse[]): void {
    for (const check of checks) {
      const evaluation = check.evaluate(responses, this.#session.records)
      this.#results.push(this.#builder.fromEvaluation(check, evaluation))
    }
  }

  #leaveOut(
    { checks, exercises, isFallback }: Pick<Probe, 'checks' | 'exercises' | 'isFallback'>,
    leftOut: string,
  ): void {
    if (exercises) this.#reasons.set(exercises, leftOut)
    // The operation has checks of its own, which say why they were left out.
    if (isFallback) return
    for (const check of checks) {
      this.#results.push(this.#builder.fromEvaluation(check, { leftOut }))
    }
  }

  #recordNoResponse({ checks, exercises }: Probe, { message, request }: NoResponse): void {
    if (exercises) this.#reasons.set(exercises, message)
    this.#probesWithoutResponse += 1
    if (this.#session.responses.length === 0) this.#unusable = { reason: message }
    const [first, ...rest] = checks
    if (first) this.#results.push(this.#builder.fromNoResponse(first, request, message))
    this.#leaveOut({ checks: rest }, 'no response to evaluate')
  }

  /** The reference sandbox has the limit that the first response of the server states. */
  async #compareWithReference(probe: Probe, responses: readonly ProbeResponse[]): Promise<void> {
    const [first] = responses
    if (!this.#settings.twin || !first) return
    this.#reference ??= new ReferenceSandbox(
      this.#contract,
      integerIn(first.headers, 'X-RateLimit-Limit'),
    )
    await this.#reference.repeat(probe, responses)
  }

  /** The reason, and a better base address, if one of a few requests finds it. */
  async #explain({ reason, isAddressSuspect }: UnusableServer): Promise<string> {
    const request = this.#session.responses[0]?.request
    if (!isAddressSuspect || !request) return reason
    for (const base of alternatives(this.#base, this.#contract)) {
      const found = await this.#session.tryAddress(base, request)
      if (found?.json !== undefined && found.status !== 404) {
        return `${reason}. Did you mean ${base}?`
      }
    }
    return `${reason}. Check the base address, including its version segment`
  }

  #sortedResults(): CheckResult[] {
    const { operations } = this.#contract
    const places = new Map(operations.map(({ id }, at) => [id, at]))
    const placeOf = ({ operation = '' }: CheckResult): number =>
      places.get(operation) ?? operations.length
    return this.#results
      .filter((result) => hasWords(result, this.#settings.only))
      .sort((one, other) => placeOf(one) - placeOf(other))
  }
}
