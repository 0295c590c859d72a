import type { Contract, Operation } from '../contract/contract.ts'
import { UsageError } from '../validation/usage-error.ts'
import type { Check } from './checks/check.ts'
import { baseOf, toSettings, type VerifyOptions, type VerifySettings } from './options.ts'
import type { Probe } from './probes/probe.ts'
import { ReferenceSandbox } from './reference-sandbox.ts'
import { ResultBuilder } from './result-builder.ts'
import {
  integerIn,
  isGone,
  NotSent,
  type ProbeRequest,
  type ProbeResponse,
  retryAfter,
  type Target,
} from './session/messages.ts'
import { isAt, recordTemplate, segmentsOf, templateOf, withPath } from './session/record-address.ts'
import { NoResponse } from './session/send-and-read.ts'
import { Session } from './session/session.ts'
import { validRequest } from './session/valid-request.ts'
import { createTestPlan, ProbeSelection, shadowedOperations, type TestPlan } from './test-plan.ts'
import {
  alternatives,
  findAlwaysLimited,
  findUnusable,
  type UnusableServer,
} from './unusable-server.ts'
import { type CheckResult, countExercised, totalsOf, type Verification } from './verification.ts'

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

  return await new Run({ base, contract, key: settings.key }, settings, plan).execute()
}

class Run {
  readonly #target: Target
  readonly #settings: VerifySettings
  readonly #plan: TestPlan
  readonly #probes: readonly Probe[]
  readonly #selection: ProbeSelection
  readonly #session: Session
  readonly #builder: ResultBuilder
  readonly #results: CheckResult[] = []
  /** Why operations were not exercised. */
  readonly #reasons: Map<Operation, string>
  #reference: ReferenceSandbox | undefined
  #unusable: UnusableServer | undefined
  #probesWithoutResponse = 0

