import { curlCommand, shellQuoted } from '../requests/curl.ts'
import { type Check, type Evaluation, shorten } from './checks/check.ts'
import {
  outgoingRequest,
  type ProbeRequest,
  type ProbeResponse,
  type Target,
} from './session/messages.ts'
import type { CheckResult, ExchangeExcerpt } from './verification.ts'

/** The environment variable that replaces the key in the output. */
const KEY_VARIABLE = 'PET_SANDBOX_KEY'

/** The same in a command. */
const KEY_PLACEHOLDER = `\${${KEY_VARIABLE}}`

/** A longer body does not fit into a command line. */
const MAX_COMMAND_LENGTH = 2000

/** A shorter key is not hidden, because it would be found in unrelated words. */
const MIN_KEY_LENGTH = 8

/** The number of characters of a body in an excerpt. */
const MAX_BODY_LENGTH = 1000

/** Creates check results. The key is replaced everywhere, also where the server returned it. */
export class ResultBuilder {
  readonly #target: Target
  readonly #decisions: boolean
  /** The first check that a response failed. */
  readonly #causes = new Map<ProbeResponse, string>()

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
    const status = this.#failedStatus(check)
    const cause = response && this.#causeOf(response, check, status)

    return {
      ...data,
      status,
      expected: this.hideKey(expected),
      received: this.hideKey(received),
      ...(cause !== undefined && { consequenceOf: cause }),
      ...(response && { exchange: this.#excerpt(response.request, response) }),
    }
  }

  /** The first check that an error response failed. Other checks of it fail for the same reason. */
  #causeOf(
    response: ProbeResponse,
    { id }: Check,
    status: CheckResult['status'],
  ): string | undefined {
    if (response.status < 400 || status !== 'failed') return undefined
    const cause = this.#causes.get(response)
    if (cause === undefined) this.#causes.set(response, id)
    return cause
  }

  /** A shell command that sends the request, without the key. */
  commandFor(request: ProbeRequest): string {
    return this.hideKey(commandOf(request, this.#target))
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
      curl: this.commandFor(request),
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

/** A `curl` command that sends the request, with the key in `$PET_SANDBOX_KEY`. */
function commandOf(request: ProbeRequest, target: Target): string {
  const { body, user, ...others } = outgoingRequest(request, { ...target, key: KEY_PLACEHOLDER })
  const hasPassword = target.key.includes(':')
  const shown = {
    ...others,
    ...(user !== undefined && { user: hasPassword ? user.replace(/:$/, '') : user }),
    ...(body && { body: { ...body, text: shorten(body.text, MAX_COMMAND_LENGTH) } }),
  }
  return curlCommand(shown, quoted)
}

/** The placeholder of the key, as it is and percent-encoded. */
const PLACEHOLDERS = [KEY_PLACEHOLDER, encodeURIComponent(KEY_PLACEHOLDER)]

/** The shell replaces a variable in double quotes only. */
function quoted(text: string): string {
  if (PLACEHOLDERS.every((one) => !text.includes(one))) return shellQuoted(text)
  const quoted = text
    .replaceAll(encodeURIComponent(KEY_PLACEHOLDER), KEY_PLACEHOLDER)
    .split(KEY_PLACEHOLDER)
    .map((part) => part.replace(/[\\"$`]/g, '\\$&'))
    .join(KEY_PLACEHOLDER)

  return `"${quoted.replace(/\$\{(\w+)\}$/, '$$$1')}"`
}
