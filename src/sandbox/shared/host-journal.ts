import type { Service } from '../../engine/service.ts'
import { version } from '../../generated/package.ts'
import { toFilter } from '../../journal/exchange-query.ts'
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
  const exchanges: RecordedExchange[] = []
  let last = after
  while (exchanges.length < limit) {
    const size = Math.min(BATCH, limit - exchanges.length)
    const batch = await journal.read(last, size)
    exchanges.push(...batch.map((stored) => toExchange(stored, service)))
    last = batch.at(-1)?.id ?? last
    if (batch.length < size) break
  }
  const [first] = exchanges
  // The full journal may have dropped more since the world was loaded.
  const isCut = first !== undefined && first.id > after + 1

  return openedJournal(exchanges, service, {
    last: Math.max(loaded.last, exchanges.at(-1)?.id ?? 0),
    dropped: isCut ? Math.max(loaded.dropped, first.id - 1) : loaded.dropped,
  })
}

function openedJournal(
  exchanges: readonly RecordedExchange[],
  { settings }: Service,
  { last, dropped }: Pick<OpenedJournal, 'last' | 'dropped'>,
): OpenedJournal {
  const find: OpenedJournal['find'] = (query = {}) => {
    const matches = toFilter(query, settings.contract.operations)
    return exchanges.filter(matches).slice(0, query.limit)
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
