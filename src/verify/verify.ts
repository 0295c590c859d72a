import type { Contract, Operation } from '../contract/contract.ts'
import { UsageError } from '../validation/usage-error.ts'
import type { Check } from './checks/check.ts'
import { baseOf, toSettings, type VerifyOptions, type VerifySettings } from './options.ts'
import type { Probe } from './probes/probe.ts'
import { ReferenceSandbox } from './reference-sandbox.ts'
import { ResultBuilder } from './result-builder.ts'
import {
  integerIn,
  NotSent,
  type ProbeRequest,
  type ProbeResponse,
  retryAfter,
  type Target,
} from './session/messages.ts'
import { isSameTemplate } from './session/own-records.ts'
import { recordTemplate, segmentsOf, withPath } from './session/record-address.ts'
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
    const [base, ...segments] = path
    const remove = session.target.contract.operations.find(
      (one) =>
        one.method === 'DELETE' && (one.basePaths?.[0] ?? '') === base && isFor(one, segments),
    )
    if (!remove || !session.gate.own.has(path)) continue
    if (failures >= MAX_FAILURES) return
    const isRemoved = await removeAt(session, remove, `/${segments.join('/')}`)
    failures = isRemoved ? 0 : failures + 1
  }
}

async function removeAt(session: Session, remove: Operation, path: string): Promise<boolean> {
  try {
    const request = await validRequest(remove, session)
    const target = withPath(request.target, path)
    const removed = await sendPatiently(session, { ...request, target })
    return removed.status < 300 || removed.status === 404 || removed.status === 410
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

/** Whether an operation is on the record at a path, and on nothing below it. */
function isFor(operation: Operation, path: readonly string[]): boolean {
  const template = segmentsOf(operation.path)
  if (recordTemplate(operation).length !== template.length) return false
  const named = template.map((segment, at) => (segment.includes('{') ? segment : (path[at] ?? '')))
  return isSameTemplate(template, named) && template.length === path.length
}
