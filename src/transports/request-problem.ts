import type { IncomingMessage } from 'node:http'
import { type Problem, problems } from '../http/problem.ts'
import { HOST } from './address.ts'

/** The latest valid host. Most requests name the same host. */
let latestHost = ''

function isHostName(host: string): boolean {
  if (host === latestHost) return true
  if (!(HOST.test(host) && URL.canParse(`http://${host}`))) return false
  latestHost = host
  return true
}

/** The 400 for a body of unknown length. The server then closes the connection (RFC 9112, section 6.3). */
export function problemOfBody({ headers }: IncomingMessage): Problem | undefined {
  const coding = headers['transfer-encoding'] ?? 'chunked'
  if (coding.toLowerCase() === 'chunked') return undefined
  return problems.invalidRequest(
    `The Transfer-Encoding must be chunked, or left out (got ${JSON.stringify(coding)}).`,
  )
}

/**
 * The 400 for requests that Node accepts but HTTP forbids (RFC 9112, section 3.2), for which Express would respond with HTML, and for
 * the script of a service worker (Service Workers, section 4.1): it would see what the dashboard sends and gets, and stay.
 */
export function problemOfRequest(request: IncomingMessage): Problem | undefined {
  const { url = '', httpVersion, headers, rawHeaders } = request
  const { host } = headers
  if (host === undefined && httpVersion === '1.1')
    return problems.invalidRequest('The Host header is missing. HTTP/1.1 requires it.')
  const isHost = (text: string, at: number): boolean =>
    at % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host'
  if (rawHeaders.findIndex(isHost) !== rawHeaders.findLastIndex(isHost))
    return problems.invalidRequest('The request must have one Host header (got several).')
  if (host && !isHostName(host))
    return problems.invalidRequest('The Host header must be a host, with or without a port.')
  if (headers['service-worker'] !== undefined)
    return problems.invalidRequest('A response of the sandbox cannot be a service worker.')
  if (url.startsWith('/') || url === '*' || URL.canParse(url)) return undefined

  return problems.invalidRequest(`The request target must be a path or a URL (got ${url}).`)
}
