import type { MediaType, Operation } from '../contract/contract.ts'
import {
  type ChosenResponse,
  chooseResponse,
  contentOf,
  responseOf,
} from '../contract/documented-response.ts'
import { EVENT_STREAM } from '../contract/event-stream.ts'
import {
  type CoreRequest,
  type CoreResponse,
  hasContent,
  type ResponseSource,
  SOURCE_HEADER,
} from '../http/message.ts'
import { problems } from '../http/problem.ts'
import type { Note } from '../journal/exchange.ts'
import { type Awaitable, whenKnown } from '../records/awaitable.ts'
import { writeLargeIntegers } from '../validation/large-integers.ts'
import { isObject } from '../validation/objects.ts'
import type { AnsweringService } from './answering-service.ts'
import { asSuccess, tellsSuccess } from './as-success.ts'
import { type ChosenMediaType, orderMediaTypes } from './choose-media-type.ts'
import { type WrittenContent, writerOf } from './content/writers.ts'
import { type HeaderContext, withDocumentedHeaders } from './documented-headers.ts'
import {
  documentedValue,
  type ExampleContent,
  firstExample,
  namedExample,
  placeOf,
  type ValueContent,
  type ValueContext,
  type ValueResult,
} from './documented-value.ts'

/** A request that is answered as the document describes the response. */
export interface DocumentedRequest extends ValueContext, Pick<HeaderContext, 'figure'> {
  readonly request: CoreRequest
  /** The status of the response; default: that of a success. */
  readonly status?: number
  /** What the operation itself answers. */
  readonly own?: OwnContent
  /** Whether the request asks for a stream of events, where the document has one, by `stream: true` in its body. Default: no. */
  readonly isStreamed?: boolean
  /** What a value of the document shows of something new. Default: what the document has. */
  readonly renew?: (value: unknown, media: MediaType) => Promise<unknown>
  /** Why the body contains nothing of the operation itself, if it does not. */
  readonly sourceReason: string
}

/** What an operation itself answers. */
export interface OwnContent {
  readonly headers: CoreResponse['headers']
  /** The media type of a response for which the document has none; absent when it has no body then. */
  readonly media?: MediaType
  /** What the body is made of; default: of stored records. */
  readonly source?: ResponseSource
  /** Why the body contains no stored records. */
  readonly sourceReason?: string
  /** The valid value of the body in a media type; `undefined` when the operation has none. */
  readonly valueFor: (media: MediaType) => Awaitable<ValueResult | undefined>
  /** What the body contains when no valid one can be made; default: nothing. */
  readonly invalidValueFor?: (media: MediaType) => Promise<ExampleContent | undefined>
}

/** A response that is made from the document, and what the client sent that was not used. */
interface DocumentedAnswer {
  readonly response: CoreResponse
  readonly notes: readonly Note[]
}

/**
 * Answers a request as the document describes the response: with what the operation itself answers, else with an example of the
 * document, else with a generated value. Throws a 406 where the document has one and the client accepts none of the media types.
 */
export function answerAsDocumented(wanted: DocumentedRequest): Awaitable<DocumentedAnswer> {
  const prefer = wanted.request.header('prefer')
  if (prefer !== undefined) return answerWithPreference(prefer, wanted)
  return whenKnown(usualResponse(chosenFor(wanted), wanted), (response) => ({
    response,
    notes: NO_NOTES,
  }))
}

async function answerWithPreference(
  prefer: string,
  wanted: DocumentedRequest,
): Promise<DocumentedAnswer> {
  const preferred = await preferredAnswer(wanted)
  if (preferred) return preferred
  const name = preferredExample(prefer)
  const response = await usualResponse(chosenFor(wanted), wanted)
  const notes: Note[] =
    name === undefined ? [] : [{ kind: 'ignored-preference', place: `prefer.example=${name}` }]

  return { response, notes }
}

const NO_NOTES: readonly Note[] = []

