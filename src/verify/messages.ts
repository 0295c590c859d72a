import type { Contract, Operation } from '../contract/contract.ts'
import {
  type Credentials,
  credentialsOf,
  everyCredentialOf,
  type Keys,
} from '../contract/credentials.ts'
import { contentOf, documentedResponse } from '../contract/documented-response.ts'
import { parseJsonText } from '../contract/json.ts'
import type { DocumentTexts } from '../document/document-texts.ts'
import { endOfString } from '../http/body-limits.ts'
import { linkTo } from '../http/headers.ts'
import { type OutgoingRequest, withCredentials } from '../requests/outgoing-request.ts'
import type { TextPair } from '../requests/serialize-parameter.ts'

/** A request to the server, without the base address. */
export interface ProbeRequest {
  /** Absent for a request that matches no operation of the contract. */
  readonly operation?: Operation
  /** In capitals. */
  readonly method: string
  /** Path and query, relative to the base address. */
  readonly target: string
  readonly credentials: Credentials
  /** Header parameters. */
  readonly headers?: readonly TextPair[]
  readonly cookies?: readonly TextPair[]
  readonly body?: string
  /** The media type of the body. Default: `application/json`. */
  readonly type?: string
  /** The body that was made for the operation; a check may replace `body` only. */
  readonly sample?: string | undefined
  /** Whether the request says nothing when an id in its body is replaced, because its value is what is tested. */
  readonly isExact?: true
  /** Whether the references in its body stay as they are, because they are what is tested. */
  readonly keepsReferences?: true
  /** Whether a new record is to be below the record of the path, and no other. */
  readonly keepsParent?: true
  /** Whether the request creates a record like one that exists, to test the conflict. */
  readonly isRepeated?: true
  /** Whether a refusal because of the state of a record stands, because it is what is tested. */
  readonly keepsRefusal?: true
  /** Whether the service may set a property of the record itself, because it did not accept the property in a new one. */
  readonly isUnkept?: (name: string) => boolean
  /** Whether nothing is added to the request. Otherwise, it gets the required parameters that it lacks. */
  readonly isComplete?: true
  /** Whether the document allows the request, so that its operation counts as exercised whatever the response is. */
  readonly isValid?: true
  /** Whether its path has an id that no response and no user has named, so that there may be no such record. */
  readonly isGuessed?: true
  /** Whether the server should refuse the request. */
  readonly isInvalid?: true
  /** Whether a check decides which version of a record the request is for. Otherwise, it is for the current one where it must be for one. */
  readonly hasVersion?: true
}

/** A request with another body that stands for its own: one that was made for the operation stays one. */
export function withBody(request: ProbeRequest, body: string): ProbeRequest {
  return { ...request, body, ...(request.sample === request.body && { sample: body }) }
}

/** The response to a request. */
export interface ProbeResponse {
  readonly request: ProbeRequest
  /** The address of the request. */
  readonly url: string
  readonly status: number
  readonly headers: Headers
  /** The body. */
  readonly text: string
  /** The body as JSON; integers that JavaScript would round are strings. `undefined` when the body is not JSON. */
  readonly json: unknown
  /** In epoch milliseconds: the `Date` header, else the clock of this machine. */
  readonly time: number
  /** When it was received, by the clock of this machine, in epoch milliseconds. */
  readonly received: number
}

/** Methods that change nothing (RFC 9110, section 9.2.1; RFC 4918, section 9.1; RFC 5323, section 2). */
const SAFE = /^(GET|HEAD|OPTIONS|TRACE|QUERY|PROPFIND|SEARCH)$/

/** Whether requests with the method change nothing. */
export function isSafeMethod(method: string): boolean {
  return SAFE.test(method)
}

/** Thrown instead of sending a request; the message is the reason. */
export class NotSent extends Error {
  override readonly name = 'NotSent'
}

type HasStatus = Pick<ProbeResponse, 'status'>

/** Whether a status is a 2xx. */
export function isSuccess({ status }: HasStatus): boolean {
  return status >= 200 && status < 300
}

/** Whether a status says that the credentials are missing, wrong or not enough. */
export function isUnauthorized({ status }: HasStatus): boolean {
  return status === 401 || status === 403
}

/** Whether a status says that there is no such record. */
export function isGone({ status }: HasStatus): boolean {
  return status === 404 || status === 410
}

