import type { Fact, Judgement } from './facts/fact.ts'
import { shorten } from './facts/judge.ts'
import type { Answer, Question } from './service/answer.ts'
import { curlOf, KEY_VARIABLE } from './service/curl.ts'
import type { Difference } from './twin.ts'

/** Characters of a key that is worth hiding. */
const SHORTEST_KEY = 8

/** What a run of {@link verify} found: plain data. */
export interface Verification {
  /** The base address. */
  readonly target: string
  /** The document's title and version. */
  readonly contract: string
  /** In the document's order, what is about no operation last. */
  readonly checks: readonly CheckResult[]
  /** How many of them ended in which way. */
  readonly totals: Readonly<Record<CheckResult['status'], number>>
  /** Why the target could not be verified; absent when it could. */
  readonly unusable?: string
  /** With `twin`: where the sandbox does not tell the truth about the target. */
  readonly differences?: readonly Difference[]
  /** Requests sent. */
  readonly requests: number
  /** Requests allowed. */
  readonly budget: number
  /** Milliseconds, waits included. */
  readonly duration: number
  /** Milliseconds that were waited for the quota. */
  readonly waited: number
}

/** What became of one check. */
export interface CheckResult extends Fact {
  /** `differs`: a decision that the target does not share, where decisions do not count. */
  readonly status: 'passed' | 'failed' | 'differs' | 'left-out'
  /** Why it was left out. */
  readonly reason?: string
  /** What failed, in words. */
  readonly expected?: string
  readonly received?: string
  /** The request at which it failed. */
  readonly exchange?: ShownExchange
}

/** A request and its answer, as a report shows them: without the key. */
export interface ShownExchange {
  /** A line for a shell in which `$PET_SANDBOX_KEY` holds the key. */
  readonly curl: string
  readonly request: { readonly method: string; readonly url: string; readonly body?: string }
  /** Absent when none came. */
  readonly response?: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    /** Its start. */
    readonly body: string
  }
}

/** As much of a body as is kept. */
const SHOWN = 1000

/** Makes results of judgements. */
export class Reporter {
  readonly #base: string
  readonly #key: string
  readonly #decisions: boolean

  /** `decisions` tells whether they count. */
  constructor(base: string, key: string, decisions: boolean) {
    this.#base = base
    this.#key = key
    this.#decisions = decisions
  }

  result(fact: Fact, judgement: Judgement): CheckResult {
    const plain = factOnly(fact)
    if (judgement === 'passed') return { ...plain, status: 'passed' }
    if ('leftOut' in judgement) {
      return { ...plain, status: 'left-out', reason: this.hide(judgement.leftOut) }
    }
    const { answer, expected, received } = judgement

    return {
      ...plain,
      status: this.#failed(fact),
      expected: this.hide(expected),
      received: this.hide(received),
      ...(answer && { exchange: this.exchange(answer.question, answer) }),
    }
  }

  /** A request to which no answer came. */
  unanswered(fact: Fact, question: Question | undefined, reason: string): CheckResult {
    return {
      ...factOnly(fact),
      status: this.#failed(fact),
      expected: 'an answer',
      received: this.hide(reason),
      ...(question && { exchange: this.exchange(question) }),
    }
  }

  #failed({ decision }: Fact): 'failed' | 'differs' {
    return decision && !this.#decisions ? 'differs' : 'failed'
  }

  exchange(question: Question, answer?: Answer): ShownExchange {
    const { method, target, body } = question
    return {
      curl: this.hide(curlOf(question, this.#base)),
      request: {
        method,
        url: this.hide(this.#base + target),
        ...(body !== undefined && { body: shorten(body, SHOWN) }),
      },
      ...(answer && {
        response: {
          status: answer.status,
          headers: Object.fromEntries(
            [...answer.headers].map(([name, value]) => [name, this.hide(value)]),
          ),
          body: this.hide(shorten(answer.text, SHOWN)),
        },
      }),
    }
  }

  /** Servers quote what they were sent; the key shows nowhere. One of a few letters would be found in any text. */
  hide(text: string): string {
    return this.#key.length < SHORTEST_KEY ? text : text.replaceAll(this.#key, `$${KEY_VARIABLE}`)
  }
}

function factOnly({ id, name, clause, operation, decision }: Fact): Fact {
  return {
    id,
    name,
    clause,
    ...(operation !== undefined && { operation }),
    ...(decision && { decision }),
  }
}

/** How many checks ended in which way. */
export function totalsOf(checks: readonly CheckResult[]): Verification['totals'] {
  const count = (wanted: CheckResult['status']): number =>
    checks.filter(({ status }) => status === wanted).length

  return {
    passed: count('passed'),
    failed: count('failed'),
    differs: count('differs'),
    'left-out': count('left-out'),
  }
}
