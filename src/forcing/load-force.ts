import type { CoreRequest } from '../http/message.ts'
import type { force } from './force.ts'
import type { Rules } from './rules.ts'

/** Decides what is forced on a request. */
export type Force = typeof force

let loaded: Force | undefined

/**
 * The function that decides what is forced on a request; `undefined` when nothing can be. It is loaded when the first request
 * needs it: most pages force nothing.
 */
export function forceFor(
  request: CoreRequest,
  rules: Pick<Rules, 'isEmpty'>,
): Force | Promise<Force> | undefined {
  if (rules.isEmpty && request.header('prefer') === undefined) return undefined
  return loaded ?? load()
}

async function load(): Promise<Force> {
  const { force } = await import('./force.ts')
  loaded = force
  return force
}
