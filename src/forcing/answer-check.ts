import type { Contract, MediaType, Operation } from '../contract/contract.ts'
import {
  chooseResponse,
  contentOf,
  type DocumentedResponse,
  documentedResponse,
  invalidInputStatus,
  mainContentOf,
} from '../contract/documented-response.ts'
import { isJson } from '../contract/json.ts'
import { propertiesOf } from '../contract/schema.ts'
import { describeErrors } from '../contract/validation-errors.ts'
import { hasContent } from '../http/message.ts'
import { DURATION_RANGE } from '../time/clock.ts'
import { isObject } from '../validation/objects.ts'
import { shortened, suggest, suggestionInBrackets } from '../validation/usage-error.ts'
import {
  integerFrom,
  is,
  oneOf,
  spell,
  type ValueCheck,
  type ValueMistake,
  type ValuePath,
} from '../validation/value-check.ts'
import { answers, answersOf, type ForcedAnswer, type ForceRule } from './force-rule.ts'
import { FAULTS, hasRetryAfter, isResponseFault, OUTCOMES, outcomeOf } from './outcomes.ts'

const SECONDS_PER_YEAR = 31_536_000

/** The checks of the fields of an answer. */
export function answerChecks(quotaNames: readonly string[]): Readonly<Record<string, ValueCheck>> {
  return {
    outcome: oneOf('outcome', OUTCOMES),
    status: integerFrom(200, 599),
    example: NAME,
    body: JSON_DATA,
    fields: mapOfAll(NAME),
    headers: checkHeaders(quotaNames),
    retryAfter: integerFrom(1, SECONDS_PER_YEAR),
    latency: DURATION_RANGE,
    fault: oneOf('fault', FAULTS),
  }
}

export const NAME: ValueCheck = is(
  'a text that is not empty',
  (value) => typeof value === 'string' && value !== '',
)

export const SIMPLE_VALUE: ValueCheck = is('a string, a number or a boolean', (value) =>
  ['string', 'number', 'boolean'].includes(typeof value),
)

export const JSON_DATA: ValueCheck = is('JSON data', (value) => {
  try {
    return JSON.stringify(value) !== undefined
  } catch {
    return false
  }
})

/** An object with any names, but not without one. */
export function mapOfAll(check: ValueCheck): ValueCheck {
  return (value, path, mistakes) => {
    if (!isObject(value) || Object.keys(value).length === 0)
      return is('an object with at least one member', () => false)(value, path, mistakes)
    for (const [name, member] of Object.entries(value)) check(member, [...path, name], mistakes)
  }
}

/** Headers of CORS, of the framing, and those with the figures of the quota. Their values depend on more than an answer. */
const RESERVED =
  /^(access-control-.*|x-ratelimit-.*|date|content-length|transfer-encoding|connection|keep-alive|trailer|upgrade)$/

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/
const HEADER_VALUE = is(
  'a text that a header can have',
  (value) => typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
)

function checkHeaders(quotaNames: readonly string[]): ValueCheck {
  return (value, path, mistakes) => {
    mapOfAll(HEADER_VALUE)(value, path, mistakes)
    for (const name of isObject(value) ? Object.keys(value) : []) {
      const lower = name.toLowerCase()
      const isReserved = RESERVED.test(lower) || quotaNames.includes(lower)
      if (HEADER_NAME.test(name) && !isReserved) continue
      const what = isReserved ? 'is written by the sandbox itself' : 'is not the name of a header'
      const reason = `the header ${JSON.stringify(shortened(name))} ${what}`
      mistakes.push({ path: [...path, name], part: 'key', reason, help: 'Leave it out.' })
    }
  }
}

