import type { Contract, MediaType, Operation } from '../contract/contract.ts'
import {
  chooseResponse,
  contentOf,
  type DocumentedResponse,
  documentedKey,
  documentedResponse,
  errorForm,
  invalidInputStatus,
} from '../contract/documented-response.ts'
import type { FailureHints } from '../contract/hints.ts'
import { isJson } from '../contract/json.ts'
import { isObjectSchema, propertiesOf } from '../contract/schema.ts'
import { filledForComparison, valueIn } from '../contract/templates.ts'
import type { ForcedEffect } from '../forcing/rules.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import { Problem } from '../http/problem.ts'
import { type AnsweringService, generationTime } from '../responses/answering-service.ts'
import { orderMediaTypes } from '../responses/choose-media-type.ts'
import { writerOf } from '../responses/content/writers.ts'
import {
  appliedExample,
  preferredExample,
  prefersGenerated,
  type WrittenValue,
  writeValue,
} from '../responses/documented-answer.ts'
import { withDocumentedHeaders } from '../responses/documented-headers.ts'
import { type ExampleContent, namedExample } from '../responses/documented-value.ts'
import { forcedError } from '../responses/forced-content.ts'
import { isObject } from '../validation/objects.ts'
import { type ErrorFacts, factsOf } from './error-facts.ts'
import type { FoundValue, TemplateOptions } from './fill-error.ts'

/** A refused request. */
interface RefusedRequest {
  /** Absent when the request could not be read. */
  readonly request?: CoreRequest | undefined
  /** Absent when none matched. */
  readonly operation?: Operation | undefined
  /** Present when the problem was forced. */
  readonly effect?: ForcedEffect | undefined
  /** The body of the request; absent when it was not read. */
  readonly body?: Uint8Array | undefined
  /** Epoch milliseconds. */
  readonly now: number
}

/** The response to a problem in the form that the document describes for it. */
export async function documentedError(
  given: Problem,
  refused: RefusedRequest,
  service: AnsweringService,
): Promise<CoreResponse> {
  const { request, operation, effect, now } = refused
  const { contract } = service.settings
  const codes = { ...contract.sandbox?.codes, ...operation?.hints?.codes }
  const known = withStatus(given, effect ? given.status : statusOf(given, operation))
  const problem = withCode(known, codes[given.code])
  const failures = operation?.hints?.failures
  if (failures && isFailure(problem, effect)) {
    return failedResponse(problem, failures, refused, codes[given.code])
  }
  const answer = effect?.answer
  const forcing = answer && forcedError(answer)
  const plain = forcing ? forcing.plain(problem.toResponse()) : problem.toResponse()
  // A status of 0 breaks the connection.
  if (plain.fault) return plain
  const form = errorResponse(problem.status, operation, contract)
  const text = forcing?.text(form?.isOwn === true)
  if (!form || text) {
    const own = text ? { ...plain, ...text, headers: { ...plain.headers, ...text.headers } } : plain
    return withHeaders(own, refused, service)
  }
  const types = { content: contentOf(form.response), accept: request?.header('accept') }
  const prefer = request?.header('prefer')
  const facts = factsOf(problem, now, request, contract.sandbox?.errors)
  const show: ShowContent = forcing?.show ?? asIs
  const wanted = { ...types, prefer, service, show, example: answer?.example }
  const named = form.isOwn ? await namedErrorContent(plain, wanted) : undefined
  const content = named ?? (await errorContent(form, facts, wanted))
  const response = { ...plain, ...content, headers: { ...plain.headers, ...content?.headers } }

  return withHeaders(response, refused, service)
}

/** A problem with the code that the document has for it. */
function withCode(problem: Problem, code: string | number | undefined): Problem {
  if (code === undefined) return problem
  return new Problem(problem.status, String(code), problem.message, problem.headers, problem)
}

/** Whether a problem is one that some documents answer with a success: not a spent quota or a broken server, and no status that was forced. */
function isFailure({ status }: Problem, effect: ForcedEffect | undefined): boolean {
  const isReal = !effect || (!effect.answer && effect.status === undefined && !effect.applied)
  return isReal && status >= 400 && status < 500 && status !== 429
}

/** The response with the headers that the document declares for its status. */
function withHeaders(
  response: CoreResponse,
  { request, operation }: RefusedRequest,
  service: AnsweringService,
): CoreResponse | Promise<CoreResponse> {
  const { headers } = (operation && documentedResponse(operation, response.status)) ?? {}
  if (!request || !operation || !headers) return response

  return withDocumentedHeaders(response, headers, { request, operation, service, parameters: {} })
}

/** The status that the document has for a problem. */
function statusOf({ status }: Problem, operation: Operation | undefined): number {
  return status === 400 && operation ? invalidInputStatus(operation) : status
}

