import { chooseWorld } from './world-path.ts'

/** Where the control interface is, beside the API. Its document names the same path. */
export const CONTROL_PATH = '/__sandbox'

/**
 * A path below `/__sandbox`, fit for a log where its operation is not known: `/keys/sk_secret` becomes `/keys/…`. What
 * follows the first segment may be an API key, of a world's path too.
 */
export function maskedPath(path: string): string {
  const { prefix, rest } = chooseWorld(path)
  const [first = '', ...others] = rest.split('/').slice(1)
  const shown = rest === '' ? '' : `/${first}`

  return prefix + shown + (others.some((segment) => segment !== '') ? '/…' : '')
}
