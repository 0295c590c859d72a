import type { CoreRequest } from '../../http/message.ts'
import { type Problem, problems } from '../../http/problem.ts'
import type { MediaType, RequestBody } from '../contract.ts'
import { isJson } from '../is-json.ts'

/** The `Content-Type` of a request. */
export interface SentType {
  /** In lower case and without parameters. */
  readonly mediaType: string
  /** The parameters by their names in lower case, such as `charset`. */
  readonly parameters: ReadonlyMap<string, string>
}

/** A parameter of a media type (RFC 9110, section 5.6.6). */
const PARAMETER = /;\s*([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g

export function parseContentType(text: string): SentType {
  const [mediaType = ''] = text.split(';')
  const parameters = new Map<string, string>()
  for (const [, name = '', quoted, plain = ''] of text.matchAll(PARAMETER)) {
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain)
  }
  return { mediaType: mediaType.trim().toLowerCase(), parameters }
}

/** The content that a body accepts in each media type. */
export function contentOfBody({
  content,
  mediaTypes,
  schema,
  validate,
}: RequestBody): readonly MediaType[] {
  return content ?? mediaTypes.map((mediaType) => ({ mediaType, schema, validate }))
}

/**
 * The documented content for a media type: that of the same one (with the same parameters, if several differ only in these), else
 * that of a range, such as `image/*`. A service that documents `application/json` need not know `application/vnd.api+json`.
 */
export function chooseContent(
  contents: readonly MediaType[],
  { mediaType, parameters }: SentType,
): MediaType | undefined {
  const same = contents.filter((content) => content.mediaType === mediaType)
  if (same.length > 1) {
    const exact = same.find(({ contentType = '' }) => {
      const documented = parseContentType(contentType).parameters
      return (
        documented.size > 0 &&
        [...documented].every(([name, value]) => parameters.get(name) === value)
      )
    })
    if (exact) return exact
  }
  const [type = ''] = mediaType.split('/')

  return (
    same[0] ??
    contents.find((content) => content.mediaType === `${type}/*`) ??
    contents.find((content) => content.mediaType === '*/*' || content.mediaType === '*')
  )
}

/** The 415 of a body that the operation does not accept; `undefined` when it accepts it. */
export function mediaTypeProblem(
  { mediaTypes }: RequestBody,
  request: CoreRequest,
  content: MediaType | undefined,
): Problem | undefined {
  const coding = request.header('content-encoding') ?? 'identity'
  if (coding.toLowerCase() !== 'identity') {
    return problems.unsupportedMediaType(
      `The body must not have a content coding (got Content-Encoding: ${coding}).`,
    )
  }
  const sent = request.header('content-type')
  if (content && isDecodable(sent ?? '')) return undefined

  return problems.unsupportedMediaType(
    `The Content-Type of the body must be ${mediaTypes.join(' or ')} (got ${sent ?? 'none'}).`,
  )
}

/** JSON and forms are UTF-8 (RFC 8259, section 8.1). Other texts may have any character encoding that is known here. */
function isDecodable(contentType: string): boolean {
  const { mediaType, parameters } = parseContentType(contentType)
  const charset = parameters.get('charset') ?? 'utf-8'
  if (/^utf-?8$/i.test(charset)) return true
  if (isJson(mediaType) || !/^text\/|[/+]xml$/.test(mediaType)) return false
  try {
    return new TextDecoder(charset).fatal === false
  } catch {
    return false
  }
}
