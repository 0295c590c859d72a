import { UsageError } from '../usage-error.ts'

/** Where a sandbox is, as its address says. */
export interface Address {
  /** As `http://127.0.0.1:4010`, with a path where a proxy puts one before it. */
  readonly site: string
  /** The world's name; absent when the address has none. */
  readonly world?: string
  /** The path below that, as `/v1`, at which the sandbox must have its API; empty when there is none. */
  readonly path: string
}

/** A path into the control interface; what comes before it is a proxy's. */
const CONTROL = /^(.*?)\/__sandbox(?:\/worlds\/([^/]+))?(?:\/|$)/

/** The path of an API's base address, below a world's prefix or without one. */
const BASE = /^(?:\/worlds\/([^/]+))?(\/.*)?$/

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
  const [, named, path = ''] = isControl === undefined ? (BASE.exec(pathname) ?? []) : []
  const world = isControl === undefined ? named : steered

  return {
    site: origin + prefix,
    path: path.replace(/\/$/, ''),
    ...(world !== undefined && { world }),
  }
}
