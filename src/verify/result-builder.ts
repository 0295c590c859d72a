import { type Check, type Evaluation, shorten } from './checks/check.ts'
import { curlCommand, KEY_VARIABLE } from './session/curl.ts'
import type { ProbeRequest, ProbeResponse } from './session/messages.ts'
import { outgoingRequest, type Target } from './session/outgoing-request.ts'
import type { CheckResult, ExchangeExcerpt } from './verification.ts'

/** A shorter key is not hidden, because it would be found in unrelated words. */
const MIN_KEY_LENGTH = 8

/** The number of characters of a body in an excerpt. */
const MAX_BODY_LENGTH = 1000

/** Creates check results. The key is replaced everywhere, also where the server returned it. */
export class ResultBuilder {
  readonly #target: Target
  readonly #decisions: boolean

  /** `decisions`: whether a failed check of a decision counts as failed. */
  constructor(target: Target, decisions: boolean) {
    this.#target = target
    this.#decisions = decisions
  }

  fromEvaluation(check: Check, evaluation: Evaluation): CheckResult {
    const data = dataOf(check)
    if (evaluation === 'passed') return { ...data, status: 'passed' }
    if ('leftOut' in evaluation) {
      return { ...data, status: 'left-out', reason: this.hideKey(evaluation.leftOut) }
    }
    const { response, expected, received } = evaluation

    return {
      ...data,
      status: this.#failedStatus(check),
      expected: this.hideKey(expected),
      received: this.hideKey(received),
      ...(response && { exchange: this.#excerpt(response.request, response) }),
    }
  }

  /** For a request without a response. */
  fromNoResponse(check: Check, request: ProbeRequest | undefined, reason: string): CheckResult {
    return {
      ...dataOf(check),
      status: this.#failedStatus(check),
      expected: 'a response',
      received: this.hideKey(reason),
      ...(request && { exchange: this.#excerpt(request) }),
    }
  }

  hideKey(text: string): string {
    const { key } = this.#target
    return key.length < MIN_KEY_LENGTH ? text : text.replaceAll(key, `$${KEY_VARIABLE}`)
  }

  #failedStatus({ decision }: Check): 'failed' | 'differs' {
    return decision && !this.#decisions ? 'differs' : 'failed'
  }

  #excerpt(request: ProbeRequest, response?: ProbeResponse): ExchangeExcerpt {
    const { method, body } = request
    return {
      curl: this.hideKey(curlCommand(request, this.#target)),
      request: {
        method,
        url: this.hideKey(outgoingRequest(request, this.#target).url),
        ...(body !== undefined && { body: shorten(body, MAX_BODY_LENGTH) }),
      },
      ...(response && {
        response: {
          status: response.status,
          headers: Object.fromEntries(
            [...response.headers].map(([name, value]) => [name, this.hideKey(value)]),
          ),
          body: this.hideKey(shorten(response.text, MAX_BODY_LENGTH)),
        },
      }),
    }
  }
}

/** A check without its implementation. */
function dataOf({ id, name, clause, operation, decision }: Check): Check {
  return {
    id,
    name,
    clause,
    ...(operation !== undefined && { operation }),
    ...(decision && { decision }),
  }
}
