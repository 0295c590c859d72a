import { toHash } from '../../route.ts'

/** The address of this view for a world. */
export function worldHref(name: string): string {
  return toHash({ view: 'worlds', ...(name !== 'default' && { world: name }) })
}
