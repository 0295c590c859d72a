import { maxHeaderSize } from 'node:http'
import { type Problem, problems } from '../http/problem.ts'

/** The problem for a request that Node could not parse, by Node's error code. `timeout` is the request timeout in milliseconds. */
export function problemOfParseError(code: string | undefined, timeout: number): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return problems.headersTooLarge(`The request's headers are larger than ${maxHeaderSize} bytes.`)
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return problems.requestTimeout(`The request did not arrive within ${timeout / 1000} seconds.`)
  }
  return problems.invalidRequest('The request is not valid HTTP (RFC 9112).')
}
