import type { Answer, Question } from './answer.ts'
import { curlOf, KEY_VARIABLE } from './curl.ts'
import type { Fact, Judgement } from './fact.ts'
import { shorten } from './judge.ts'
import type { Difference } from './twin.ts'

/** What a run of {@link verify} found: plain data. */
export interface Verification {
  /** The base address. */
  readonly target: string
  /** The document's title and version. */
  readonly contract: string
  /** In the document's order, what is about no operation last. */
  readonly checks: readonly CheckResult[]
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
  readonly status: 'passed' | 'failed' | 'left-out'
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

  constructor(base: string, key: string) {
    this.#base = base
    this.#key = key
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
      status: 'failed',
      expected: this.hide(expected),
      received: this.hide(received),
      ...(answer && { exchange: this.exchange(answer.question, answer) }),
    }
  }

  /** A request to which no answer came. */
  unanswered(fact: Fact, question: Question | undefined, reason: string): CheckResult {
    return {
      ...factOnly(fact),
      status: 'failed',
      expected: 'an answer',
      received: this.hide(reason),
      ...(question && { exchange: this.exchange(question) }),
    }
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

  /** Servers quote what they were sent; the key shows nowhere. */
  hide(text: string): string {
    return this.#key === '' ? text : text.replaceAll(this.#key, `$${KEY_VARIABLE}`)
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
