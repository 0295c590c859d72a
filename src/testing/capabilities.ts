import { Router } from '../contract/router.ts'
import type { Sandbox } from '../index.ts'
import type { Connection } from './connections.ts'

/** What some transports cannot do. A test that uses a capability must declare it. */
export type Capability =
  /** Requests to paths that the contract does not have. MSW does not handle them. */
  | 'unknown paths'
  /** Request headers that scripts in browsers cannot set. */
  | 'forbidden headers'
  /** More than fifty requests to one sandbox. Over HTTP and with MSW they take seconds, and they test nothing new. */
  | 'many requests'

/** The forbidden request headers (Fetch standard) that tests use. */
const FORBIDDEN = /^(?:access-control-request-|origin$|cookie$|host$|content-length$)/

/** The capabilities that a request uses. It is the `count`th request to its sandbox. */
export function requiredCapabilities(
  { url, headers }: Request,
  { base, sandbox }: Pick<Connection, 'base' | 'sandbox'>,
  count: number,
): Capability[] {
  const capabilities: Capability[] = []
  if (!isKnown(url, base, sandbox)) capabilities.push('unknown paths')
  if ([...headers.keys()].some((name) => FORBIDDEN.test(name))) {
    capabilities.push('forbidden headers')
  }
  if (count > 50) capabilities.push('many requests')

  return capabilities
}

/** Whether MSW handles a path. It ignores a trailing slash, which the contract does not. */
function isKnown(url: string, base: string, { contract }: Sandbox): boolean {
  if (!url.startsWith(base)) return false
  const path = url.slice(base.length).replace(/\?.*/, '').replace(/\/$/, '')
  try {
    return new Router(contract).allowedMethods(path) !== ''
  } catch {
    return false
  }
}

/** Throws an error when a test uses a capability that it does not declare. */
export function failOnUndeclared(
  declared: readonly Capability[],
  used: ReadonlySet<Capability>,
): void {
  const capability = [...used].find((one) => !declared.includes(one))
  if (capability === undefined) return
  const all = [...declared, capability].map((one) => `'${one}'`).join(', ')
  throw new Error(
    `The test uses ${capability}, which some transports do not support. ` +
      `Move it into describeEachTransportWith([${all}], …).`,
  )
}

/** Throws an error when a test declares a capability that it does not use: more transports could run it. */
export function failOnUnused(declared: readonly Capability[], used: ReadonlySet<Capability>): void {
  const capability = declared.find((one) => !used.has(one))
  if (capability === undefined) return
  throw new Error(
    `The test does not use ${capability}, so it is skipped needlessly on some transports. ` +
      'Move it into a block that does not declare this capability.',
  )
}
