import { maskSecret } from './exchange.ts'

/** Headers that contain credentials, by standard or by convention. */
const SECRET = /authorization|cookie|api-?key|token|secret/i

/**
 * A header without its secret. `Authorization` keeps the scheme and, of a bearer token or of a bare key as some clients send
 * it, the end; other headers with credentials keep nothing.
 */
export function maskHeader(
  name: string,
  value: string,
  secretHeaders: readonly string[],
): readonly [string, string] {
  if (!(SECRET.test(name) || secretHeaders.includes(name.toLowerCase()))) return [name, value]
  if (!/authorization$/i.test(name)) return [name, '…']
  const [, scheme = '', secret = ''] = /^([\w-]+ +)?(.*)$/s.exec(value) ?? []

  return [name, scheme + (/^(bearer +)?$/i.test(scheme) ? maskSecret(secret.trim()) : '…')]
}