/** The response with the example that the client prefers; `undefined` when it prefers none that the document has. */
export async function preferredAnswer(
  wanted: DocumentedRequest,
): Promise<DocumentedAnswer | undefined> {
  const { operation, request } = wanted
  const name = preferredExample(request.header('prefer'))
  if (name === undefined) return undefined
  const successes = operation.responses.filter((one) => one.status >= 200 && one.status < 300)
  const others =
    wanted.status === undefined ? successes.map((one) => responseOf(operation, one.status)) : []
  const found = preferredContent(name, [chosenFor(wanted), ...others], request)
  if (!found) return undefined
  const { chosen, type, example } = found
  const { status } = chosen
  const { headers, body } = writeValue(example, type, placeOf(operation))
  const applied = { ...headers, 'Preference-Applied': appliedExample(name) }
  const made = { source: 'example', sourceReason: 'the request prefers this example' } as const
  const response = withSource({ status, headers: applied, body }, made, wanted)

  return { response: await complete(response, chosen, wanted), notes: [] }
}

function chosenFor({ operation, status }: DocumentedRequest): ChosenResponse {
  return status === undefined ? chooseResponse(operation) : responseOf(operation, status)
}

function usualResponse(chosen: ChosenResponse, wanted: DocumentedRequest): Awaitable<CoreResponse> {
  const { request, own, operation } = wanted
  const { status } = chosen
  const all = contentFor(chosen, own)
  const streams = wanted.isStreamed ? all.filter(isStream) : []
  const content = streams.length > 0 ? streams : all
  const [best] = orderMediaTypes(content, request.header('accept'))
  const empty = { status, headers: own?.headers ?? {}, body: '' }
  if (!best) return complete(withSource(empty, {}, wanted), chosen, wanted)
  if (!best.isAccepted && operation.responses.some((one) => one.status === 406)) {
    throw problems.notAcceptable(
      `The response is ${content.map(({ mediaType }) => mediaType).join(' or ')} (got Accept: ${request.header('accept')}).`,
    )
  }
  const found = whenKnown(valueFor(best, wanted), (result) => {
    if (!('reason' in result)) return status < 300 ? successIn(result, best.media) : result
    const { reason } = result
    report(best, status, reason, wanted)
    return whenKnown(
      own?.invalidValueFor?.(best.media),
      (value) => value && { ...fromOwn(value, own), invalid: reason },
    )
  })
  return whenKnown(found, (value) => {
    if (!value) return complete(empty, chosen, wanted)
    const { headers, body } = writeValue(value, best, placeOf(operation))
    const response = { status, headers: { ...headers, ...own?.headers }, body }
    return complete(withSource(response, value, wanted), chosen, wanted)
  })
}

/** A value that the operation itself answers. */
function fromOwn(value: ExampleContent, own: OwnContent | undefined): ValueContent {
  const { source = 'record', sourceReason } = own ?? {}
  return { ...value, source, ...(sourceReason !== undefined && { sourceReason }) }
}

/** A response that says what its body is made of, unless it is an error or has no body. */
function withSource(
  response: CoreResponse,
  {
    source = 'generated',
    sourceReason,
    invalid,
  }: Pick<ValueContent, 'source' | 'sourceReason' | 'invalid'>,
  { service, status, sourceReason: usualReason }: DocumentedRequest,
): CoreResponse {
  if (response.status >= 400) {
    return status === undefined ? asOnlyError(response, service) : response
  }
  if (response.body.length === 0) return response
  const isShown = service.settings.contract.sandbox?.sourceHeader !== false
  const told = invalid === undefined ? source : `${source}; invalid="${readable(invalid)}"`
  const headers = isShown ? { ...response.headers, [SOURCE_HEADER]: told } : response.headers
  const reason = source !== 'record' && { sourceReason: sourceReason ?? usualReason }

  return { ...response, headers, source, ...reason }
}

