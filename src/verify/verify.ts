import type { Contract } from '../contract/contract.ts'
import { UsageError } from '../validation/usage-error.ts'
import type { Fact } from './facts/fact.ts'
import { type Settings, settingsOf, type VerifyOptions } from './options.ts'
import { planFor } from './plan.ts'
import type { Probe } from './probes/probe.ts'
import { alternatives, baseOf } from './service/address.ts'
import { type Answer, NotSent } from './service/answer.ts'
import { Unanswered } from './service/receive.ts'
import { numberIn, Session, waitOf } from './service/session.ts'
import { unusable, type Verdict } from './service/unusable.ts'
import { Twin } from './twin.ts'
import { type CheckResult, Reporter, totalsOf, type Verification } from './verification.ts'

/** Requests in a row without an answer, after which no more are sent. */
const PATIENCE = 3

/**
 * Checks whether the server at a base address does what a contract says. Never throws for what the server does; throws a
 * `UsageError` for options that are wrong.
 */
export async function verify(
  target: string,
  contract: Contract,
  options: VerifyOptions = {},
): Promise<Verification> {
  return await new Run(baseOf(target), contract, settingsOf(options)).toEnd()
}

class Run {
  readonly #base: string
  readonly #contract: Contract
  readonly #settings: Settings
  readonly #session: Session
  readonly #reporter: Reporter
  readonly #results: CheckResult[] = []
  #twin: Twin | undefined
  #verdict: Verdict | undefined
  #silent = 0

