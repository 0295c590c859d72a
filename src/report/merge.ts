import type { Entry } from './entry.ts'

/**
 * Several recordings as one list, in the order in which requests came. Recordings that have an entry in common are of one
 * sandbox, and become one, with that entry once; the others, as of parallel jobs, stay apart.
 */
export function mergeRecordings(recordings: readonly (readonly Entry[])[]): readonly Entry[] {
  const groups = new Set<MergedRecording>()
  const owners = new Map<string, Set<MergedRecording>>()
  for (const recording of recordings) {
    let whole = toRecording(recording)
    for (const group of neighbours(whole, owners)) {
      if (!overlap(group, whole)) continue
      groups.delete(group)
      whole = joined(group, whole, owners)
    }
    groups.add(whole)
    for (const print of whole.entries.keys()) ownersOf(print, owners).add(whole)
  }
  const filled = [...groups].map(({ entries }) => entries).filter(({ size }) => size > 0)

  return filled.flatMap((group, at) =>
    [...group.values()].sort(byOrder).map((entry, place) => ({
      ...entry,
      recording: at + 1,
      id: (filled.length > 1 ? `${at + 1}:` : '') + (entry.number ?? place + 1),
    })),
  )
}

/** Entries of one sandbox, by their fingerprints, and their numbers. */
interface MergedRecording {
  readonly entries: Map<string, Entry>
  readonly numbers: Set<number | undefined>
}

function toRecording(recording: readonly Entry[]): MergedRecording {
  return {
    entries: fingerprinted(recording),
    numbers: new Set(recording.map(({ number }) => number)),
  }
}

function ownersOf(print: string, owners: Map<string, Set<MergedRecording>>): Set<MergedRecording> {
  const known = owners.get(print) ?? new Set()
  owners.set(print, known)
  return known
}

/** The groups that share an entry with a new one. */
function neighbours(
  { entries }: MergedRecording,
  owners: ReadonlyMap<string, ReadonlySet<MergedRecording>>,
): ReadonlySet<MergedRecording> {
  return new Set([...entries.keys()].flatMap((print) => [...(owners.get(print) ?? [])]))
}

/** Both as one. The smaller one is added to the larger, so that no entry is copied for each recording. */
function joined(
  one: MergedRecording,
  other: MergedRecording,
  owners: Map<string, Set<MergedRecording>>,
): MergedRecording {
  const [small, large] = bySize(one, other)
  for (const [print, entry] of small.entries) {
    ownersOf(print, owners).delete(small)
    ownersOf(print, owners).add(large)
    large.entries.set(print, entry)
    large.numbers.add(entry.number)
  }
  return large
}

function bySize(
  one: MergedRecording,
  other: MergedRecording,
): readonly [small: MergedRecording, large: MergedRecording] {
  return one.entries.size < other.entries.size ? [one, other] : [other, one]
}

/** Whether both are of one sandbox: what has the same number in both is the same entry. They share one already. */
function overlap(one: MergedRecording, other: MergedRecording): boolean {
  const [small, large] = bySize(one, other)
  return [...small.entries].every(([print, { number }]) => {
    return number === undefined || !large.numbers.has(number) || large.entries.has(print)
  })
}

/** The entries by all that tells them apart: of equal ones, the second is another entry than the first. */
function fingerprinted(recording: readonly Entry[]): Map<string, Entry> {
  const prints = new Map<string, Entry>()
  const counts = new Map<string, number>()
  for (const entry of recording) {
    const { world, number, time, end, method, target, status, key } = entry
    const print = JSON.stringify([world, number, time, end, method, target, status, key])
    const nth = (counts.get(print) ?? 0) + 1
    counts.set(print, nth)
    prints.set(`${print}${nth}`, entry)
  }
  return prints
}

/** A sandbox's clock may be moved back; what requests followed tells their order all the same. */
function byOrder(one: Entry, other: Entry): number {
  const follows = (one.follows ?? 0) - (other.follows ?? 0)
  return follows || one.time - other.time || (one.number ?? 0) - (other.number ?? 0)
}
