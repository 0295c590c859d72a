import type { StoredExchange } from '../world-store.ts'
import { listIn, numberIn, textIn } from './reply.ts'
import { corruptValue } from './store-errors.ts'

/** Entries of the stream of a journal. `hasEnded`: the last one says that the epoch has ended. */
export interface JournalEntries {
  readonly exchanges: readonly StoredExchange[]
  readonly hasEnded: boolean
}

/** Reads the entries of a stream. */
export function readEntries(entries: unknown, key: string): JournalEntries {
  const exchanges: StoredExchange[] = []
  let hasEnded = false
  for (const entry of listIn(entries, key)) {
    const [id, fields] = listIn(entry, key)
    const [field, text] = listIn(fields, key)
    if (field === 'end') hasEnded = true
    else if (field !== 'exchange') throw corruptValue(key)
    else
      exchanges.push({ id: numberIn(textIn(id, key).split('-')[0], key), text: textIn(text, key) })
  }
  return { exchanges, hasEnded }
}
