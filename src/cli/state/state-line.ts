import type { ServeSettings } from '../settings.ts'
import type { State } from './open-state.ts'

/** What a start with a state says of it. */
export function stateLine({ name, found }: State, settings: ServeSettings): string {
  if (settings.log === 'json') return `${JSON.stringify({ state: name, records: found ?? null })}\n`
  if (found === undefined) return `\nThe state is kept in ${name}.\n`
  const records = `${new Intl.NumberFormat('en').format(found)} record${found === 1 ? '' : 's'}`
  const unused = STARTS.filter((setting) => settings[setting] !== undefined)
  const note = unused.length > 0 ? ` (${unused.join(', ')}: only for a start without it)` : ''

  return `\nState of ${records} from ${name}${note}\n`
}

/** What a start is made from where there is no state. */
const STARTS = ['records', 'seed', 'scenario'] as const
