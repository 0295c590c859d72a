import type { MediaType, Operation } from '../contract/contract.ts'
import { contentOf, documentedResponse, mainContentOf } from '../contract/documented-response.ts'
import { isJson } from '../contract/json.ts'
import { describeErrors } from '../contract/validation-errors.ts'
import {
  type CoreResponse,
  hasContent,
  type ResponseSource,
  SOURCE_HEADER,
} from '../http/message.ts'
import { roundedValue } from '../validation/large-integers.ts'
import { isObject, setOwn } from '../validation/objects.ts'
import { orderMediaTypes } from './choose-media-type.ts'
import { writerOf } from './content/writers.ts'
import { answerAsDocumented, type DocumentedRequest } from './documented-answer.ts'
import {
  documentedValue,
  type ExampleContent,
  namedExample,
  type ValueResult,
} from './documented-value.ts'

/** What the document does not allow in an answer; `undefined` when it allows it. */
export function mistakeIn(
  { status, body }: { readonly status: number; readonly body?: unknown },
  operation: Operation,
): string | undefined {
  const documented = documentedResponse(operation, status)
  if (!documented) return `the document has no response ${status}`
  const content = hasContent(status) ? contentOf(documented) : []
  if (body === undefined)
    return content.length > 0 && status < 400 ? `the response ${status} needs a body` : undefined
  if (content.length === 0) return `the document has no body for the response ${status}`
  const media = mainContentOf(documented)
  if (!media?.validate || !isJson(media.mediaType) || isOther(body, content)) return undefined
  if (media.validate(roundedValue(body))) return undefined

  return `response ${status}: ${describeErrors('body', media.validate.errors ?? [])}`
}

/** Whether a body is the text or the bytes of another media type than JSON. */
function isOther(body: unknown, content: readonly MediaType[]): boolean {
  const isText = typeof body === 'string' || body instanceof Uint8Array
  return isText && content.some(({ mediaType }) => !isJson(mediaType))
}

/** What is forced on the content of a response. */
export interface ForcedContent {
  /** The name of an example of the document. */
  readonly example?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A value with a part: the members of objects are merged, at any depth. Another part, such as a list, is the value. */
function withPart(value: unknown, part: unknown): unknown {
  if (part === undefined) return value
  if (!isObject(value) || !isObject(part)) return part
  const merged: Record<string, unknown> = { ...value }
  for (const [name, one] of Object.entries(part)) {
    setOwn(merged, name, withPart(Object.hasOwn(merged, name) ? merged[name] : undefined, one))
  }
  return merged
}

/** How an error shows what is forced on it. */
export function forcedError(forced: ForcedContent): {
  /** The Error object of the sandbox with the part of a body. */
  readonly plain: (response: CoreResponse) => CoreResponse
  readonly text: (isDescribed: boolean) => Pick<CoreResponse, 'headers' | 'body'> | undefined
  readonly show: (found: ExampleContent, mediaType: string) => ExampleContent
} {
  const { body } = forced
  return {
    plain: (response) =>
      body === undefined || response.fault
        ? response
        : { ...response, body: JSON.stringify(withPart(jsonIn(response), body)) },
    text: (isDescribed) => textContent(forced, isDescribed),
    show: (found, mediaType) => forcedValue(found, body, mediaType),
  }
}

/** The content of an answer whose body is a text as it is sent: with a media type of its own, or where the document has no content. */
function textContent(
  { body, headers = {} }: ForcedContent,
  isDescribed: boolean,
): Pick<CoreResponse, 'headers' | 'body'> | undefined {
  if (typeof body !== 'string') return undefined
  const [, own] = Object.entries(headers).find(([name]) => /^content-type$/i.test(name)) ?? []
  if (own === undefined && isDescribed) return undefined
  const [mediaType = ''] = (own ?? '').split(';', 1)
  if (isJson(mediaType.trim().toLowerCase())) return undefined

  return { headers: { 'Content-Type': own ?? 'text/plain; charset=utf-8' }, body }
}

/** The value of a body with what is forced: in a media type that is no JSON, a text is the body as it is sent. */
function forcedValue(
  { value, isSerialized }: ExampleContent,
  part: unknown,
  mediaType: string,
): ExampleContent {
  if (part === undefined) return { value, ...(isSerialized && { isSerialized }) }
  if (typeof part === 'string' && !isJson(mediaType)) return { value: part, isSerialized: true }
  return { value: withPart(isSerialized ? undefined : value, part) }
}

/**
 * The response of a successful request with what is forced on it. `response` is what the operation has answered; without it, the
 * content is made from the document.
 */
export async function forcedSuccess(
  wanted: DocumentedRequest & { readonly status: number },
  forced: ForcedContent,
  response: CoreResponse | undefined,
): Promise<CoreResponse> {
  const { operation, status, request } = wanted
  const documented = documentedResponse(operation, status)
  const described = documented && hasContent(status) ? contentOf(documented) : []
  const headers = ownHeaders(response)
  const text = textContent(forced, described.length > 0)
  if (text) return { status, headers: { ...headers, ...text.headers }, body: text.body }
  const isSame = response?.status === status
  if (isSame && forced.example === undefined && forced.body === undefined) return response
  const own = jsonIn(response)
  const isShown = own !== undefined && (isSame || !documented || fits(own, described))
  const start = isShown ? own : undefined
  const isKept = isShown || forced.body !== undefined
  const { response: answered } = await answerAsDocumented({
    ...wanted,
    own: {
      headers,
      ...(isKept && { media: { mediaType: 'application/json' } }),
      source: sourceOf(forced, isShown ? response : undefined),
      sourceReason: wanted.sourceReason,
      valueFor: (media) => contentValue(media, { ...wanted, request }, forced, start),
    },
  })
  return answered
}

function sourceOf({ example }: ForcedContent, shown: CoreResponse | undefined): ResponseSource {
  return example === undefined ? (shown?.source ?? 'generated') : 'example'
}

/** The value in a media type: the example or what the operation shows, else one of the document, with the forced part. */
async function contentValue(
  media: MediaType,
  wanted: DocumentedRequest,
  { example, body }: ForcedContent,
  start: unknown,
): Promise<ValueResult | undefined> {
  const [chosen] = orderMediaTypes([media], wanted.request.header('accept'))
  const mediaType = chosen?.mediaType ?? media.mediaType
  const writer = writerOf(mediaType)
  const named = example === undefined ? undefined : namedExample(example, media, writer.takesText)
  const value = named ?? (start === undefined ? undefined : { value: start })
  if (!value && body === undefined) return undefined
  const made =
    value ??
    (media.schema || media.examples
      ? await documentedValue(media, wanted, writer)
      : { value: undefined })

  return 'reason' in made ? { value: body } : forcedValue(made, body, mediaType)
}

/** The headers of a response without those of its content. */
function ownHeaders(response: CoreResponse | undefined): CoreResponse['headers'] {
  const { 'Content-Type': _, [SOURCE_HEADER]: _source, ...headers } = response?.headers ?? {}
  return headers
}

/** The value of a JSON body; `undefined` for another body, and for one that is no JSON. */
export function jsonIn(response: CoreResponse | undefined): unknown {
  const { body = '', headers = {} } = response ?? {}
  const [mediaType = ''] = (headers['Content-Type'] ?? '').split(';', 1)
  if (typeof body !== 'string' || !isJson(mediaType.trim().toLowerCase())) return undefined
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function fits(value: unknown, content: readonly MediaType[]): boolean {
  return content.some(
    ({ mediaType, validate }) => isJson(mediaType) && (!validate || validate(value)),
  )
}