/** The integer in a header; `undefined` when it is missing or not an integer. */
export function integerIn(headers: Headers, name: string): number | undefined {
  const text = headers.get(name) ?? ''
  return /^-?\d+$/.test(text) ? Number(text) : undefined
}

/** The wait that `Retry-After` requests, in milliseconds: seconds or a date (RFC 9110, section 10.2.3). */
export function retryAfter({ headers, time }: ProbeResponse): number | undefined {
  const text = headers.get('Retry-After') ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)

  return Number.isNaN(date) ? undefined : Math.max(0, date - time)
}

/** The target of the link with this relation (RFC 8288). */
export function linkOf(headers: Headers, relation: string): string | undefined {
  return linkTo(headers.get('Link') ?? '', relation)
}

const NUMBER_CHARACTERS: ReadonlySet<string> = new Set('0123456789.eE+-')

/**
 * Parses JSON; integers that JavaScript would round become strings, so that 64-bit ids stay exact. Reads each character
 * once: a regular expression would overflow the stack on a number with millions of digits.
 */
export function parseExactly(text: string): unknown {
  if (!/\d{16}/.test(text)) return parseJsonText(text)
  let exact = ''
  let from = 0
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') at = endOfString(text, at)
    if (!isDigit(text[at])) continue
    const start = text[at - 1] === '-' ? at - 1 : at
    while (NUMBER_CHARACTERS.has(text[at + 1] ?? '')) at += 1
    const number = text.slice(start, at + 1)
    if (!wouldBeRounded(number)) continue
    exact += `${text.slice(from, start)}"${number}"`
    from = at + 1
  }
  return parseJsonText(exact + text.slice(from))
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9'
}

/** Whether the text is an integer that JavaScript cannot represent exactly. */
function wouldBeRounded(number: string): boolean {
  if (number.length < 16 || Number.isSafeInteger(Number(number))) return false
  return [...'.eE+'].every((character) => !number.includes(character))
}

/** The server that a run tests. */
export interface Target {
  /** The base address, without a slash at its end. */
  readonly base: string
  readonly contract: Contract
  /** The API key, or one for each security scheme. */
  readonly key: Keys
  /** The key of somebody else, who must not see what the run creates; absent when nobody gave one. */
  readonly otherKey?: Keys
  /** Other texts that no output may contain. It may grow during a run. */
  readonly secrets?: readonly string[]
  /** Headers that each request has, over those of its parameters. */
  readonly headers?: readonly TextPair[]
  /** What the document says in words. Default: nothing. */
  readonly texts?: DocumentTexts
}

/** A request with its credentials and complete address. One without a valid key has no parameter for it: its example may be a key. */
export function outgoingRequest(request: ProbeRequest, target: Target): OutgoingRequest {
  const { contract, headers: given = [] } = target
  const isOther = request.credentials === 'other-key'
  const key = (isOther ? target.otherKey : undefined) ?? target.key
  const { method, body, headers: own = [], cookies = [], type = 'application/json' } = request
  const names = new Set(given.map(([name]) => name.toLowerCase()))
  const headers = [...own.filter(([name]) => !names.has(name.toLowerCase())), ...given]
  const url = baseOf(request, target) + request.target
  const sent = credentialsOf(request, contract, key)
  const replaced =
    request.credentials === 'key' || isOther ? sent : everyCredentialOf(request, contract, key)
  const plain = {
    method,
    url,
    headers,
    cookies,
    ...(body !== undefined && { body: { text: body, type } }),
  }
  return withCredentials(plain, sent, replaced)
}

/** The base address of an operation. Operations with servers of their own have another base path at the same origin. */
function baseOf({ operation }: ProbeRequest, { base, contract }: Target): string {
  const [own] = operation?.basePaths ?? []
  if (own === undefined || !base.endsWith(contract.basePath)) return base
  return base.slice(0, base.length - contract.basePath.length) + own
}

/** The media types that a client accepts: those of the successful response; JSON, if it has no content. */
export function acceptedTypes({ operation }: ProbeRequest): string {
  const status = operation?.responses.find(isSuccess)?.status ?? 200
  const response = operation && documentedResponse(operation, status)
  const types = response ? contentOf(response).map(({ mediaType }) => mediaType) : []

  return types.length === 0 ? 'application/json' : [...new Set(types)].join(', ')
}