/** A list of statuses, outcomes, `next` and answers. */
export function checkSeries(answer: ValueCheck): ValueCheck {
  const word = oneOf('answer', ['next', ...OUTCOMES])
  const status = integerFrom(200, 599)
  const list = is('an array with at least one answer', (value) => isList(value) && value.length > 0)
  const checkOne: ValueCheck = (value, path, mistakes) => {
    if (typeof value === 'string') return word(value, path, mistakes)
    if (!isAnswer(value)) return status(value, path, mistakes)
    const before = mistakes.length
    answer(value, path, mistakes)
    if (mistakes.length === before) checkAnswer({ rule: value, path, mistakes })
  }
  return (value, path, mistakes) => {
    list(value, path, mistakes)
    for (const [at, one] of (isList(value) ? value : []).entries()) {
      checkOne(one, [...path, at], mistakes)
    }
  }
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** Whether a value may be a rule or an answer. */
export function isAnswer(value: unknown): value is ForceRule {
  return isObject(value)
}

/** A rule or an answer whose form is right, and the mistakes that are found in it. */
export interface CheckedAnswer {
  readonly rule: ForceRule
  readonly path: ValuePath
  readonly mistakes: ValueMistake[]
}

/** Adds the mistake that a field does not go with another one. */
export function refuseField(
  { path, mistakes }: CheckedAnswer,
  field: string,
  because: string,
): void {
  const at = [...path, field]
  const reason = `${spell(at)} must be left out, because ${because}`
  mistakes.push({ path: at, part: 'value', reason })
}

/** Whether the fields of an answer go together. */
export function checkAnswer(at: CheckedAnswer): void {
  const { rule, path, mistakes } = at
  if (!answers(rule) && rule.latency === undefined && rule.to === undefined) {
    const place = path.length === 0 ? 'the rule' : spell(path)
    const reason = `${place} does not say what is forced`
    return void mistakes.push({ path, part: 'value', reason, help: MISSING_ANSWER })
  }
  checkOutcome(at)
  checkStatus(at)
  const { fields: wrong, example, retryAfter, series } = rule
  if (wrong && example !== undefined) refuseField(at, 'fields', 'the example says what is wrong')
  const outcome = outcomeOf(rule)
  const isForRetry = series !== undefined || (outcome !== undefined && hasRetryAfter(outcome))
  if (retryAfter === undefined || isForRetry) return
  const kind = rule.outcome === undefined ? 'answer' : 'outcome'
  refuseField(at, 'retryAfter', `this ${kind} sends no Retry-After`)
}

const MISSING_ANSWER =
  'Give an outcome, a status, an example, a body, fields, headers, a latency, a fault or a series.'

/** Whether a status leaves room for the other fields of an answer. */
function checkStatus(at: CheckedAnswer): void {
  const { status, outcome, fields: wrong } = at.rule
  if (status === undefined) return
  if (outcome !== undefined) refuseField(at, 'status', `the outcome "${outcome}" has a status`)
  if (wrong && status < 400) refuseField(at, 'fields', `a response ${status} is no error`)
  if (hasContent(status)) return
  for (const name of ['body', 'example'] as const) {
    if (at.rule[name] !== undefined) refuseField(at, name, `a response ${status} has no body`)
  }
}

/** Whether an outcome leaves room for the other fields of an answer. */
function checkOutcome(at: CheckedAnswer): void {
  const { outcome, fields: wrong, fault } = at.rule
  if (outcome === undefined) return
  const isSilent = outcome === 'reset' || outcome === 'timeout'
  for (const name of ['example', 'body', 'fields', 'headers', 'fault'] as const) {
    if (isSilent && at.rule[name] !== undefined)
      refuseField(at, name, `the outcome "${outcome}" has no response`)
  }
  if (wrong && !isSilent && outcome !== 'bad-request')
    refuseField(at, 'fields', `the outcome "${outcome}" is not about the input`)
  if (fault && isResponseFault(outcome) && outcome !== 'slow')
    refuseField(at, 'fault', `the outcome "${outcome}" is one`)
}

/** The status that an answer has by the document; `undefined` when it is that of the operation. */
export function statusOfAnswer(
  { status, fields, example }: ForcedAnswer,
  operation: Operation,
): number | undefined {
  if (status !== undefined) return status
  if (fields) return invalidInputStatus(operation)
  if (example === undefined) return undefined
  const statuses = operation.responses.map((response) => response.status)
  const usual = chooseResponse(operation).status

  return [usual, ...statuses].find((one) => exampleNames(operation, one).includes(example))
}

/** The names of the examples that an operation has, in the response with this status or in all. */
export function exampleNames(operation: Operation, status?: number): readonly string[] {
  const { responses, otherResponses = [] } = operation
  const own = status === undefined ? undefined : [documentedResponse(operation, status)]
  const all: readonly (DocumentedResponse | undefined)[] = own ?? [...responses, ...otherResponses]

  return all
    .flatMap((response) => (response ? contentOf(response) : []))
    .flatMap(({ examples = [] }) => examples)
    .flatMap(({ name }) => name ?? [])
}

const PART = /^(body|query|path|header)(?=[.[])/

/** Where a wrong field is, such as `body.label`. Without a part of the request, it is in the body, or a parameter where there is none. */
export function locationOfField(
  field: string,
  { body, parameters }: Pick<Operation, 'body' | 'parameters'>,
): string {
  if (PART.test(field)) return field
  const parameter = body ? undefined : parameters.find(({ name }) => name === field)
  return `${parameter?.in ?? 'body'}${field.startsWith('[') ? '' : '.'}${field}`
}

/** What the document says otherwise about a rule: sentences. Only a rule for one operation has a document's answer. */
export function warningsOf(
  rule: ForceRule,
  { operations, securitySchemes, subscriptions = [] }: Contract,
): readonly string[] {
  const hasNoKeys = rule.key !== undefined && securitySchemes?.length === 0
  const never = [
    ...(hasNoKeys ? ['The document has no credentials, so no request has a key.'] : []),
    ...unknownSubscription(rule, subscriptions),
  ]
  const operation = operations.find(({ id }) => id === rule.operation)
  if (!operation) return never
  const { query, body } = rule.where ?? {}
  const conditions = Object.entries({ query, body }).flatMap(([part, values]) =>
    isObject(values) ? Object.keys(values).map((name) => `${part}.${name}`) : [],
  )
  const warnings = answersOf(rule).flatMap((answer) => [
    ...unknownFields(Object.keys(answer.fields ?? {}), operation),
    ...[warningOf(answer, operation) ?? []].flat(),
  ])

  return [...new Set([...never, ...unknownFields(conditions, operation), ...warnings])]
}

/** What is wrong with the path of a subscription whose collection has none. The subscription itself may be created later. */
function unknownSubscription(
  { subscription }: ForceRule,
  collections: readonly string[],
): readonly string[] {
  if (subscription === undefined) return []
  const lastOf = (name: string): string | undefined => name.split('/').at(-1)
  const collection = subscription.split('/').at(-2)
  if (collections.some((name) => lastOf(name) === collection)) return []
  const known = collections.length > 0 ? ` They are in ${collections.join(', ')}.` : ''
  return [`No subscription is at ${subscription}.${known}`]
}

/** The fields that the request of an operation does not have, as far as the document names what it has. */
function unknownFields(fields: readonly string[], operation: Operation): readonly string[] {
  const { id, body, parameters } = operation
  return fields.flatMap((field) => {
    const location = locationOfField(field, operation)
    const [, part = '', inside = '', name = ''] = /^(\w+)\.(([^.[]+).*)/.exec(location) ?? []
    const known =
      part === 'body'
        ? [...(body ? propertiesOf(body.schema).keys() : [])]
        : parameters.flatMap((one) => (one.in === part ? [one.name] : []))
    const isKnown = known.some((one) => inside === one || /^[.[]/.test(after(inside, one)))
    if (name === '' || known.length === 0 || isKnown) return []
    const nearest = suggestionInBrackets(suggest(name, known))
    return [`The request of ${id} has no ${part}.${name}${nearest}.`]
  })
}

/** What follows a text in another that starts with it; empty where it does not. */
function after(text: string, start: string): string {
  return text.startsWith(start) ? text.slice(start.length) : ''
}

function warningOf(answer: ForcedAnswer, operation: Operation): string | undefined {
  const { body, headers, outcome } = answer
  if (outcome !== undefined) return undefined
  const status = statusOfAnswer(answer, operation) ?? chooseResponse(operation).status
  const documented = documentedResponse(operation, status)
  if (!documented) {
    return answer.status === undefined
      ? undefined
      : `The document has no response ${status} for ${operation.id}.`
  }
  const isOther = Object.keys(headers ?? {}).some((name) => /^content-type$/i.test(name))
  if (body === undefined || isOther) return undefined
  const media = hasContent(status) ? mainContentOf(documented) : undefined
  const reason = media && mistakeInPart(body, media)
  if (reason === undefined) return undefined

  return `The body does not fit the response ${status} of ${operation.id}: ${reason}.`
}

/** Keywords of a schema whose alternatives may fail only because something is missing. */
const ALTERNATIVES = /^(anyOf|oneOf|not|if|contains)$/

/** Keywords that fail when something is missing. */
const MISSING = /^(required|minProperties|dependent\w+)$/

/** What a schema does not allow in a part of a body, besides what the part leaves out; `undefined` when it may be right. */
function mistakeInPart(part: unknown, { mediaType, validate }: MediaType): string | undefined {
  if (!validate || !isJson(mediaType) || validate(part)) return undefined
  const errors = validate.errors ?? []
  const isIncomplete = isObject(part) && errors.some(({ keyword }) => MISSING.test(keyword))
  if (isIncomplete && errors.some(({ keyword }) => ALTERNATIVES.test(keyword))) return undefined
  const certain = isObject(part) ? errors.filter(({ keyword }) => !MISSING.test(keyword)) : errors

  return certain.length === 0 ? undefined : describeErrors('body', certain)
}
