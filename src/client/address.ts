import { UsageError } from '../usage-error.ts'

/** Where a sandbox is steered. */
export interface Address {
  /** As `http://127.0.0.1:4010`, with the path that a proxy may have it under. */
  readonly site: string
  /** Absent when the address names none. */
  readonly world?: string
}

/** Below the site; what comes before it is a proxy's. */
const CONTROL = /^(.*?)\/__sandbox(?:\/worlds\/([^/]+))?(?:\/|$)/

/** What the base address of a world starts with. */
const WORLD = /^\/worlds\/([^/]+)(?:\/|$)/

/**
 * What an address of a sandbox says: its origin, its base address or that of one of its worlds, or its control interface.
 * Throws a UsageError for what is no address.
 */
export function readAddress(text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(
      'invalid_url',
      `Cannot steer the sandbox at "${text}": it is no address. Write it as http://127.0.0.1:4010.`,
    )
  }
  const { origin, pathname } = url
  const [isControl, prefix = '', steered] = CONTROL.exec(pathname) ?? []
  const world = isControl === undefined ? WORLD.exec(pathname)?.[1] : steered

  return { site: origin + prefix, ...(world !== undefined && { world }) }
}
