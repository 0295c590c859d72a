import type { Keys } from '../contract/credentials.ts'
import { documentedResponse } from '../contract/documented-response.ts'
import { curlCommand, shellQuoted } from '../requests/curl.ts'
import { type Check, type CheckDefinition, type Evaluation, shorten } from './checks/check.ts'
import {
  isSuccess,
  outgoingRequest,
  type ProbeRequest,
  type ProbeResponse,
  type Target,
} from './messages.ts'
import { withNames } from './preview.ts'
import { type AcceptedBodies, isInvalidInput } from './session/accepted-bodies.ts'
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

/** A check without how it is evaluated. */
type EvaluatedCheck = Omit<CheckDefinition, 'evaluate'>

/** Creates check results. The key is replaced everywhere, also where the server returned it. */
export class ResultBuilder {
  readonly #target: Target
  /** The texts that are secret, with the variables that replace them. The longest ones come first. */
  readonly #secrets: readonly Secret[]
  readonly #decisions: boolean
  readonly #bodies: AcceptedBodies
  /** The first check that failed for each cause. */
  readonly #causes = new Map<unknown, string>()

  /** `decisions`: whether a failed check of a decision counts as failed. `bodies`: what the server refused and accepted. */
  constructor(target: Target, decisions: boolean, bodies: AcceptedBodies) {
    this.#target = target
    this.#bodies = bodies
    this.#secrets = secretsOf(target)
    this.#decisions = decisions
  }

  fromEvaluation(check: EvaluatedCheck, evaluation: Evaluation): CheckResult {
    if (evaluation === 'passed') return { ...dataOf(check), status: 'passed' }
    if ('leftOut' in evaluation) {
      return { ...dataOf(check), status: 'left-out', reason: this.hideKey(evaluation.leftOut) }
    }
    const { response, expected, received } = evaluation
    const isUnknown = response !== undefined && this.#isOfUnknownBody(response, check)
    const data = dataOf(isUnknown ? { ...check, decision: true } : check)
    const status = this.#failedStatus(data)
    const cause = response && this.#causeOf(response, check, status, evaluation.about)
    if (status === 'differs' && isUnknown && cause !== undefined)
      return { ...dataOf(check), status: 'left-out', reason: NO_BODY }

    return {
      ...data,
      status,
      expected: this.hideKey(expected),
      received: this.hideKey(received),
      ...(cause !== undefined && { consequenceOf: cause }),
      ...(response && { exchange: this.#excerpt(response.request, response) }),
    }
  }

  /** The first check that failed for the same reason, if there is one. */
  #causeOf(
    response: ProbeResponse,
    check: EvaluatedCheck,
    status: CheckResult['status'],
    about: string | undefined,
  ): string | undefined {
    const key = this.#reasonOf(response, check, about)
    const isCounted = status === 'failed' || this.#isOfUnknownBody(response, check)
    if (key === undefined || !isCounted) return undefined
    const cause = this.#causes.get(key)
    if (cause === undefined) this.#causes.set(key, check.id)
    return cause
  }

  /**
   * What is the same for checks that fail for one reason: an error response; a body of which the server accepts no form; a status by
   * which a server refuses what is invalid, instead of the documented one; an operation that does not check its input; a property that
   * is not kept (`about`).
   */
  #reasonOf(response: ProbeResponse, check: EvaluatedCheck, about?: string): unknown {
    const { status, request } = response
    const { rejects, operation = '', decision, id, cause } = check
    if (status >= 500) return `${request.operation?.id} fails with ${status}`
    if (cause !== undefined) return cause
    if (about !== undefined) return `${about} of ${collectionOf(request)}`
    if (this.#isOfUnknownBody(response, check)) return `body of ${operation}`
    if (rejects !== undefined && !decision) {
      if (isSuccess(response))
        return `${operation} accepts an invalid ${rejects} ${rejects === 'query' ? typeOfValue(id) : ''}`
      const isDocumented = request.operation?.responses.some((one) => one.status === status)
      if (status < 500 && !isDocumented) return `${status} for invalid input`
    }
    return status < 400 ? undefined : response
  }

  /** Whether the server refuses all bodies of an operation by a status that the document has for invalid ones: it may have rules that the document does not state. */
  #isOfUnknownBody(response: ProbeResponse, { rejects }: EvaluatedCheck): boolean {
    const { operation } = response.request
    if (!operation || rejects !== undefined || !isInvalidInput(response)) return false
    return (
      this.#bodies.hasNone(operation) &&
      documentedResponse(operation, response.status) !== undefined
    )
  }

  /** A shell command that sends the request, without the key. */
  commandFor(request: ProbeRequest): string {
    return this.hideKey(commandOf(request, this.#target))
  }

  /** Shell commands that send the requests of a sequence. What a response decides has its name in braces. */
  commandsFor(responses: readonly ProbeResponse[]): readonly string[] {
    return responses.map(({ request }, at) => {
      const { target, fromResponses } = withNames(request, responses.slice(0, at))
      const notes = fromResponses.map(({ name, request: from }) => `${name}: response ${from}`)
      const note = notes.length > 0 ? ` # ${notes.join(', ')}` : ''
      return this.commandFor({ ...request, target }) + note
    })
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
    const { secrets = [] } = this.#target
    const others = secrets.map((secret) => [secret, KEY_VARIABLE] as const)
    return [...this.#secrets, ...others].reduce(
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

const NO_BODY = 'the server accepts no body that was made from the document: give one with --data'

/** The type that the value of a parameter should have had, by the id of its check: `listBooks/active=abc` has a word. */
function typeOfValue(id: string): string {
  return /=abc$/.test(id) ? 'a word instead of a value' : id
}

/** The path of the collection that a request is about. */
function collectionOf({ operation }: ProbeRequest): string {
  return operation?.path.replace(/\/\{[^/]*\}\/?$/, '') ?? ''
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