/** The error that a request gets because the document describes nothing else. It says so. */
function asOnlyError(response: CoreResponse, { settings }: AnsweringService): CoreResponse {
  if (settings.contract.sandbox?.sourceHeader === false) return response
  const headers = { ...response.headers, [SOURCE_HEADER]: 'generated; only="errors"' }

  return { ...response, headers, source: 'generated', sourceReason: ONLY_ERRORS }
}

const ONLY_ERRORS = 'the document describes only errors of this operation'

/** What a client asked for by its query that nothing read, by the kinds of notes. */
const UNREAD: ReadonlySet<Note['kind']> = new Set(['unread-filter', 'unknown-parameter'])

/**
 * A response whose header with its source has what the query asked for and nothing read, and why a list has no records, such as `record;
 * unread="mood q=lang:en"`. Each is percent-encoded.
 */
export function withNotes(response: CoreResponse, notes: readonly Note[]): CoreResponse {
  const source = response.headers[SOURCE_HEADER]
  if (source === undefined || notes.length === 0) return response
  const unread = notes.flatMap(({ kind, place }) =>
    UNREAD.has(kind) ? encodeURI(place.replace('query.', '')) : [],
  )
  const unmade = notes.flatMap(({ kind, place }) =>
    kind === 'unmade-records' ? readable(place) : [],
  )
  const told = [
    source,
    ...(unread.length > 0 ? [`unread="${shortened(unread.join(' '))}"`] : []),
    ...unmade.map((reason) => `empty="${reason}"`),
  ].join('; ')

  return { ...response, headers: { ...response.headers, [SOURCE_HEADER]: told } }
}

/** A text in a header: percent-encoded, but for its spaces. */
function readable(text: string): string {
  return shortened(encodeURI(text).replaceAll('%20', ' '))
}

/** So many characters of it are told. */
const MOST_TOLD = 500

/** The first characters of a text, without a part of a percent-encoded one. */
function shortened(text: string): string {
  return text.slice(0, MOST_TOLD).replace(/%[\dA-F]?$/, '')
}

/** What the document says about the body of a response, else what the operation itself says. */
function contentFor(
  { status, documented }: ChosenResponse,
  own: OwnContent | undefined,
): readonly MediaType[] {
  const described = documented ? contentOf(documented) : []
  const undescribed = own?.media ? [own.media] : []
  const known = described.length > 0 ? described : undescribed

  return hasContent(status) ? known : []
}

function valueFor(best: ChosenMediaType, wanted: DocumentedRequest): Awaitable<ValueResult> {
  const { own, request } = wanted
  const { media } = best
  const writer = writerOf(best.mediaType)
  if (writer.isFile) return fileContent(media, writer.takesText)

  // A stream has parts of the record, which nothing tells.
  const isPart = wanted.isStreamed === true && isStream(media)
  return whenKnown(isPart ? undefined : own?.valueFor(media), (result) => {
    if (result) return 'reason' in result ? result : fromOwn(result, own)
    const isGenerated = prefersGenerated(request.header('prefer'))
    const made = documentedValue(media, { ...wanted, isGenerated }, writer)
    const { renew } = wanted
    return renew ? made.then((one) => renewed(one, media, renew)) : made
  })
}

async function renewed(
  made: ValueResult,
  media: MediaType,
  renew: NonNullable<DocumentedRequest['renew']>,
): Promise<ValueResult> {
  if ('reason' in made || made.isSerialized) return made
  return { ...made, value: await renew(made.value, media) }
}

/** A generated value that says that the request succeeded, where it says anything of that. */
function successIn(content: ValueContent, media: MediaType): ValueContent {
  const { source, isSerialized, value } = content
  const isMade = source === undefined && !isSerialized && isObject(value) && tellsSuccess(value)
  return isMade ? { ...content, value: asSuccess(value, media) } : content
}

function isStream({ mediaType }: MediaType): boolean {
  return mediaType.toLowerCase().startsWith(EVENT_STREAM)
}

