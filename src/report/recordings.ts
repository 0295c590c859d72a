import { groupBy } from '../validation/objects.ts'
import type { ReportEntry } from './report-entry.ts'

/**
 * Merges recordings into one list, sorted by arrival. Recordings that share an entry are of the same sandbox and become one
 * recording. Other recordings, for instance of parallel jobs, stay separate.
 */
export function mergeRecordings(
  recordings: readonly (readonly ReportEntry[])[],
): readonly ReportEntry[] {
  const merged = new MergedRecordings()
  for (const recording of recordings) merged.add(toGroup(recording))
  const groups = merged.groups.filter(({ entries }) => entries.size > 0)

  return groups.flatMap(({ entries }, index) =>
    [...entries.values()].sort(byArrival).map((entry, at) => ({
      ...entry,
      recording: index + 1,
      id: (groups.length > 1 ? `${index + 1}:` : '') + (entry.number ?? at + 1),
    })),
  )
}

/** The entries of one sandbox. */
interface Group {
  readonly entries: Map<Fingerprint, ReportEntry>
  readonly numbers: Set<number | undefined>
}

/** Equal for the same entry in two recordings. */
type Fingerprint = string

function toGroup(recording: readonly ReportEntry[]): Group {
  return {
    entries: withFingerprints(recording),
    numbers: new Set(recording.map(({ number }) => number)),
  }
}

class MergedRecordings {
  readonly #groups = new Set<Group>()
  readonly #groupsByFingerprint = new Map<Fingerprint, Set<Group>>()

  get groups(): readonly Group[] {
    return [...this.#groups]
  }

  add(added: Group): void {
    let whole = added
    for (const group of this.#groupsWithSameEntry(added)) {
      if (!areOfSameSandbox(group, whole)) continue
      this.#groups.delete(group)
      whole = this.#merge(group, whole)
    }
    this.#groups.add(whole)
    for (const fingerprint of whole.entries.keys()) this.#groupsWith(fingerprint).add(whole)
  }

  #groupsWithSameEntry({ entries }: Group): ReadonlySet<Group> {
    return new Set([...entries.keys()].flatMap((one) => [...this.#groupsWith(one)]))
  }

  #groupsWith(fingerprint: Fingerprint): Set<Group> {
    const groups = this.#groupsByFingerprint.get(fingerprint) ?? new Set()
    this.#groupsByFingerprint.set(fingerprint, groups)
    return groups
  }

  /** Adds the smaller group to the larger one, so that entries are not copied for each recording. */
  #merge(one: Group, other: Group): Group {
    const [small, large] = bySize(one, other)
    for (const [fingerprint, entry] of small.entries) {
      this.#groupsWith(fingerprint).delete(small)
      this.#groupsWith(fingerprint).add(large)
      large.entries.set(fingerprint, entry)
      large.numbers.add(entry.number)
    }
    return large
  }
}

function bySize(one: Group, other: Group): readonly [small: Group, large: Group] {
  return one.entries.size < other.entries.size ? [one, other] : [other, one]
}

/** Two groups that share an entry are of the same sandbox, unless a number stands for different entries. */
function areOfSameSandbox(one: Group, other: Group): boolean {
  const [small, large] = bySize(one, other)
  return [...small.entries].every(
    ([fingerprint, { number }]) =>
      number === undefined || !large.numbers.has(number) || large.entries.has(fingerprint),
  )
}

/** Entries by all properties that distinguish them. Equal entries of one recording are counted. */
function withFingerprints(recording: readonly ReportEntry[]): Map<Fingerprint, ReportEntry> {
  const entries = new Map<Fingerprint, ReportEntry>()
  const counts = new Map<string, number>()
  for (const entry of recording) {
    const { world, number, time, end, method, target, status, key } = entry
    const properties = JSON.stringify([world, number, time, end, method, target, status, key])
    const count = (counts.get(properties) ?? 0) + 1
    counts.set(properties, count)
    entries.set(`${properties}${count}`, entry)
  }
  return entries
}

/** The clock of a sandbox can be set back, so `follows` decides before the time. */
function byArrival(one: ReportEntry, other: ReportEntry): number {
  const follows = (one.follows ?? 0) - (other.follows ?? 0)
  return follows || one.time - other.time || (one.number ?? 0) - (other.number ?? 0)
}

/** States which requests the recordings lack: a full journal drops its oldest exchanges, and an archive can be incomplete. */
export function missingRequestNotices(entries: readonly ReportEntry[]): readonly string[] {
  const numbered = entries.filter(({ number }) => number !== undefined)
  const recordings = groupBy(numbered, ({ recording }) => recording)

  return [...recordings].flatMap(([recording, group]) => {
    const numbers = group.map(({ number = 0 }) => number).sort((one, other) => one - other)
    const [first = 0, last = 0] = [numbers[0], numbers.at(-1)]
    const known = numbers.length
    if (known >= last) return []
    const where = recordings.size > 1 ? ` of recording ${recording}` : ''
    return first === last - known + 1
      ? [`Only the last ${known} of ${last} requests${where} are recorded. The journal is full.`]
      : [`Only ${known} of ${last} requests${where} are recorded.`]
  })
}
