import { CONTROL_PATH, chooseWorld, WORLDS_PATH } from '../http/paths.ts'
import { UsageError } from '../validation/usage-error.ts'

/** The parsed URL of a sandbox. */
export interface Address {
  /** The URL of the server, such as `http://127.0.0.1:4010`, with the path prefix of a proxy if there is one. */
  readonly site: string
  /** The world's name; absent when the URL has none. */
  readonly world?: string
  /** The path of the API, such as `/v1`; empty when the URL has none. The sandbox must have its API there. */
  readonly path: string
}

/** A path of the control interface, after the path prefix of a proxy. */
const CONTROL_PATHNAME = new RegExp(`^(.*?)${CONTROL_PATH}(?=/|$)(.*)$`, 's')

/** A world named `.` or `..`. URL parsing removes these segments, so the request would reach another world. */
const DOT_SEGMENT_WORLD = new RegExp(`${WORLDS_PATH}((?:\\.|%2e){1,2})(?=[/?#]|$)`, 'i')

/**
 * Parses the URL of a sandbox: its origin, the base URL of its API or of a world, or its control interface. Throws a UsageError
 * for an invalid URL.
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
  const [control, before = '', below = ''] = CONTROL_PATHNAME.exec(pathname) ?? []
  const isControl = control !== undefined
  const [, dotSegment] = DOT_SEGMENT_WORLD.exec(text) ?? []
  const path = isControl ? below : pathname
  const { name, nameError, rest } = chooseWorld(dotSegment ? WORLDS_PATH + dotSegment : path)
  if (nameError) throw nameError

  return {
    site: origin + before,
    path: isControl ? '' : rest.replace(/\/$/, ''),
    ...(name !== undefined && { world: name }),
  }
}
