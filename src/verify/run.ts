import type { Operation } from '../contract/contract.ts'
import { documentedResponse } from '../contract/documented-response.ts'
import { parseJsonText } from '../contract/json.ts'
import { isLoopback } from '../events/targets.ts'
import { isObject } from '../validation/objects.ts'
import { UsageError } from '../validation/usage-error.ts'
import { cleanUp, plannedChanges, restoreSettings } from './changes.ts'
import {
  type Check,
  type CheckDefinition,
  type Evaluation,
  failure,
  type LeftOut,
  NO_RESPONSE,
  operationCheck,
  shorten,
} from './checks/check.ts'
import type { EventCheck } from './checks/sent-events.ts'
import { fuzzedOperations } from './fuzz/commands.ts'
import { fuzz, fuzzBudget } from './fuzz/fuzz.ts'
import { isFailure, withParents } from './fuzz/play.ts'
import { Lanes, runInLanes } from './lanes.ts'
import { integerIn, NotSent, type ProbeResponse, type Target } from './messages.ts'
import type { OperationSelection } from './operation-selection.ts'
import { byValue, chooseProbes } from './probe-choice.ts'
import { withOneCause } from './probes/authentication.ts'
import { withSharedCollections } from './probes/other-key.ts'
import { ORDER, type Probe } from './probes/probe.ts'
import { ReferenceSandbox } from './reference-sandbox.ts'
import { ResultBuilder } from './result-builder.ts'
import type { RefusedBody, RefusedField } from './session/accepted-bodies.ts'
import { EventAddresses, type EventReceiver } from './session/event-addresses.ts'
import type { PlannedChanges, VerifySettings } from './session/options.ts'
import { NoResponse } from './session/send-and-read.ts'
import { EXCLUDED, INTERRUPTED, Session } from './session/session.ts'
import { isRefusedByRule } from './session/stated-rules.ts'
import {
  NEEDS_WRITES,
  ProbeSelection,
  reasonToForbid,
  shadowedOperations,
  signInOperations,
  type TestPlan,
} from './test-plan.ts'
import {
  alternatives,
  findAlwaysLimited,
  findUnusable,
  type UnusableServer,
} from './unusable-server.ts'
import {
  type CheckResult,
  countExercised,
  type FuzzSummary,
  type LeftBehind,
  totalsOf,
  type Verification,
} from './verification.ts'

/** After so many probes in a row without a response, no more requests are sent. */
const MAX_PROBES_WITHOUT_RESPONSE = 3

/** So many responses say whether a server can be tested. */
const FIRST_RESPONSES = 30

const RULED: LeftOut = { leftOut: 'the description has a rule for the value that was refused' }

const OF_SIGN_IN = 'an endpoint of sign-in, which serves only the clients that the service knows'

/** One run: it sends the probes of a plan, evaluates the responses, and cleans up. */
export class Run {
  readonly #target: Target
  readonly #settings: VerifySettings
  readonly #plan: TestPlan
  readonly #probes: readonly Probe[]
  readonly #selection: ProbeSelection
  readonly #session: Session
  readonly #builder: ResultBuilder
  readonly #results: CheckResult[] = []
  readonly #operations: OperationSelection
  readonly #deadline: number
  readonly #changes: PlannedChanges
  readonly #lanes: Lanes
  /** Why operations were not exercised. */
  readonly #reasons: Map<Operation, string>
  #reference: ReferenceSandbox | undefined
  #unusable: UnusableServer | undefined
  #probesWithoutResponse = 0
  #findings = 0

