import type { ErrorMeaning } from '../contract/hints.ts'
import type { CoreRequest } from '../http/message.ts'
import {
  describeInputErrors,
  FORCED_CODE,
  type InputError,
  type Problem,
  reasonPhrase,
} from '../http/problem.ts'

/** What is known about a refused request, to be told in the form of the document. */
export interface ErrorFacts {
  readonly status: number
  /** Such as `Not Found`. */
  readonly phrase: string
  /** Such as `not_found`. */
  readonly code: string
  readonly message: string
  /** What is wrong with the input; empty for other problems. */
  readonly items: readonly ErrorItem[]
  /** Absent when the request could not be read. */
  readonly request?: RequestFacts
  /** Epoch milliseconds. */
  readonly now: number
  /** Seconds. */
  readonly retryAfter: number | undefined
  /** What the document's hints say about properties, by their names. */
  readonly meanings: Readonly<Record<string, ErrorMeaning>>
  /** Whether another record has a value of the request that no two records may have. */
  readonly isTaken?: boolean
  /** Whether a status was forced whose code is not known. */
  readonly isForcedStatus: boolean
  /** Whether codes stay as an example of the document has them. */
  readonly keepsCodes?: boolean
  /** Whether the body begins as an example of the document. */
  readonly isExample?: boolean
}

/** What error bodies say about the request. */
interface RequestFacts {
  readonly method: string
  /** With the base path. */
  readonly path: string
  readonly url: string
  /** The id that the client gave its request. */
  readonly id: string | undefined
}

/** One thing that is wrong with the input. */
export interface ErrorItem {
  readonly message: string
  /** The keyword of JSON Schema, such as `required`, or that of the whole problem. */
  readonly code: string
  /** The part of the request, such as `body` or `query`. */
  readonly part: string
  /** The names and positions that lead to the value in that part. */
  readonly names: readonly string[]
}

/** A body lists so many errors. */
const MAX_ITEMS = 20

/** What a problem and its request say. */
export function factsOf(
  problem: Problem,
  now: number,
  request?: CoreRequest,
  meanings: ErrorFacts['meanings'] = {},
): ErrorFacts {
  const { status, code, message, errors, headers } = problem
  const phrase = reasonPhrase(status)
  const isForcedStatus = code === FORCED_CODE
  const ownCode = isForcedStatus ? snakeCase(phrase) : code
  const facts = {
    status,
    phrase,
    code: ownCode,
    message,
    items: errors.slice(0, MAX_ITEMS).map((error) => itemOf(error, ownCode)),
    now,
    retryAfter: headers['Retry-After'] === undefined ? undefined : Number(headers['Retry-After']),
    meanings,
    isForcedStatus,
    ...(problem.conflict !== undefined && { isTaken: true }),
  }
  return request ? { ...facts, request: requestFacts(request) } : facts
}

function requestFacts(request: CoreRequest): RequestFacts {
  const { method, base, path } = request
  const url = base + path
  return {
    method,
    path: url.replace(/^\w+:\/\/[^/]*/, '') || '/',
    url,
    id: request.header('x-request-id') ?? request.header('x-correlation-id'),
  }
}

function itemOf(error: InputError, code: string): ErrorItem {
  const [part = 'body', ...names] = error.location
    .split(/\.|\[(\d+)\]/)
    .filter((name) => name !== undefined && name !== '')
  return { message: describeInputErrors([error]), code: error.keyword || code, part, names }
}

function snakeCase(phrase: string): string {
  return phrase.toLowerCase().replaceAll("'", '').replaceAll(' ', '_')
}
