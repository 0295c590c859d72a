import { METHODS, maxHeaderSize } from 'node:http'
import { type Problem, problems } from '../http/problem.ts'

/** The methods that Node cannot read, each once. Their operations are served by other transports only. */
export function unreadableMethods(methods: readonly string[]): readonly string[] {
  return [...new Set(methods)].filter((method) => !METHODS.includes(method))
}

/**
 * The problem for a request that Node could not parse, by Node's error code. `timeout` is the request timeout in milliseconds;
 * `unreadable` are the methods of the API that Node cannot read.
 */
export function problemOfParseError(
  code: string | undefined,
  timeout: number,
  unreadable: readonly string[] = [],
): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return problems.headersTooLarge(`The request's headers are larger than ${maxHeaderSize} bytes.`)
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return problems.requestTimeout(`The request did not arrive within ${timeout / 1000} seconds.`)
  }
  const hint =
    code === 'HPE_INVALID_METHOD' && unreadable.length > 0
      ? ` Node.js cannot read these methods of the API: ${unreadable.join(', ')}. sandbox.fetch and MSW answer them.`
      : ''
  return problems.invalidRequest(`The request is not valid HTTP (RFC 9112).${hint}`)
}
