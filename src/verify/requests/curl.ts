import { shorten } from '../shorten.ts'
import type { Credentials, ProbeRequest } from './probe-messages.ts'

/** The environment variable that replaces the key in the output. */
export const KEY_VARIABLE = 'PET_SANDBOX_KEY'

/** The headers of a request that depend on its content. */
export function headersOf(request: ProbeRequest, key: string): Record<string, string> {
  const { body, credentials, type = 'application/json' } = request
  const authorization = authorizationOf(credentials, key)

  return {
    ...(authorization !== undefined && { Authorization: authorization }),
    ...(body !== undefined && { 'Content-Type': type }),
  }
}

function authorizationOf(credentials: Credentials, key: string): string | undefined {
  switch (credentials) {
    case 'none':
      return undefined
    case 'other-scheme':
      return `Basic ${key}`
    case 'invalid-key':
      return `Bearer ${key}x`
    default:
      return `Bearer ${key}`
  }
}

/** A longer body does not fit into a command line. */
const MAX_BODY_LENGTH = 2000

/** A `curl` command that sends the request, with the key in `$PET_SANDBOX_KEY`. */
export function curlCommand(request: ProbeRequest, base: string): string {
  const { method, target, body } = request
  // The shell replaces a variable in double quotes only.
  const headers = Object.entries(headersOf(request, `\${${KEY_VARIABLE}}`)).map(([name, value]) =>
    value.includes('$')
      ? `-H "${name}: ${value.replace(/\$\{(\w+)\}$/, '$$$1')}"`
      : `-H ${quote(`${name}: ${value}`)}`,
  )
  const methodOptions: Record<string, string[]> = { GET: [], HEAD: ['-I'] }
  const data = body === undefined ? [] : ['--data-raw', quote(shorten(body, MAX_BODY_LENGTH))]

  return [
    'curl',
    '-i',
    ...(methodOptions[method] ?? ['-X', method]),
    ...headers,
    ...data,
    quote(base + target),
  ].join(' ')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
