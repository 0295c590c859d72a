import type { CoreRequest } from '../../http/message.ts'
import { asProblem, type InputError, type Problem, problems } from '../../http/problem.ts'
import type { Operation, RequestBody, ValidationTime } from '../contract.ts'
import type { NormalizeOptions } from '../normalize.ts'
import { bodyMeanings, type SentBody } from './body-meanings.ts'
import {
  chooseContent,
  contentOfBody,
  mediaTypeProblem,
  parseContentType,
} from './choose-content.ts'
import { validBody } from './valid-body.ts'

/** How a body is read. */
export interface BodyOptions extends NormalizeOptions {
  /** The size limit in bytes. */
  readonly limit: number
  /** What the validations of the request took until now. */
  readonly time: ValidationTime
  /** Called with the bytes when they have arrived. */
  readonly onBytes: (bytes: Uint8Array) => void
  /** Called with a problem of a body that is served all the same. Throws the problem of one that is refused. */
  readonly onProblem: (problem: Problem) => void
}

/** Bodies of these methods have no general meaning (RFC 9110, section 9.3), and many clients cannot send them. */
const NEVER_REQUIRED: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE'])

/** The value of the body of a request by its media type. */
export async function readBodyValue(
  { method }: Operation,
  body: RequestBody,
  request: CoreRequest,
  options: BodyOptions,
): Promise<unknown> {
  const sent = request.header('content-type')
  const type = parseContentType(sent ?? '')
  const content = sent === undefined ? undefined : chooseContent(contentOfBody(body), type)
  const problem = mediaTypeProblem(body, request, content)
  const isRequired = body.required && !NEVER_REQUIRED.has(method)
  // A client without a body may send any Content-Type, or none.
  const isEarly = isRequired && sent !== undefined
  if (problem && isEarly) options.onProblem(problem)
  const bytes = await request.body(options.limit)
  if (!bytes) throw problems.payloadTooLarge(options.limit)
  options.onBytes(bytes)
  if (bytes.length === 0) {
    if (isRequired) options.onProblem(problems.invalidInput([MISSING]))
    return undefined
  }
  if (problem && !isEarly) options.onProblem(problem)
  try {
    return await valueOfBytes({ bytes, type, content: content ?? type }, options)
  } catch (error) {
    options.onProblem(asProblem(error))
    return undefined
  }
}

async function valueOfBytes(sent: SentBody, options: BodyOptions): Promise<unknown> {
  const { value, errors } = validBody(
    await bodyMeanings(sent, options.limit),
    sent.content,
    options,
  )
  if (errors.length > 0) options.onProblem(problems.invalidInput(errors))
  return value
}

const MISSING: InputError = { location: 'body', keyword: 'required', message: 'is required' }
