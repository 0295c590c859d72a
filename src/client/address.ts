import { CONTROL_PATH } from '../http/control-path.ts'
import { chooseWorld, WORLDS_PATH } from '../http/world-path.ts'
import { UsageError } from '../validation/usage-error.ts'

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
const CONTROL = new RegExp(`^(.*?)${CONTROL_PATH}(?=/|$)(.*)$`, 's')

/** A world that a URL drops from a path: what is meant for it would reach another world. */
const DROPPED = new RegExp(`${WORLDS_PATH}((?:\\.|%2e){1,2})(?=[/?#]|$)`, 'i')

/**
 * What an address of a sandbox says: its origin, its base address or that of one of its worlds, or its control interface.
 * Throws a UsageError for what is no address.
 */
export function readAddress(text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError({
      code: 'invalid_url',
      task: `connect to the sandbox at "${text}"`,
      reason: 'it is not an http or https URL',
      help: 'Write it as http://127.0.0.1:4010.',
    })
  }
  const { origin, pathname } = url
  const [control, before = '', below = ''] = CONTROL.exec(pathname) ?? []
  const isControl = control !== undefined
  const [, dropped] = DROPPED.exec(text) ?? []
  const path = isControl ? below : pathname
  const { name, fault, rest } = chooseWorld(dropped ? WORLDS_PATH + dropped : path)
  if (fault) throw fault

  return {
    site: origin + before,
    path: isControl ? '' : rest.replace(/\/$/, ''),
    ...(name !== undefined && { world: name }),
  }
}
