import type { Contract } from '../contract/contract.ts'
import { milliseconds } from '../duration.ts'
import { type Answer, NotSent } from './answer.ts'
import type { Fact, Judgement } from './fact.ts'
import { baseOf, type Settings, settingsOf, type VerifyOptions } from './options.ts'
import { planFor } from './plan.ts'
import type { Probe } from './probe.ts'
import { Unanswered } from './receive.ts'
import { numberIn, Session } from './session.ts'
import { Twin } from './twin.ts'
import { unusable } from './unusable.ts'
import { type CheckResult, Reporter, type Verification } from './verification.ts'

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
  const settings = settingsOf(options)
  const run = new Run(baseOf(target), contract, settings)

  return await run.toEnd()
}

class Run {
  readonly #base: string
  readonly #contract: Contract
  readonly #settings: Settings
  readonly #session: Session
  readonly #reporter: Reporter
  readonly #results: CheckResult[] = []
  #twin: Twin | undefined
  #unusable: string | undefined
  #silent = 0

  constructor(base: string, contract: Contract, settings: Settings) {
    const { key, budget, fetch, now, sleep, onProgress } = settings
    this.#base = base
    this.#contract = contract
    this.#settings = settings
    this.#reporter = new Reporter(base, key)
    this.#session = new Session(base, {
      key,
      budget,
      timeout: milliseconds(settings.timeout),
      fetch,
      now,
      sleep,
      onWait: (length, why) => onProgress({ kind: 'wait', milliseconds: length, why }),
    })
  }

  async toEnd(): Promise<Verification> {
    const { budget, now, twin } = this.#settings
    const start = now()
    const { probes, observations } = planFor(this.#contract)
    for (const probe of probes) {
      if (this.#unusable !== undefined) break
      await this.#try(probe)
    }
    const isUsable = this.#unusable === undefined
    for (const fact of observations) {
      const { decisions } = this.#settings
      const judgement: Judgement =
        fact.decision && !decisions
          ? DECISION
          : fact.judge(this.#session.answers, this.#session.known)
      if (isUsable) this.#results.push(this.#reporter.result(fact, judgement))
    }

    return {
      target: this.#base,
      contract: `${this.#contract.title} ${this.#contract.version}`,
      checks: isUsable ? this.#inOrder() : [],
      ...(this.#unusable !== undefined && {
        unusable: this.#reporter.hide(this.#unusable),
      }),
      ...(twin && isUsable && { differences: this.#twin?.differences() ?? [] }),
      requests: this.#session.sent,
      budget,
      duration: now() - start,
      waited: this.#session.waited,
    }
  }

  /** Sends what a probe asks, if it may, and judges what comes. */
  async #try(probe: Probe): Promise<void> {
    const { decisions, twin, only } = this.#settings
    if (!(probe.isBasic || probe.facts.some((fact) => isAbout(fact, only)))) return
    const isOfInterest = decisions || twin || probe.facts.some(({ decision }) => !decision)
    const reason = isOfInterest ? this.#refusal(probe) : undefined
    if (!isOfInterest || reason !== undefined) {
      this.#leaveOut(probe, reason ?? DECISION.leftOut)
      return
    }
    const { answers: all, sent } = this.#session
    const before = all.length
    const first = sent === 0
    try {
      const answers = await probe.ask(this.#session)
      this.#silent = 0
      this.#judge(probe, answers)
      await this.#follow(probe, all.slice(before))
    } catch (error) {
      if (error instanceof NotSent) this.#leaveOut(probe, error.message)
      else if (error instanceof Unanswered) this.#noAnswer(probe, error, first)
      else throw error
    }
    this.#unusable ??= unusable(all)
    this.#settings.onProgress({
      kind: 'request',
      sent: this.#session.sent,
      planned: this.#settings.budget,
    })
  }

  #judge(probe: Probe, answers: readonly Answer[]): void {
    const { decisions } = this.#settings
    for (const fact of probe.facts) {
      const judgement =
        fact.decision && !decisions ? DECISION : fact.judge(answers, this.#session.known)
      this.#results.push(this.#reporter.result(fact, judgement))
    }
  }

  /** Why a probe is not sent; `undefined` when it is. */
  #refusal({ needs, cost }: Probe): string | undefined {
    const { writes, exhaust, budget } = this.#settings
    if (needs === 'writes' && !writes) return 'it could write: add --allow-writes'
    if (needs === 'exhaust' && !exhaust) return 'it spends the quota: add --exhaust'
    if (this.#silent >= PATIENCE) return 'the target stopped answering'
    if (cost > this.#session.affordable) return `the budget of ${budget} requests is spent`
    return undefined
  }

  #leaveOut({ facts }: Probe, leftOut: string): void {
    for (const fact of facts) {
      const judgement = fact.decision && !this.#settings.decisions ? DECISION : { leftOut }
      this.#results.push(this.#reporter.result(fact, judgement))
    }
  }

  #noAnswer({ facts }: Probe, { message, question }: Unanswered, first: boolean): void {
    this.#silent += 1
    if (first) this.#unusable = message
    for (const fact of facts) {
      if (fact.decision && !this.#settings.decisions) {
        this.#results.push(this.#reporter.result(fact, DECISION))
      } else {
        this.#results.push(this.#reporter.unanswered(fact, question, message))
      }
    }
  }

  /** The twin's limit is the one that the target told first. */
  async #follow(probe: Probe, answers: readonly Answer[]): Promise<void> {
    const [first] = answers
    if (!this.#settings.twin || !first) return
    this.#twin ??= new Twin(this.#contract, numberIn(first.headers, 'X-RateLimit-Limit'))
    await this.#twin.follow(probe, answers)
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

/** Whether a fact has all of the words. */
function isAbout({ id, name, clause }: Fact, words: string): boolean {
  const text = `${id} ${name} ${clause}`.toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

const DECISION = { leftOut: 'the specification leaves it open: add --decisions' } as const