  constructor(target: Target, settings: VerifySettings, plan: TestPlan) {
    const { onProgress } = settings
    this.#target = target
    this.#settings = settings
    this.#plan = plan
    this.#probes = plan.probes.filter((probe) => this.#isSelected(probe))
    this.#selection = new ProbeSelection(this.#probes, settings)
    this.#builder = new ResultBuilder(target, settings.decisions)
    this.#session = new Session(target, {
      ...settings,
      onWait: (milliseconds, why) => onProgress({ kind: 'wait', milliseconds, why }),
    })
    const shadowed = shadowedOperations(target.contract)
    this.#reasons = new Map(
      shadowed.map((one) => [one, 'an earlier operation has the same method and path']),
    )
  }

  async execute(): Promise<Verification> {
    const { budget, now, twin } = this.#settings
    const { base, contract } = this.#target
    const session = this.#session
    const start = now()
    for (const probe of this.#probes) {
      if (!this.#unusable) await this.#executeProbe(probe)
      this.#selection.end(probe)
    }
    this.#unusable ??= findAlwaysLimited(session.responses)
    this.#evaluate(this.#plan.checksOfAllResponses, session.responses)
    const operations = countExercised(contract, session.exercised, this.#reasons)
    await removeOwnRecords(session)
    const reason = this.#unusable && (await this.#explain(this.#unusable))
    const checks = this.#unusable ? [] : this.#sortedResults()

    return {
      target: base,
      contract: `${contract.title} ${contract.version}`,
      checks,
      totals: totalsOf(checks),
      operations,
      ...(reason !== undefined && { unusable: this.#builder.hideKey(reason) }),
      ...(twin && !this.#unusable && { differences: this.#reference?.differences() ?? [] }),
      requests: session.sent,
      budget,
      duration: now() - start,
      waited: session.waited,
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
    const reason =
      this.#probesWithoutResponse >= MAX_PROBES_WITHOUT_RESPONSE
        ? 'the server stopped responding'
        : this.#selection.reasonToLeaveOut(probe, this.#session)
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

  #evaluate(checks: Probe['checks'], responses: readonly ProbeResponse[]): void {
    for (const check of checks) {
      const evaluation = check.evaluate(responses, this.#session.records)
      this.#results.push(this.#builder.fromEvaluation(check, evaluation))
    }
  }

  #leaveOut({ checks, exercises, isFallback }: Partial<Probe>, leftOut: string): void {
    if (exercises) this.#reasons.set(exercises, leftOut)
    // The operation has checks of its own, which say why they were left out.
    if (isFallback) return
    for (const check of checks ?? []) {
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
      this.#target.contract,
      integerIn(first.headers, 'X-RateLimit-Limit'),
    )
    await this.#reference.repeat(probe, responses)
  }

  /** The reason, and a better base address, if one of a few requests finds it. */
  async #explain({ reason, isAddressSuspect }: UnusableServer): Promise<string> {
    const request = this.#session.responses[0]?.request
    if (!isAddressSuspect || !request) return reason
    for (const base of alternatives(this.#target)) {
      const found = await this.#session.tryAddress(base, request)
      if (found?.json !== undefined && found.status !== 404) {
        return `${reason}. Did you mean ${base}?`
      }
    }
    return `${reason}. Check the base address, including its version segment`
  }

  #sortedResults(): CheckResult[] {
    const { operations } = this.#target.contract
    const places = new Map(operations.map(({ id }, at) => [id, at]))
    const placeOf = ({ operation = '' }: CheckResult): number =>
      places.get(operation) ?? operations.length
    return this.#results
      .filter((result) => hasWords(result, this.#settings.only))
      .sort((one, other) => placeOf(one) - placeOf(other))
  }
}

/** Throws a `UsageError` when no check of a plan has the words. */
function requireSelectedCheck({ probes, checksOfAllResponses }: TestPlan, only: string): void {
  const checks = [...probes.flatMap((probe) => probe.checks), ...checksOfAllResponses]
  if (checks.some((check) => hasWords(check, only))) return
  throw new UsageError({
    code: 'no_check',
    task: `verify only "${only}"`,
    reason: 'no check has these words',
    help: 'Use words of the checks that --verbose lists.',
  })
}

/** Whether a check has all of the words in its id, name or clause. */
function hasWords({ id, name, clause }: Check, words: string): boolean {
  const text = `${id} ${name} ${clause}`.toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** After so many removals in a row without a success, no more are sent. */
const MAX_FAILURES = 3

/** Removes what a run created and has not removed, the newest first, where the document has an operation for it. */
async function removeOwnRecords(session: Session): Promise<void> {
  let failures = 0
  for (const path of session.gate.own.newestFirst) {
    const remove = session.target.contract.operations.find(
      (one) => one.method === 'DELETE' && isOnRecord(one) && isAt(path, templateOf(one)),
    )
    if (!remove || !session.gate.own.has(path)) continue
    if (failures >= MAX_FAILURES) return
    const isRemoved = await removeAt(session, remove, `/${path.slice(1).join('/')}`)
    failures = isRemoved ? 0 : failures + 1
  }
}

/** Whether an operation is on one record, and on nothing below it. */
function isOnRecord(operation: Operation): boolean {
  return recordTemplate(operation).length === segmentsOf(operation.path).length
}

async function removeAt(session: Session, remove: Operation, path: string): Promise<boolean> {
  try {
    const request = await validRequest(remove, session)
    const target = withPath(request.target, path)
    const removed = await sendPatiently(session, { ...request, target })
    return removed.status < 300 || isGone(removed)
  } catch (error) {
    if (error instanceof NotSent || error instanceof NoResponse) return false
    throw error
  }
}

/** Waits once when the quota is used up. */
async function sendPatiently(session: Session, request: ProbeRequest): Promise<ProbeResponse> {
  const response = await session.sendOutsideBudget(request)
  if (response.status !== 429) return response
  await session.waitFor(retryAfter(response), 'what the run created is removed')
  return await session.sendOutsideBudget(request)
}
