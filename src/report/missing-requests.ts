import type { ReportEntry } from './report-entry.ts'

/** States which requests the recordings lack: a full journal drops its oldest exchanges, and an archive can be incomplete. */
export function missingRequestNotices(entries: readonly ReportEntry[]): readonly string[] {
  const recordings = new Map<number, number[]>()
  for (const { recording, number } of entries) {
    if (number === undefined) continue
    const numbers = recordings.get(recording) ?? []
    numbers.push(number)
    recordings.set(recording, numbers)
  }

  return [...recordings].flatMap(([recording, numbers]) => {
    const [first, last] = endsOf(numbers)
    const known = numbers.length
    if (known >= last) return []
    const where = recordings.size > 1 ? ` of recording ${recording}` : ''
    return first === last - known + 1
      ? [`Only the last ${known} of ${last} requests${where} are recorded. The journal is full.`]
      : [`Only ${known} of ${last} requests${where} are recorded.`]
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