/** A file needs no value, unless the document has one as text, such as an SVG. */
function fileContent(media: MediaType, takesText: boolean): ValueResult {
  const example = takesText ? firstExample(media, true) : undefined
  return example ? { ...example, source: 'example' } : { value: undefined }
}

/** The media types whose bodies cannot be made, and were reported. */
const reported = new WeakSet<MediaType>()

function report(
  { media, mediaType }: ChosenMediaType,
  status: number,
  reason: string,
  { operation, service }: DocumentedRequest,
): void {
  if (reported.has(media)) return
  reported.add(media)
  const { id, method, path } = operation
  const missing = { operation: id, method, path, status, mediaType, reason }
  service.settings.contract.onResponseMissing?.(missing)
}

/** The content of a response, and its headers. */
export type WrittenValue = Pick<CoreResponse, 'headers' | 'body'>

/** A value in a media type. `name` is what the value is called, such as `books`. */
export function writeValue(
  { value, isSerialized }: ExampleContent,
  chosen: ChosenMediaType,
  name: string,
): WrittenValue {
  const written: WrittenContent = isSerialized
    ? { body: String(value) }
    : writerOf(chosen.mediaType).write(value, chosen, name)
  const { body, contentType = chosen.contentType } = written

  return {
    headers: { 'Content-Type': contentType },
    body: typeof body === 'string' ? writeLargeIntegers(body) : body,
  }
}

function complete(
  response: CoreResponse,
  { documented }: ChosenResponse,
  wanted: DocumentedRequest,
): Awaitable<CoreResponse> {
  return documented?.headers
    ? withDocumentedHeaders(response, documented.headers, wanted)
    : response
}

/** An example, and the response and media type that have it. */
interface PreferredContent {
  readonly chosen: ChosenResponse
  readonly type: ChosenMediaType
  readonly example: ExampleContent
}

/** The first valid example with a name, in responses in this order, in the media type that the client wants most. */
function preferredContent(
  name: string,
  responses: readonly ChosenResponse[],
  request: CoreRequest,
): PreferredContent | undefined {
  for (const chosen of responses) {
    const content = chosen.documented ? contentOf(chosen.documented) : []
    for (const type of orderMediaTypes(content, request.header('accept'))) {
      const { takesText } = writerOf(type.mediaType)
      const example = namedExample(name, type.media, takesText)
      if (example) return { chosen, type, example }
    }
  }
  return undefined
}

/** A preference `example` (RFC 7240): its name is a token or a quoted string. */
const PREFERENCE = /(?:^|[,;])\s*example\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,;"]+))/i

/** The name of the example that a request prefers (`Prefer: example=NAME`). */
export function preferredExample(prefer: string | undefined): string | undefined {
  const [, quoted, token] = PREFERENCE.exec(prefer ?? '') ?? []
  return quoted === undefined ? token : quoted.replace(/\\(.)/g, '$1')
}

/** The value of `Preference-Applied` for an example. */
export function appliedExample(name: string): string {
  const isToken = /^[\w!#$%&'*+.^`|~-]+$/.test(name)
  return isToken ? `example=${name}` : `example="${name.replace(/["\\]/g, '\\$&')}"`
}

/** The preference of Prism for generated values instead of examples. */
const DYNAMIC = /(^|[,;])\s*dynamic\s*(=\s*"?true"?\s*)?($|[,;])/i

/** Whether a request prefers generated values (`Prefer: dynamic`). */
export function prefersGenerated(prefer: string | undefined): boolean {
  return DYNAMIC.test(prefer ?? '')
}

/** What an operation without records answers, such as `200 application/json with a generated value`. */
export function describeAnswer(operation: Operation): string {
  const { status, documented } = chooseResponse(operation)
  const content = documented && hasContent(status) ? contentOf(documented) : []
  const [usual] = orderMediaTypes(content, undefined)
  if (!usual) return `${status} without content`
  const source = usual.media.examples ? 'a valid example or a generated value' : 'a generated value'

  return `${status} ${usual.mediaType} with ${source}`
}
