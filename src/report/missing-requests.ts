import type { Entry } from './entry.ts'

/** What was not seen of recordings: exchanges fall out of a journal that is full, and archives may be cut. */
export function missingRequestNotices(entries: readonly Entry[]): readonly string[] {
  const recordings = new Map<number, number[]>()
  for (const { recording, number } of entries) {
    if (number === undefined) continue
    const numbers = recordings.get(recording) ?? []
    numbers.push(number)
    recordings.set(recording, numbers)
  }

  return [...recordings].flatMap(([recording, numbers]) => {
    const [first, last] = endsOf(numbers)
    const seen = numbers.length
    if (seen >= last) return []
    const of = recordings.size > 1 ? ` of recording ${recording}` : ''
    const isCut = first === last - seen + 1
    const which = isCut ? `Only the last ${seen} of ${last}` : `Only ${seen} of ${last}`
    const why = isCut ? 'the journal keeps no more' : 'the others are not in what was read'
    return [`${which} requests${of} were seen: ${why}.`]
  })
}

function endsOf(numbers: readonly number[]): [first: number, last: number] {
  let [first, last] = [Number.POSITIVE_INFINITY, 0]
  for (const number of numbers) {
    first = Math.min(first, number)
    last = Math.max(last, number)
  }
  return [first, last]
}
