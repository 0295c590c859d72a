import type { Keys } from '../contract/credentials.ts'
import { curlCommand, shellQuoted } from '../requests/curl.ts'
import { type Check, type Evaluation, shorten } from './checks/check.ts'
import {
  outgoingRequest,
  type ProbeRequest,
  type ProbeResponse,
  type Target,
} from './session/messages.ts'
import type { CheckResult, ExchangeExcerpt } from './verification.ts'

/** The environment variables that replace secrets in the output. */
const KEY_VARIABLE = 'PET_SANDBOX_KEY'
const OTHER_KEY_VARIABLE = 'PET_SANDBOX_OTHER_KEY'

/** Headers whose values are secrets. */
const SECRET_HEADER = /auth|token|key|secret|password|cookie|session/i

/** A longer body does not fit into a command line. */
const MAX_COMMAND_LENGTH = 2000

/** A shorter key is not hidden, because it would be found in unrelated words. */
const MIN_KEY_LENGTH = 8

/** The number of characters of a body in an excerpt. */
const MAX_BODY_LENGTH = 1000

/** Creates check results. The key is replaced everywhere, also where the server returned it. */
export class ResultBuilder {
  readonly #target: Target
  /** The texts that are secret, with the variables that replace them. The longest ones come first. */
  readonly #secrets: readonly Secret[]
  readonly #decisions: boolean
  /** The first check that a response failed. */
  readonly #causes = new Map<ProbeResponse, string>()

  /** `decisions`: whether a failed check of a decision counts as failed. */
  constructor(target: Target, decisions: boolean) {
    this.#target = target
    this.#secrets = secretsOf(target)
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
    return this.#secrets.reduce(
      (hidden, [secret, variable]) => hidden.replaceAll(secret, `$${variable}`),
      text,
    )
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
  const { key, otherKey, headers = [] } = target
  const { body, user, ...others } = outgoingRequest(request, {
    ...target,
    key: placeholders(key, KEY_VARIABLE),
    ...(otherKey !== undefined && { otherKey: placeholders(otherKey, OTHER_KEY_VARIABLE) }),
    headers: headers.map(([name, value]) => [
      name,
      SECRET_HEADER.test(name) ? placeholderOf(variableFor(name)) : value,
    ]),
  })
  const hasPassword = /:./.test(outgoingRequest(request, target).user ?? '')
  const shown = {
    ...others,
    ...(user !== undefined && { user: hasPassword ? user.replace(/:$/, '') : user }),
    ...(body && { body: { ...body, text: shorten(body.text, MAX_COMMAND_LENGTH) } }),
  }
  return curlCommand(shown, quoted)
}

/** A text that is secret, and the variable that replaces it. */
type Secret = readonly [text: string, variable: string]

function secretsOf({ key, otherKey = '', headers = [] }: Target): readonly Secret[] {
  const secrets = [
    ...textsOf(key, KEY_VARIABLE),
    ...textsOf(otherKey, OTHER_KEY_VARIABLE),
    ...headers
      .filter(([name]) => SECRET_HEADER.test(name))
      .map(([name, value]) => [value, variableFor(name)] as const),
  ]
  return secrets
    .filter(([text]) => text.length >= MIN_KEY_LENGTH)
    .flatMap(([text, variable]) => [
      [text, variable] as const,
      [encodeURIComponent(text), variable] as const,
    ])
    .sort(([one], [other]) => other.length - one.length)
}

/** Each key, with its variable. */
function textsOf(keys: Keys, variable: string): readonly Secret[] {
  if (typeof keys === 'string') return [[keys, variable]]
  return Object.entries(keys).map(([name, key]) => [key, variableOf(variable, name)])
}

/** Keys that stand for the given ones in a command. */
function placeholders(keys: Keys, variable: string): Keys {
  if (typeof keys === 'string') return placeholderOf(variable)
  const all = Object.keys(keys).map(
    (name) => [name, placeholderOf(variableOf(variable, name))] as const,
  )
  return Object.fromEntries(all)
}

function variableOf(variable: string, scheme: string): string {
  return scheme === '' ? variable : `${variable}_${variableFor(scheme)}`
}

/** A name as that of an environment variable: `X-Tenant` as `X_TENANT`. */
function variableFor(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')
}

function placeholderOf(variable: string): string {
  return `\${${variable}}`
}

/** A placeholder as it is, and percent-encoded. */
const PLACEHOLDER = /\$\{([A-Z0-9_]+)\}|%24%7B([A-Z0-9_]+)%7D/g

/** The shell replaces a variable in double quotes only. */
function quoted(text: string): string {
  const plain = text.replace(PLACEHOLDER, (_, own = '', encoded = '') =>
    placeholderOf(own + encoded),
  )
  const parts = plain.split(/(\$\{[A-Z0-9_]+\})/)
  if (parts.length === 1) return shellQuoted(text)
  const escaped = parts.map((part, at) => (at % 2 === 1 ? part : part.replace(/[\\"$`]/g, '\\$&')))

  return `"${escaped.join('').replace(/\$\{(\w+)\}$/, '$$$1')}"`
}
