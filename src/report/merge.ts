import type { Entry } from './entry.ts'

/**
 * Several recordings as one list, in the order in which requests came. Recordings that have an entry in common are of one
 * sandbox, and become one, with that entry once; the others, as of parallel jobs, stay apart.
 */
export function mergeRecordings(recordings: readonly (readonly Entry[])[]): readonly Entry[] {
  let groups: Map<string, Entry>[] = []
  for (const recording of recordings) {
    let whole = fingerprinted(recording)
    const others: Map<string, Entry>[] = []
    for (const group of groups) {
      if (overlap(group, whole)) whole = new Map([...group, ...whole])
      else others.push(group)
    }
    groups = [...others, whole]
  }
  const filled = groups.filter(({ size }) => size > 0)

  return filled.flatMap((group, at) =>
    [...group.values()].sort(byOrder).map((entry, place) => ({
      ...entry,
      recording: at + 1,
      id: (filled.length > 1 ? `${at + 1}:` : '') + (entry.number ?? place + 1),
    })),
  )
}

/** Whether both are of one sandbox: what has the same number in both is the same entry, and there is one. */
function overlap(one: Map<string, Entry>, other: Map<string, Entry>): boolean {
  const shared = [...one.keys()].filter((print) => other.has(print))
  if (shared.length === 0) return false
  const numbers = new Set([...other.values()].map(({ number }) => number))
  return [...one].every(([print, { number }]) => {
    return number === undefined || !numbers.has(number) || other.has(print)
  })
}

/** The entries by all that tells them apart: of equal ones, the second is another entry than the first. */
function fingerprinted(recording: readonly Entry[]): Map<string, Entry> {
  const prints = new Map<string, Entry>()
  for (const entry of recording) {
    const { world, number, time, end, method, target, status, key } = entry
    const print = JSON.stringify([world, number, time, end, method, target, status, key])
    let nth = 1
    while (prints.has(`${print}${nth}`)) nth += 1
    prints.set(`${print}${nth}`, entry)
  }
  return prints
}

/** A sandbox's clock may be moved back; what requests followed tells their order all the same. */
function byOrder(one: Entry, other: Entry): number {
  const follows = (one.follows ?? 0) - (other.follows ?? 0)
  return follows || one.time - other.time || (one.number ?? 0) - (other.number ?? 0)
}