  constructor(base: string, contract: Contract, settings: Settings) {
    const { key, onProgress } = settings
    this.#base = base
    this.#contract = contract
    this.#settings = settings
    this.#reporter = new Reporter(base, key, settings.decisions)
    this.#session = new Session(base, {
      ...settings,
      onWait: (length, why) => onProgress({ kind: 'wait', milliseconds: length, why }),
    })
  }

  async toEnd(): Promise<Verification> {
    const { budget, now, twin } = this.#settings
    const start = now()
    const { probes, observations } = planFor(this.#contract)
    this.#requireAny([...probes.flatMap(({ facts }) => facts), ...observations])
    for (const probe of probes) {
      if (!this.#verdict && this.#isWanted(probe)) await this.#try(probe)
    }
    const { answers, known } = this.#session
    this.#verdict ??= refusedAlways(answers)
    for (const fact of observations) {
      this.#results.push(this.#reporter.result(fact, fact.judge(answers, known)))
    }
    const reason = this.#verdict && (await this.#explain(this.#verdict))
    const checks = this.#verdict ? [] : this.#inOrder()

    return {
      target: this.#base,
      contract: `${this.#contract.title} ${this.#contract.version}`,
      checks,
      totals: totalsOf(checks),
      ...(reason !== undefined && { unusable: this.#reporter.hide(reason) }),
      ...(twin && !this.#verdict && { differences: this.#twin?.differences() ?? [] }),
      requests: this.#session.sent,
      budget,
      duration: now() - start,
      waited: this.#session.waited,
    }
  }

  #requireAny(facts: readonly Fact[]): void {
    const { only } = this.#settings
    if (facts.some((fact) => isAbout(fact, only))) return
    throw new UsageError(
      'no_check',
      `Cannot verify only "${only}": no check has these words. Use words of those that --verbose lists.`,
    )
  }

  /** Whether a probe is about what is asked for, or the ground for others. */
  #isWanted({ facts, isBasic }: Probe): boolean {
    return isBasic === true || facts.some((fact) => isAbout(fact, this.#settings.only))
  }

  /** Sends what a probe asks, if it may, and judges what comes. */
  async #try(probe: Probe): Promise<void> {
    const { answers: all } = this.#session
    const before = all.length
    const reason = this.#refusal(probe)
    if (reason !== undefined) return this.#leaveOut(probe, reason)
    try {
      const answers = await probe.ask(this.#session)
      this.#silent = 0
      for (const fact of probe.facts) {
        const judgement = fact.judge(answers, this.#session.known)
        this.#results.push(this.#reporter.result(fact, judgement))
      }
      await this.#follow(probe, all.slice(before))
    } catch (error) {
      if (error instanceof NotSent) this.#leaveOut(probe, error.message)
      else if (error instanceof Unanswered) this.#noAnswer(probe, error)
      else throw error
    }
    this.#verdict ??= unusable(all)
    const { onProgress, budget } = this.#settings
    onProgress({ kind: 'request', sent: this.#session.sent, budget })
  }

  /** Why a probe is not sent; `undefined` when it is. */
  #refusal({ needs, cost, facts }: Probe): string | undefined {
    const { writes, exhaust, decisions, twin, budget } = this.#settings
    if (needs === 'writes' && !writes) return 'it could write: add --allow-writes'
    if (needs === 'exhaust' && !exhaust) return 'it spends the quota: add --exhaust'
    if (!decisions && !twin && facts.every(({ decision }) => decision)) {
      return 'the specification leaves it open, and --no-decisions was given'
    }
    if (this.#silent >= PATIENCE) return 'the target stopped answering'
    if (cost > this.#session.affordable) return `the budget of ${budget} requests is spent`
    return undefined
  }

  #leaveOut({ facts }: Probe, leftOut: string): void {
    for (const fact of facts) this.#results.push(this.#reporter.result(fact, { leftOut }))
  }

  #noAnswer({ facts }: Probe, { message, question }: Unanswered): void {
    this.#silent += 1
    if (this.#session.answers.length === 0) this.#verdict = { reason: message }
    const [first, ...rest] = facts
    if (first) this.#results.push(this.#reporter.unanswered(first, question, message))
    for (const fact of rest) {
      this.#results.push(this.#reporter.result(fact, { leftOut: 'no answer came to judge by' }))
    }
  }

  /** The twin's limit is the one that the target told first. */
  async #follow(probe: Probe, answers: readonly Answer[]): Promise<void> {
    const [first] = answers
    if (!this.#settings.twin || !first) return
    this.#twin ??= new Twin(this.#contract, numberIn(first.headers, 'X-RateLimit-Limit'))
    await this.#twin.follow(probe, answers)
  }

  /** The verdict's reason, and where the service is instead, if a request or two can tell. */
  async #explain({ reason, isElsewhere }: Verdict): Promise<string> {
    const question = this.#session.answers[0]?.question
    if (!isElsewhere || !question) return reason
    for (const base of alternatives(this.#base, this.#contract)) {
      const found = await this.#session.look(base, question)
      if (found?.value !== undefined && found.status !== 404)
        return `${reason}. Did you mean ${base}?`
    }
    return `${reason}: is this the base address of the API, version segment included?`
  }

  #inOrder(): CheckResult[] {
    const order = this.#contract.operations.map(({ id }) => id)
    const placeOf = ({ operation }: CheckResult): number =>
      operation === undefined ? order.length : order.indexOf(operation)
    return this.#results
      .filter((result) => isAbout(result, this.#settings.only))
      .sort((one, two) => placeOf(one) - placeOf(two))
  }
}

/** Nothing can be said of a service that serves nothing for now. */
function refusedAlways(answers: readonly Answer[]): Verdict | undefined {
  const last = answers.filter(({ question }) => question.credentials === 'key').at(-1)
  const isRefused = answers.every(
    ({ status, question }) => status === 429 || question.credentials !== 'key',
  )
  if (!last || !isRefused) return undefined
  const wait = waitOf(last)
  const hint = wait === undefined ? '' : `: try again in ${Math.ceil(wait / 1000)} s`

  return { reason: `it answers 429 to every request with the key${hint}` }
}

/** Whether a fact has all of the words. */
function isAbout({ id, name, clause }: Fact, words: string): boolean {
  const text = `${id} ${name} ${clause}`.toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
