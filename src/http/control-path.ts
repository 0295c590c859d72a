import { chooseWorld } from './world-path.ts'

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
