import { describe, expect, it } from 'vitest'
import { Random } from '../generate/random.ts'
import type { Id } from './id-generator.ts'
import { SortedMap } from './sorted-map.ts'

function idsAfter(rows: SortedMap<object>, after?: Id, most = Number.POSITIVE_INFINITY): Id[] {
  const ids: Id[] = []
  rows.forEachAfter(after, (_row, id) => ids.push(id) < most)
  return ids
}

/** Whole numbers below `sides` that look random and are the same in each run. */
function dice(seed: number): (sides: number) => number {
  const random = new Random(seed)
  return (sides) => Math.floor(random.next() * sides)
}

describe('a sorted map', () => {
  it('has numbers before strings, each in ascending order', () => {
    const rows = new SortedMap<{ readonly text: string }>()

    for (const id of ['b', 10, 'a', 9]) rows.set(id, { text: `row ${id}` })

    expect(idsAfter(rows)).toEqual([9, 10, 'a', 'b'])
    expect(rows.get(9)).toEqual({ text: 'row 9' })
    expect(rows.get('9')).toBeUndefined()
  })

  it('has one value for each key: the last one set', () => {
    const rows = new SortedMap<{ readonly text: string }>()

    rows.set(1, { text: 'first' })
    rows.set(1, { text: 'second' })

    expect(rows.size).toBe(1)
    expect(rows.get(1)).toEqual({ text: 'second' })
  })

  it('accepts entries after its last one was deleted', () => {
    const rows = new SortedMap<{ readonly text: string }>()

    rows.set(1, { text: 'one' })
    rows.delete(1)
    rows.delete(1)
    rows.set(2, { text: 'two' })

    expect(rows.size).toBe(1)
    expect(idsAfter(rows)).toEqual([2])
  })

  it('keeps appended entries in order, also in a fork', () => {
    const rows = new SortedMap<{ readonly id: number }>()
    const fill = (some: typeof rows, from: number, to: number): void => {
      for (let id = from; id <= to; id += 1) some.set(id, { id })
    }
    fill(rows, 1, 3000)
    const fork = rows.fork()

    fill(rows, 3001, 5000)
    fill(fork, 3001, 3500)

    expect(idsAfter(rows, 4996)).toEqual([4997, 4998, 4999, 5000])
    expect([rows.size, fork.size]).toEqual([5000, 3500])
    expect(idsAfter(fork)).toEqual(idsAfter(rows).slice(0, 3500))
    expect(fork.get(1024)).toEqual({ id: 1024 })
  })

  it('equals a plain sorted list after 20,000 random changes', () => {
    const roll = dice(1)
    const rows = new SortedMap<{ readonly step: number }>()
    const plain = new Map<number, { readonly step: number }>()

    for (let step = 0; step < 20_000; step += 1) {
      const id = roll(9000)
      if (roll(3) === 0) {
        rows.delete(id)
        plain.delete(id)
      } else {
        rows.set(id, { step })
        plain.set(id, { step })
      }
    }

    const sorted = [...plain.keys()].sort((one, other) => one - other)
    expect(rows.size).toBe(sorted.length)
    expect(rows.size).toBeGreaterThan(3000)
    expect(idsAfter(rows)).toEqual(sorted)
    for (let page = 0; page < 500; page += 1) {
      const after = roll(9100) - 50
      expect(rows.get(after)).toEqual(plain.get(after))
      expect(idsAfter(rows, after, 20)).toEqual(sorted.filter((id) => id > after).slice(0, 20))
    }
  })

  it('does not change with its fork, nor the fork with it', () => {
    const rows = new SortedMap<{ readonly text: string }>()
    for (const id of [1, 2, 3]) rows.set(id, { text: 'first' })

    const fork = rows.fork()
    fork.set(2, { text: 'fork' })
    fork.delete(3)
    rows.set(4, { text: 'source' })
    rows.delete(1)

    expect(idsAfter(rows)).toEqual([2, 3, 4])
    expect(idsAfter(fork)).toEqual([1, 2])
    expect([rows.get(2)?.text, fork.get(2)?.text]).toEqual(['first', 'fork'])
  })

  it('equals plain lists after random changes of a tree of forks', () => {
    const roll = dice(2)
    const root = new SortedMap<object>()
    const trees = [{ rows: root, plain: new Set<number>() }]

    for (let step = 0; step < 40_000; step += 1) {
      const tree = trees[roll(trees.length)] ?? { rows: root, plain: new Set() }
      const id = roll(6000)
      if (step % 4000 === 3999) {
        trees.push({ rows: tree.rows.fork(), plain: new Set(tree.plain) })
      } else if (roll(4) === 0) {
        tree.rows.delete(id)
        tree.plain.delete(id)
      } else {
        tree.rows.set(id, { step })
        tree.plain.add(id)
      }
    }

    expect(trees).toHaveLength(11)
    for (const { rows, plain } of trees) {
      expect(rows.size).toBe(plain.size)
      expect(idsAfter(rows)).toEqual([...plain].sort((one, other) => one - other))
    }
  })
})
