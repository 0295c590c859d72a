import type { Operation } from '../../contract/contract.ts'
import { endOfString } from '../../http/body-limits.ts'
import { linkTo } from '../../http/headers.ts'
import type { TextPair } from '../../sandbox/sample-request/serialize-parameter.ts'

/**
 * How a request authenticates: with the key, without credentials, with an invalid key, or with the key in another
 * authentication scheme than Bearer.
 */
export type Credentials = 'key' | 'none' | 'invalid-key' | 'other-scheme'

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
  /** Whether nothing is added to the request. Otherwise, it gets the required parameters that it lacks. */
  readonly isComplete?: true
  /** Whether the document allows the request, so that its operation counts as exercised whatever the response is. */
  readonly isValid?: true
  /** Whether the server should refuse the request. */
  readonly isInvalid?: true
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
}

/** Thrown instead of sending a request; the message is the reason. */
export class NotSent extends Error {
  override readonly name = 'NotSent'
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

/** Parses JSON; `undefined` when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const NUMBER_CHARACTERS: ReadonlySet<string> = new Set('0123456789.eE+-')

/**
 * Parses JSON; integers that JavaScript would round become strings, so that 64-bit ids stay exact. Reads each character
 * once: a regular expression would overflow the stack on a number with millions of digits.
 */
export function parseExactly(text: string): unknown {
  if (!/\d{16}/.test(text)) return parseJson(text)
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
  return parseJson(exact + text.slice(from))
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9'
}

/** Whether the text is an integer that JavaScript cannot represent exactly. */
function wouldBeRounded(number: string): boolean {
  if (number.length < 16 || Number.isSafeInteger(Number(number))) return false
  return [...'.eE+'].every((character) => !number.includes(character))
}
