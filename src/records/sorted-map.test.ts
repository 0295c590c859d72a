import { describe, expect, it } from 'vitest'
import { Random } from '../generate/random.ts'
import type { Id } from './record-table.ts'
import { SortedMap } from './sorted-map.ts'

function idsAfter(map: SortedMap<object>, after?: Id, most = Number.POSITIVE_INFINITY): Id[] {
  const ids: Id[] = []
  map.forEachAfter(after, (_value, id) => ids.push(id) < most)
  return ids
}

/** Whole numbers below `sides` that look random and are the same in each run. */
function dice(seed: number): (sides: number) => number {
  const random = new Random(seed)
  return (sides) => Math.floor(random.next() * sides)
}

describe('a sorted map', () => {
  it('has numbers before strings, each in ascending order', () => {
    const map = new SortedMap<{ readonly text: string }>()

    for (const id of ['b', 10, 'a', 9]) map.set(id, { text: `value ${id}` })

    expect(idsAfter(map)).toEqual([9, 10, 'a', 'b'])
    expect(map.get(9)).toEqual({ text: 'value 9' })
    expect(map.get('9')).toBeUndefined()
  })

  it('makes the values of many keys when they are visited', () => {
    const made: number[] = []
    const keys = Array.from({ length: 5000 }, (_, at) => at * 2)
    const map = SortedMap.of(keys, (at) => {
      made.push(at)
      return { at }
    })

    map.set(9999, { at: -1 })
    const fork = map.fork()
    fork.set(3, { at: -2 })

    expect(map.size).toBe(5001)
    expect(map.get(8000)).toEqual({ at: 4000 })
    expect(made.length).toBeLessThan(4000)
    expect(map.get(2)).toBe(fork.get(2))
    expect(map.get(3)).toBeUndefined()
    expect(idsAfter(fork).slice(0, 4)).toEqual([0, 2, 3, 4])
    expect(new Set(made).size).toBe(made.length)
  })

  it('has one value for each key: the last one set', () => {
    const map = new SortedMap<{ readonly text: string }>()

    map.set(1, { text: 'first' })
    map.set(1, { text: 'second' })

    expect(map.size).toBe(1)
    expect(map.get(1)).toEqual({ text: 'second' })
  })

  it('accepts entries after its last one was deleted', () => {
    const map = new SortedMap<{ readonly text: string }>()

    map.set(1, { text: 'one' })
    map.delete(1)
    map.delete(1)
    map.set(2, { text: 'two' })

    expect(map.size).toBe(1)
    expect(idsAfter(map)).toEqual([2])
  })

  it('keeps appended entries in order, also in a fork', () => {
    const map = new SortedMap<{ readonly id: number }>()
    const fill = (some: typeof map, from: number, to: number): void => {
      for (let id = from; id <= to; id += 1) some.set(id, { id })
    }
    fill(map, 1, 3000)
    const fork = map.fork()

    fill(map, 3001, 5000)
    fill(fork, 3001, 3500)

    expect(idsAfter(map, 4996)).toEqual([4997, 4998, 4999, 5000])
    expect([map.size, fork.size]).toEqual([5000, 3500])
    expect(idsAfter(fork)).toEqual(idsAfter(map).slice(0, 3500))
    expect(fork.get(1024)).toEqual({ id: 1024 })
  })

  it('equals a plain sorted list after 20,000 random changes', () => {
    const roll = dice(1)
    const map = new SortedMap<{ readonly step: number }>()
    const plain = new Map<number, { readonly step: number }>()

    for (let step = 0; step < 20_000; step += 1) {
      const id = roll(9000)
      if (roll(3) === 0) {
        map.delete(id)
        plain.delete(id)
      } else {
        map.set(id, { step })
        plain.set(id, { step })
      }
    }

    const sorted = [...plain.keys()].sort((one, other) => one - other)
    expect(map.size).toBe(sorted.length)
    expect(map.size).toBeGreaterThan(3000)
    expect(idsAfter(map)).toEqual(sorted)
    for (let page = 0; page < 500; page += 1) {
      const after = roll(9100) - 50
      expect(map.get(after)).toEqual(plain.get(after))
      expect(idsAfter(map, after, 20)).toEqual(sorted.filter((id) => id > after).slice(0, 20))
    }
  })

  it('does not change with its fork, nor the fork with it', () => {
    const map = new SortedMap<{ readonly text: string }>()
    for (const id of [1, 2, 3]) map.set(id, { text: 'first' })

    const fork = map.fork()
    fork.set(2, { text: 'fork' })
    fork.delete(3)
    map.set(4, { text: 'source' })
    map.delete(1)

    expect(idsAfter(map)).toEqual([2, 3, 4])
    expect(idsAfter(fork)).toEqual([1, 2])
    expect([map.get(2)?.text, fork.get(2)?.text]).toEqual(['first', 'fork'])
  })

  it('equals plain lists after random changes of a tree of forks', () => {
    const roll = dice(2)
    const root = new SortedMap<object>()
    const trees = [{ map: root, plain: new Set<number>() }]

    for (let step = 0; step < 40_000; step += 1) {
      const tree = trees[roll(trees.length)] ?? { map: root, plain: new Set() }
      const id = roll(6000)
      if (step % 4000 === 3999) {
        trees.push({ map: tree.map.fork(), plain: new Set(tree.plain) })
      } else if (roll(4) === 0) {
        tree.map.delete(id)
        tree.plain.delete(id)
      } else {
        tree.map.set(id, { step })
        tree.plain.add(id)
      }
    }

    expect(trees).toHaveLength(11)
    for (const { map, plain } of trees) {
      expect(map.size).toBe(plain.size)
      expect(idsAfter(map)).toEqual([...plain].sort((one, other) => one - other))
    }
  })
})