function withStatus(problem: Problem, status: number): Problem {
  if (problem.status === status) return problem
  return new Problem(status, problem.code, problem.message, problem.headers, problem)
}

/** The documented response whose form an error has. */
interface ErrorResponse {
  readonly response: DocumentedResponse
  /** The operation that has it. */
  readonly operation: Operation
  /** Whether the document has this response for the status of the error. */
  readonly isOwn: boolean
}

/**
 * The documented response of an error: that of its operation and status. An error that the document does not describe, or
 * describes without content, has the form that most errors of its operation have, else of the document.
 */
function errorResponse(
  status: number,
  operation: Operation | undefined,
  contract: Contract,
): ErrorResponse | undefined {
  if (!operation) return sharedForm(status, contract)
  const response = errorForm(operation, status)
  if (response && contentOf(response).length > 0) return { response, operation, isOwn: true }
  const form = mostCommon(errorsOf(operation)) ?? sharedForm(status, contract)
  // Beside a success in `default`, only an object tells what errors look like.
  if (!response && documentedResponse(operation, status) && !isObjectForm(form)) return undefined

  return form && { ...form, isOwn: false }
}

function isObjectForm(form: ErrorResponse | undefined): boolean {
  return (
    form !== undefined &&
    contentOf(form.response).some(({ schema }) => schema && isObjectSchema(schema))
  )
}

/** An error response of an operation, and its status, or range of statuses. */
interface DocumentedError extends ErrorResponse {
  readonly status: number | string
}

/** So many operations, evenly spread, show what errors a document has. */
const MAX_OPERATIONS = 60

const errors = new WeakMap<Contract, readonly DocumentedError[]>()

/** The form that most operations have for a status, else for any error. */
function sharedForm(status: number, contract: Contract): ErrorResponse | undefined {
  const all = errors.get(contract) ?? jsonFirst(errorsIn(contract))
  errors.set(contract, all)

  return mostCommon(all.filter((one) => one.status === status)) ?? mostCommon(all)
}

/** The error responses of some operations; of all, where these have none. */
function errorsIn({ operations }: Contract): readonly DocumentedError[] {
  const found = spread(operations).flatMap(errorsOf)
  return found.length > 0 ? found : operations.flatMap(errorsOf)
}

/** The responses with JSON, if there are any: clients of a document expect it of an error that it does not describe. */
function jsonFirst(responses: readonly DocumentedError[]): readonly DocumentedError[] {
  const withJson = responses.filter(({ response }) =>
    contentOf(response).some(({ mediaType }) => isJson(mediaType)),
  )
  return withJson.length > 0 ? withJson : responses
}

function spread(operations: readonly Operation[]): readonly Operation[] {
  const step = Math.max(1, Math.ceil(operations.length / MAX_OPERATIONS))
  return operations.filter((_, at) => at % step === 0)
}

/** The error responses of an operation that have other content than files. */
function errorsOf(operation: Operation): readonly DocumentedError[] {
  const { responses, otherResponses = [] } = operation
  const listed = [
    ...responses.map((response) => ({ response, status: response.status })),
    ...otherResponses.map((response) => ({ response, status: response.range })),
  ]
  // Some documents describe the only response of an operation as `default`, although it is a success.
  const hasSuccess = documentedKey(operation, chooseResponse(operation).status) !== 'default'
  return listed
    .filter(({ status }) => isError(status) || (status === 'default' && hasSuccess))
    .filter(({ response }) => contentOf(response).some(({ mediaType }) => !isFile(mediaType)))
    .map(({ response, status }) => ({ response, status, operation, isOwn: false }))
}

/** A file, such as an image, says nothing about another error. */
function isFile(mediaType: string): boolean {
  return writerOf(mediaType).isFile === true
}

function isError(status: number | string): boolean {
  return /^[45]/.test(String(status))
}

/** The first response with the schema that most responses have. */
function mostCommon(responses: readonly DocumentedError[]): ErrorResponse | undefined {
  const groups = new Map<unknown, DocumentedError[]>()
  for (const one of responses) {
    const [media] = contentOf(one.response)
    const key = media?.schema ?? media?.mediaType
    const group = groups.get(key)
    if (group) group.push(one)
    else groups.set(key, [one])
  }
  const [largest] = [...groups.values()].sort((one, other) => other.length - one.length)

  return largest?.[0]
}

/** How content is made. */
interface ContentContext extends ErrorTypes {
  readonly prefer: string | undefined
  readonly service: AnsweringService
  /** The name of the example that is forced. */
  readonly example: string | undefined
  /** Adds what is forced to the value of the body. */
  readonly show: ShowContent
}

type ShowContent = (found: ExampleContent, mediaType: string) => ExampleContent

