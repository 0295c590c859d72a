import { chooseWorld } from './world-path.ts'

/** The path of the control interface, next to the API. Its OpenAPI document has the same path. */
export const CONTROL_PATH = '/__sandbox'

/** The request header with which the dashboard proves that it is the dashboard. */
export const PAGE_HEADER = 'x-sandbox-page'

/**
 * Masks a path below `/__sandbox` for the log: `/keys/sk_secret` becomes `/keys/…`. Without its operation, any segment after
 * the first may be an API key, also in the path of a world.
 */
export function maskedPath(path: string): string {
  const { prefix, rest } = chooseWorld(path)
  const [first = '', ...others] = rest.split('/').slice(1)
  const shown = rest === '' ? '' : `/${first}`

  return prefix + shown + (others.some((segment) => segment !== '') ? '/…' : '')
}
