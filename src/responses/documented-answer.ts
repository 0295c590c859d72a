import type { MediaType } from '../contract/contract.ts'
import { contentOf } from '../contract/documented-response.ts'
import { type CoreRequest, type CoreResponse, hasContent } from '../http/message.ts'
import { problems } from '../http/problem.ts'
import type { Note } from '../journal/exchange.ts'
import { type ChosenMediaType, orderMediaTypes } from './choose-media-type.ts'
import { type ChosenResponse, chooseResponse, responseOf } from './choose-response.ts'
import { loadWriter } from './content/writers.ts'
import { type ExampleContent, namedExample } from './documented-examples.ts'
import { withDocumentedHeaders } from './documented-headers.ts'
import { documentedValue, type ValueContext } from './documented-value.ts'
import { appliedExample, preferredExample } from './preferred-example.ts'

/** A request that is answered from the document. */
export interface DocumentedRequest extends ValueContext {
  readonly request: CoreRequest
  /** The status of the response; default: that of a success. */
  readonly status?: number
}

/** A response that is made from the document, and what the client sent that was not used. */
export interface DocumentedAnswer {
  readonly response: CoreResponse
  readonly notes: readonly Note[]
}

/**
 * Answers a request as the document describes the response: by the example that the client prefers, else by an example of the
 * document, else by a generated value. Throws a 406 where the document has one and the client accepts none of the media types.
 */
export async function answerAsDocumented(wanted: DocumentedRequest): Promise<DocumentedAnswer> {
  const { request, operation, status } = wanted
  const chosen = status === undefined ? chooseResponse(operation) : responseOf(operation, status)
  const name = preferredExample(request.header('prefer'))
  if (name === undefined) return { response: await usualResponse(chosen, wanted), notes: [] }
  const preferred = await preferredResponse(name, chosen, wanted)
  if (preferred) return { response: preferred, notes: [] }

  return {
    response: await usualResponse(chosen, wanted),
    notes: [{ kind: 'ignored-preference', place: `prefer.example=${name}` }],
  }
}

async function usualResponse(
  chosen: ChosenResponse,
  wanted: DocumentedRequest,
): Promise<CoreResponse> {
  const { request, operation, service } = wanted
  const { status, documented } = chosen
  const content = documented && hasContent(status) ? contentOf(documented) : []
  const [best] = orderMediaTypes(content, request.header('accept'))
  if (!best) return complete({ status, headers: {}, body: '' }, chosen, wanted)
  if (!best.isAccepted && operation.responses.some((one) => one.status === 406)) {
    throw problems.notAcceptable(
      `The response is ${content.map(({ mediaType }) => mediaType).join(' or ')} (got Accept: ${request.header('accept')}).`,
    )
  }
  const writer = await loadWriter(best.mediaType)
  const result = writer.isFile
    ? { value: undefined }
    : await documentedValue(best.media, wanted, writer.takesText)
  if ('reason' in result) {
    const { method, path, id } = operation
    const missing = { operation: id, method, path, status, mediaType: best.mediaType, ...result }
    reportOnce(best.media, () => service.settings.contract.onResponseMissing?.(missing))
    return complete({ status, headers: {}, body: '' }, chosen, wanted)
  }
  return complete(await written(status, best, result), chosen, wanted)
}

/** The media types whose bodies cannot be made, and were reported. */
const reported = new WeakSet<MediaType>()

function reportOnce(media: MediaType, report: () => void): void {
  if (reported.has(media)) return
  reported.add(media)
  report()
}

/** The response with a named example: of the usual response, else of another success. */
async function preferredResponse(
  name: string,
  usual: ChosenResponse,
  wanted: DocumentedRequest,
): Promise<CoreResponse | undefined> {
  const { operation, request, status: wish } = wanted
  const successes = operation.responses.filter(({ status }) => status >= 200 && status < 300)
  const others =
    wish === undefined ? successes.map(({ status }) => responseOf(operation, status)) : []
  for (const chosen of [usual, ...others]) {
    const content = chosen.documented ? contentOf(chosen.documented) : []
    for (const type of orderMediaTypes(content, request.header('accept'))) {
      const { takesText } = await loadWriter(type.mediaType)
      const example = namedExample(name, type.media, takesText)
      if (!example) continue
      const response = await written(chosen.status, type, example)
      const headers = { ...response.headers, 'Preference-Applied': appliedExample(name) }
      return complete({ ...response, headers }, chosen, wanted)
    }
  }
  return undefined
}

/** A response with a value in a media type. */
async function written(
  status: number,
  chosen: ChosenMediaType,
  { value, isSerialized }: ExampleContent,
): Promise<CoreResponse> {
  const { write } = await loadWriter(chosen.mediaType)
  const { body, contentType = chosen.contentType } = isSerialized
    ? { body: String(value) }
    : write(value, chosen)

  return { status, headers: { 'Content-Type': contentType }, body }
}

async function complete(
  response: CoreResponse,
  { documented }: ChosenResponse,
  { request, operation, service, parameters }: DocumentedRequest,
): Promise<CoreResponse> {
  if (!documented?.headers) return response
  return withDocumentedHeaders(response, documented.headers, {
    request,
    operation,
    service,
    parameters,
  })
}