function asIs(found: ExampleContent): ExampleContent {
  return found
}

/** The content of an error in the media type that the client wants most. */
async function errorContent(
  { operation, isOwn }: ErrorResponse,
  facts: ErrorFacts,
  { content, accept, prefer, service, show }: ContentContext,
): Promise<WrittenValue | undefined> {
  const [chosen] = orderMediaTypes(content, accept)
  if (!chosen) return undefined
  const { media, mediaType } = chosen
  const { takesText, isFile } = writerOf(mediaType)
  const hasText = isFile || (takesText && !media.schema && !media.examples)
  const found: FoundValue = hasText
    ? { value: facts.message }
    : await errorValue(media, facts, {
        status: facts.status,
        isOwn,
        seed: `${service.settings.seed} ${operation.id} ${facts.status}`,
        now: generationTime(service),
        isDynamic: prefersGenerated(prefer),
      })
  if (found.reason !== undefined) {
    const { id, method, path } = operation
    const { status } = facts
    const missing = { operation: id, method, path, status, mediaType, reason: found.reason }
    reportOnce(media, () => service.settings.contract.onResponseMissing?.(missing))
  }
  return writeValue(show(found, mediaType), chosen, 'error')
}

/** The Error object of the sandbox, where the document describes it, else a value in the form of the document. */
async function errorValue(
  media: MediaType,
  facts: ErrorFacts,
  options: TemplateOptions,
): Promise<FoundValue> {
  const { code, message, status } = facts
  const own = { code, message, status }
  if (hasSandboxForm(media, own)) return { value: own }
  const { describedError } = await import('./fill-error.ts')

  return describedError(media, own, facts, options)
}

/** Whether the document describes exactly the Error object of the sandbox. */
function hasSandboxForm({ schema, validate }: MediaType, own: object): boolean {
  if (!schema || !validate?.(own)) return false
  const names = [...propertiesOf(schema).keys()]
  return names.length === Object.keys(own).length && names.every((name) => name in own)
}

/** The media types whose bodies cannot be made, and were reported. */
const reported = new WeakSet<MediaType>()

function reportOnce(media: MediaType, report: () => void): void {
  if (reported.has(media)) return
  reported.add(media)
  report()
}

/** The media types of an error, and the `Accept` of the request. */
interface ErrorTypes {
  readonly content: readonly MediaType[]
  readonly accept: string | undefined
}

/** The example that is forced, or that a request prefers (`Prefer: example=NAME`); `undefined` when the document has none. */
async function namedErrorContent(
  plain: Pick<CoreResponse, 'headers'>,
  { content, accept, prefer, example: forced, show }: ContentContext,
): Promise<WrittenValue | undefined> {
  const name = forced ?? preferredExample(prefer)
  if (name === undefined) return undefined
  for (const chosen of orderMediaTypes(content, accept)) {
    const { takesText } = writerOf(chosen.mediaType)
    const example = namedExample(name, chosen.media, takesText)
    if (!example) continue
    const value = show(example, chosen.mediaType)
    const { headers, body } = writeValue(value, chosen, 'error')
    if (forced !== undefined) return { headers, body }
    const earlier = plain.headers['Preference-Applied'] ?? []
    const applied = [earlier, appliedExample(name)].flat().join(', ')

    return { headers: { ...headers, 'Preference-Applied': applied }, body }
  }
  return undefined
}

/** A request that failed. */
interface FailedRequest {
  readonly request?: CoreRequest | undefined
  readonly body?: Uint8Array | undefined
  readonly now: number
}

/** The response to a problem where the document has errors in usual responses, as its hints say (`failures`). */
function failedResponse(
  problem: Problem,
  { status = 200, body }: FailureHints,
  { request, body: sent, now }: FailedRequest,
  ownCode: string | number | undefined,
): CoreResponse {
  const { code, message, items } = factsOf(problem, now, request)
  const [first] = items
  const field = first && [first.part, ...first.names].join('.')
  const error = { code: ownCode ?? code, message, status: problem.status, ...(field && { field }) }
  const values = { error, body: jsonIn(sent), now: new Date(now).toISOString() }
  const filledBody = filledForComparison(body, (names) => valueIn(values, names))

  return {
    status,
    headers: { ...problem.headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(withoutAbsent(filledBody)),
  }
}

/** JSON has no word for what is absent, so such properties are left out. */
function withoutAbsent(value: unknown): unknown {
  if (!isObject(value)) return value
  const present = Object.entries(value).filter(([, one]) => one !== '{absent}')
  return Object.fromEntries(present.map(([name, one]) => [name, withoutAbsent(one)]))
}

function jsonIn(body: Uint8Array | undefined): unknown {
  try {
    return body && JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}
