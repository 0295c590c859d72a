import type { ServeSettings } from '../settings.ts'
import type { OpenedState } from './open-state.ts'

/** The line of the startup message about the state. */
export function stateLine({ name, restoredRecords }: OpenedState, settings: ServeSettings): string {
  if (settings.log === 'json')
    return `${JSON.stringify({ state: name, records: restoredRecords ?? null })}\n`
  if (restoredRecords === undefined) return `\nThe state is saved to ${name}.\n`
  const records = `${new Intl.NumberFormat('en').format(restoredRecords)} record${restoredRecords === 1 ? '' : 's'}`
  const ignored = INITIAL.filter((setting) => settings[setting] !== undefined)
  const note = ignored.length > 0 ? ` (ignored: ${ignored.join(', ')})` : ''

  return `\nRestored ${records} from ${name}${note}\n`
}

/** The settings that only apply to a start without a saved state. */
const INITIAL = ['records', 'seed', 'scenario'] as const
