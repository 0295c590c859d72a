import { Router } from '../contract/router.ts'
import type { Sandbox } from '../index.ts'
import type { Connection } from './connections.ts'

/** What not every transport carries. An example that asks for it is described with it, or fails. */
export type Capability =
  /** Paths that the contract does not have. MSW leaves them unhandled. */
  | 'unknown paths'
  /** Headers that browsers keep for themselves. */
  | 'forbidden headers'
  /** More than fifty to one sandbox. MSW takes seconds for them, in a page above all, and shows nothing new. */
  | 'many requests'

/** Headers that pages cannot set (Fetch, "forbidden request-header"), of those that examples do. */
const FORBIDDEN = /^(?:access-control-request-|origin$|cookie$|host$|content-length$)/

/** What a request needs that is the `count`th to its sandbox. */
export function requiredCapabilities(
  { url, headers }: Request,
  { base, sandbox }: Pick<Connection, 'base' | 'sandbox'>,
  count: number,
): Capability[] {
  const needs: Capability[] = []
  if (!isKnown(url, base, sandbox)) needs.push('unknown paths')
  if ([...headers.keys()].some((name) => FORBIDDEN.test(name))) needs.push('forbidden headers')
  if (count > 50) needs.push('many requests')

  return needs
}

/** Whether the contract has a path; a slash at its end is MSW's to ignore, and the sandbox's to refuse. */
function isKnown(url: string, base: string, { contract }: Sandbox): boolean {
  if (!url.startsWith(base)) return false
  const path = url.slice(base.length).replace(/\?.*/, '').replace(/\/$/, '')
  try {
    return new Router(contract).allowedMethods(path) !== ''
  } catch {
    return false
  }
}

/** Fails an example that asks for more than it is described with: some transport does not carry it. */
export function failOnUndeclared(
  declared: readonly Capability[],
  met: ReadonlySet<Capability>,
): void {
  const need = [...met].find((one) => !declared.includes(one))
  if (need === undefined) return
  const all = [...declared, need].map((one) => `'${one}'`).join(', ')
  throw new Error(
    `The example asks for ${need}, which not every transport carries. ` +
      `Move it into describeEachTransportWith([${all}], …).`,
  )
}

/** Fails an example that asks for less than it is described with: more transports could run it. */
export function failOnUnused(declared: readonly Capability[], met: ReadonlySet<Capability>): void {
  const need = declared.find((one) => !met.has(one))
  if (need === undefined) return
  throw new Error(
    `The example never asks for ${need}, and is left out where they are not carried. ` +
      'Move it into a block that does not need them.',
  )
}
