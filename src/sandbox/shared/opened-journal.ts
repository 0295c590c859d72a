import type { Service } from '../../engine/service.ts'
import { version } from '../../generated/package.ts'
import { toFilter, withinLimit } from '../../journal/exchange-query.ts'
import type { RecordedExchange } from '../../journal/recorded-exchange.ts'
import type { LoadedWorld } from '../../state/stored-state.ts'
import type { StoredJournal } from '../../state/world-store.ts'
import type { JournalRange, OpenedJournal } from '../world-host.ts'
import { toExchange } from './stored-exchange.ts'

/** How many exchanges are read at once, so that other requests have turns. */
const BATCH = 200

/** A part of a world's journal that is read from the store. */
export async function openStoredJournal(
  journal: StoredJournal,
  loaded: LoadedWorld,
  service: Service,
  { after = 0, limit = Infinity }: JournalRange = {},
): Promise<OpenedJournal> {
  const { journal: size } = service.settings
  const start = Math.max(after, loaded.last - size)
  const found: RecordedExchange[] = []
  let position = start
  while (found.length < limit) {
    const most = Math.min(BATCH, limit - found.length)
    const batch = await journal.read(position, most)
    found.push(...batch.map((stored) => toExchange(stored, service)))
    position = batch.at(-1)?.id ?? position
    if (batch.length < most) break
  }
  const last = Math.max(loaded.last, found.at(-1)?.id ?? 0)
  const [first] = found
  // The full journal may have dropped more since the world was loaded.
  const isCut = first !== undefined && first.id > start + 1
  const dropped = Math.max(0, last - size, isCut ? first.id - 1 : 0)

  return openedJournal(
    found.filter(({ id }) => id > dropped),
    service,
    { last, dropped },
  )
}

function openedJournal(
  exchanges: readonly RecordedExchange[],
  { settings }: Service,
  { last, dropped }: Pick<OpenedJournal, 'last' | 'dropped'>,
): OpenedJournal {
  const find: OpenedJournal['find'] = (query = {}) => {
    const matches = toFilter(query, settings.contract.operations)
    return withinLimit(exchanges.filter(matches), query)
  }
  return {
    exchanges,
    last,
    dropped,
    find,
    toHar: async (query) => {
      const found = find(query)
      const { toHar } = await import('../../journal/har.ts')
      return toHar(found, { name: 'pet-sandbox', version })
    },
  }
}
