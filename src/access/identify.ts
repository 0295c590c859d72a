import type { CoreRequest } from '../http/message.ts'
import type { Caller } from './caller.ts'
import type { Callers } from './callers.ts'
import type { Scheme } from './scheme.ts'

/**
 * The sender of a request: the first known key that it sends in the form of any security scheme, else its first credential, in
 * the order of the schemes. Without schemes, all requests have the same sender.
 */
export function identify(
  request: CoreRequest,
  callers: Callers,
  schemes: readonly Scheme[],
): Caller {
  if (schemes.length === 0) return callers.everyone
  let first: string | undefined
  for (const scheme of schemes) {
    const credential = scheme.read(request)
    for (const one of [credential, scheme.readSecond?.(request)]) {
      const known = one === undefined ? undefined : callers.known(one)
      if (known) return known
    }
    first ??= credential
  }
  return callers.by(first)
}