  constructor(
    target: Target,
    settings: VerifySettings,
    plan: TestPlan,
    operations: OperationSelection,
  ) {
    const { excluded } = operations
    this.#operations = operations
    const { onProgress, now, timeLimit } = settings
    this.#target = target
    this.#settings = settings
    this.#plan = plan
    this.#probes = plan.probes.filter((probe) => this.#isSelected(probe))
    this.#selection = new ProbeSelection(this.#probes, settings)
    this.#deadline = now() + timeLimit
    this.#session = new Session(target, {
      ...settings,
      excluded,
      deadline: this.#deadline,
      onWait: (milliseconds, why) => onProgress({ kind: 'wait', milliseconds, why }),
    })
    this.#builder = new ResultBuilder(target, settings.decisions, this.#session.bodies)
    this.#lanes = new Lanes(target.contract, this.#probes)
    this.#changes = plannedChanges(this.#probes, this.#session, settings)
    const shadowed = shadowedOperations(target.contract)
    this.#reasons = new Map([
      ...shadowed.map((one) => [one, 'an earlier operation has the same method and path'] as const),
      ...signInOperations(target.contract).map((one) => [one, OF_SIGN_IN] as const),
      ...[...excluded].map((one) => [one, EXCLUDED] as const),
    ])
  }

  /** The responses of all requests, in their order. */
  get responses(): readonly ProbeResponse[] {
    return this.#session.responses
  }

  async execute(): Promise<Verification> {
    const listening = await this.#listen()
    try {
      return await this.#execute(listening)
    } finally {
      await listening.close()
    }
  }

  async #execute({ evaluate }: ListeningForEvents): Promise<Verification> {
    const { budget, now, twin, onProgress } = this.#settings
    const { base, contract } = this.#target
    const session = this.#session
    const start = now()
    const subject = {
      target: base,
      contract: `${contract.title} ${contract.version}`,
      changes: this.#changes,
    }
    onProgress({ kind: 'start', ...subject })
    for (const probes of this.#inOrder()) await this.#executeProbes(probes)
    this.#unusable ??= findAlwaysLimited(session.responses)
    const fuzzed = await this.#fuzz()
    this.#evaluate(this.#plan.checksOfAllResponses, session.responses)
    for (const body of session.bodies.refused) {
      for (const check of acceptedFieldChecks(body)) this.#evaluate([check], [body.response])
      if (session.bodies.hasNone(body.operation)) this.#noteWithoutBody(body)
    }
    const operations = countExercised(contract, session.exercised, this.#reasons)
    const stopped = this.#reasonToStop()
    await session.addresses?.quiet(this.#settings.signal)
    const left = await this.#cleanUp()
    evaluate()
    const reason = this.#unusable && (await this.#explain(this.#unusable))
    const checks = this.#unusable ? [] : this.#sortedResults()

    return {
      ...subject,
      checks,
      totals: totalsOf(checks),
      operations,
      created: session.gate.own.created,
      left,
      ...(stopped !== undefined && { stopped }),
      ...(reason !== undefined && { unusable: this.#builder.hideKey(reason) }),
      ...(twin && !this.#unusable && { differences: this.#reference?.differences() ?? [] }),
      requests: session.sent,
      budget,
      ...(fuzzed && { fuzz: fuzzed }),
      duration: now() - start,
      waited: session.waited,
    }
  }

  /** Listens for what the service sends by itself, where it can. */
  async #listen(): Promise<ListeningForEvents> {
    const target = this.#target
    const checks = this.#checksOfEvents
    const opened = checks.length > 0 ? await openReceiver(target, this.#settings) : NO_LISTENER
    if ('leftOut' in opened) {
      const evaluate = (): void => this.#addResults(checks, () => opened)
      return { evaluate, close: async () => undefined }
    }
    const addresses = new EventAddresses(target.contract, opened)
    this.#session.addresses = addresses
    const evaluate = (): void => this.#addResults(checks, (check) => check.evaluate(addresses))
    return { evaluate, close: opened.close }
  }

  /** The most valuable probes that the budget allows come first, and then the others. What uses up the quota is the last. */
  #inOrder(): readonly (readonly Probe[])[] {
    const allowed = this.#probes.filter((one) => reasonToForbid(one, this.#settings) === undefined)
    const chosen = chooseProbes(allowed, this.#settings.budget)
    const isLast = ({ order }: Probe): boolean => order >= ORDER.quota
    const first = this.#probes.filter((one) => !isLast(one))
    const others = first.filter((one) => !chosen.has(one))

    return [first.filter((one) => chosen.has(one)), byValue(others), this.#probes.filter(isLast)]
  }

  async #executeProbes(probes: readonly Probe[]): Promise<void> {
    await runInLanes(
      probes,
      (probe) => this.#lanes.of(probe),
      () => this.#concurrency,
      async (probe) => {
        if (!this.#unusable) await this.#executeProbe(probe)
        this.#selection.end(probe)
      },
    )
  }

  /** How many probes may be sent at once. The first responses show whether the server can be tested. */
  get #concurrency(): number {
    const { twin, changes, concurrency } = this.#settings
    const { responses, hasLimits } = this.#session
    return twin || changes || hasLimits || responses.length < FIRST_RESPONSES ? 1 : concurrency
  }

  /** Random requests, after all others. What they find is a check that fails, with its shortest sequence of requests. */
  async #fuzz(): Promise<FuzzSummary | undefined> {
    const { fuzz: requests, seed, writes } = this.#settings
    if (requests === 0 || this.#unusable) return undefined
    const session = this.#session
    const { tested, isPart, excluded } = this.#operations
    const isTested = (one: Operation): boolean =>
      !excluded.has(one) && (!isPart || tested.has(one)) && !this.#reasons.has(one)
    session.allowMore(fuzzBudget(requests) - Math.max(0, session.remainingBudget))
    const known = this.#plan.checksOfAllResponses.filter((check) =>
      isFailure(check.evaluate(session.responses, session.records)),
    )
    const { findings, ...counts } = await fuzz(
      fuzzedOperations(this.#target, { writes }, isTested),
      session,
      {
        ...{ requests, seed, known: new Set(known.map(({ id }) => id)) },
        reasonToStop: () => this.#reasonToStop(),
      },
    )
    for (const { check, evaluation, sequence } of findings) {
      const result = this.#builder.fromEvaluation(check, evaluation)
      this.#results.push({
        ...result,
        sequence: this.#builder.commandsFor(withParents(sequence.responses, session.responses)),
      })
    }
    return { seed, ...counts }
  }

  async #cleanUp(): Promise<LeftBehind[]> {
    const left = await cleanUp(this.#session, this.#lanes, () => this.#concurrency)
    return left.map(({ what, reason, request }) => ({
      what,
      reason: this.#builder.hideKey(reason),
      ...(request && { curl: this.#builder.commandFor(request) }),
    }))
  }

  /** An operation that accepted no body was not exercised. */
  #noteWithoutBody({ operation, response }: RefusedBody): void {
    if (documentedResponse(operation, response.status) === undefined) return
    this.#session.exercised.delete(operation)
    const reason = `it refused every body that was made from the document with ${response.status}: give one with --data`
    this.#reasons.set(operation, reason)
  }

  /** Why no more checks are sent. */
  #reasonToStop(): string | undefined {
    const { signal, now, timeLimit } = this.#settings
    if (signal?.aborted) return INTERRUPTED
    if (now() >= this.#deadline) return `the time limit of ${timeLimit / 1000} s is reached`
    return undefined
  }

  /** A prerequisite is sent even if only other checks are selected, and so is for checks of events what may cause some. */
  #isSelected({ checks, isPrerequisite, requires }: Probe): boolean {
    const isCause = requires === 'writes' && this.#checksOfEvents.length > 0
    return (
      isPrerequisite === true ||
      isCause ||
      checks.some((check) => hasWords(check, this.#settings.check))
    )
  }

  /** The selected checks of events. */
  get #checksOfEvents(): readonly EventCheck[] {
    return this.#plan.checksOfEvents.filter(
      (check) => this.#isTested(check) && hasWords(check, this.#settings.check),
    )
  }

  #isTested({ operation }: Check): boolean {
    const { tested, isPart } = this.#operations
    return !isPart || [...tested].some(({ id }) => id === operation)
  }

  async #executeProbe(probe: Probe): Promise<void> {
    const { responses: all } = this.#session
    const before = all.length
    if (this.#selection.isDone(probe, this.#session)) return
    const reason =
      this.#probesWithoutResponse >= MAX_PROBES_WITHOUT_RESPONSE
        ? 'the server stopped responding'
        : (this.#reasonToStop() ?? this.#selection.reasonToLeaveOut(probe, this.#session))
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
    await restoreSettings(this.#session)
    this.#unusable ??= findUnusable(all.slice(0, FIRST_RESPONSES), this.#target.contract)
    const { onProgress, budget } = this.#settings
    const { sent, exercised } = this.#session
    onProgress({
      kind: 'request',
      sent,
      budget,
      exercised: exercised.size,
      operations: this.#target.contract.operations.length,
      findings: this.#findings,
    })
  }

  #evaluate(checks: Probe['checks'], responses: readonly ProbeResponse[]): void {
    const { records } = this.#session
    this.#addResults(checks, (check) => this.#explained(check.evaluate(responses, records)))
  }

  #addResults<T extends Check>(checks: readonly T[], evaluate: (check: T) => Evaluation): void {
    for (const check of checks) {
      const result = this.#builder.fromEvaluation(check, evaluate(check))
      if (result.status === 'failed' && result.consequenceOf === undefined) this.#findings += 1
      this.#results.push(result)
    }
  }

  /** A service may refuse a value for which the description of the property or of the operation has a rule. */
  #explained(evaluation: Evaluation): Evaluation {
    const { texts } = this.#target
    if (typeof evaluation === 'string' || !('response' in evaluation) || !texts) return evaluation
    const { response, expected } = evaluation
    const isRuled = response && /^2/.test(expected) && isRefusedByRule(response, texts)
    return isRuled ? RULED : evaluation
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
    this.#findings += 1
    if (first) this.#results.push(this.#builder.fromNoResponse(first, request, message))
    this.#leaveOut({ checks: rest }, 'no response to evaluate')
  }

  /** The reference sandbox has the limit that the first response of the server states. */
  async #compareWithReference(probe: Probe, responses: readonly ProbeResponse[]): Promise<void> {
    const [first] = responses
    // The sandbox has one key only.
    const isOfOther = responses.some(({ request }) => request.credentials === 'other-key')
    if (!this.#settings.twin || !first || isOfOther) return
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
    const results = withSharedCollections(withOneCause(this.#results), this.#target.contract)
      .filter((result) => this.#isTested(result) && hasWords(result, this.#settings.check))
      .sort((one, other) => placeOf(one) - placeOf(other))
    const shown = new Set(results.map(({ id }) => id))

    return results.map(({ consequenceOf, ...result }) => ({
      ...result,
      ...(consequenceOf !== undefined && shown.has(consequenceOf) && { consequenceOf }),
    }))
  }
}

/** What a run does with the events that the service sends. */
interface ListeningForEvents {
  /** Evaluates what has arrived. */
  readonly evaluate: () => void
  /** Also after a failure: a process with an open receiver would not end. */
  readonly close: () => Promise<void>
}

const NO_LISTENER: LeftOut = { leftOut: 'nothing listens for events in this run' }

const ELSEWHERE: LeftOut = {
  leftOut: 'the service is not on this machine, so that it can send no events to the run',
}

/** Listens where a service on this machine can send its events; why not, otherwise. */
async function openReceiver(
  { base }: Target,
  { writes, listen }: VerifySettings,
): Promise<EventReceiver | LeftOut> {
  if (!writes) return { leftOut: NEEDS_WRITES }
  if (!listen) return NO_LISTENER
  const { hostname } = new URL(base)
  if (!isLoopback(hostname)) return ELSEWHERE
  try {
    return await listen(hostname === '[::1]' ? '::1' : '127.0.0.1')
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return { leftOut: `the run cannot listen for events: ${error.reason}` }
  }
}

/** Whether a check has all of the words in its id, name or clause. */
export function hasWords({ id, name, clause }: Check, words: string): boolean {
  const text = `${id} ${name} ${clause}`.toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** The number of characters of a value in the name of a check. */
const MAX_LENGTH = 40

/**
 * A service accepts the values that the document allows. Where the document allows any text or number, a service may have rules that
 * only a description states, so that its refusal is a decision, as long as the document has its status.
 */
function acceptedFieldChecks({
  operation,
  response,
  fields,
}: RefusedBody): readonly CheckDefinition[] {
  const isDocumented = documentedResponse(operation, response.status) !== undefined
  const blamed = blamedIn(response)
  return fields.map((field) => {
    const { name, refused, isExact } = field
    // The service says that it refuses something else.
    const isOther = blamed.length > 0 && !blamed.includes(name)
    const what = refused === undefined ? `a body without ${name}` : `${name}=${shown(refused)}`
    return operationCheck(
      operation,
      `accepts/${name}`,
      `accepts ${what}`,
      ([first]) => (first ? failure(first, expectedOf(field)) : NO_RESPONSE),
      isDocumented && (!isExact || isOther) ? { decision: true } : {},
    )
  })
}

/** The properties of a refused body that the refusal names. */
function blamedIn({ request, text }: ProbeResponse): readonly string[] {
  const body = parseJsonText(request.body ?? '')
  const names = Object.keys(isObject(body) ? body : {})
  return names.filter((name) => text.includes(`"${name}"`) || text.includes(`/${name}"`))
}

function expectedOf(field: RefusedField): string {
  const { name } = field
  const other = 'accepted' in field ? `with ${name}=${shown(field.accepted)}` : `without ${name}`
  return `2xx, because the document allows it; the server accepts the body ${other}`
}

function shown(value: unknown): string {
  return shorten(JSON.stringify(value) ?? '', MAX_LENGTH)
}
