import { describe, expect, it } from 'vitest'
import { RingBuffer } from './ring-buffer.ts'

function filled(size: number, count: number): RingBuffer<string> {
  const ring = new RingBuffer<string>(size)
  for (let at = 0; at < count; at += 1) ring.add({ numbers: [at, at / 8, NaN], facts: `f${at}` })
  return ring
}

describe('a ring buffer', () => {
  it.each<[size: number, count: number, there: number[]]>([
    [3, 0, []],
    [3, 2, [0, 1]],
    [3, 3, [0, 1, 2]],
    [3, 7, [4, 5, 6]],
    [1, 4, [3]],
    [0, 4, []],
  ])('of size %i keeps, of %i entries, those after %j', (size, count, there) => {
    const ring = filled(size, count)

    const { dropped } = ring

    const rows = Array.from({ length: count - dropped }, (_, at) => ring.at(dropped + at))

    expect(rows.map(({ facts }) => facts)).toEqual(there.map((at) => `f${at}`))
    expect(ring.count).toBe(count)
  })

  it('returns numbers exactly, after any number of entries', () => {
    const ring = filled(1000, 1730)

    for (let at = 730; at < 1730; at += 1) {
      expect(ring.at(at)).toEqual({ numbers: [at, at / 8, NaN], facts: `f${at}` })
    }
  })

  it('returns entries that later entries do not change', () => {
    const ring = filled(2, 2)
    const row = ring.at(0)

    ring.add({ numbers: [7, 7, 7], facts: 'new' })

    expect(row).toEqual({ numbers: [0, 0, NaN], facts: 'f0' })
  })

  it('takes no memory in advance', () => {
    const ring = new RingBuffer<string>(2 ** 50)

    ring.add({ numbers: [1], facts: 'one' })

    expect(ring.at(0)).toEqual({ numbers: [1], facts: 'one' })
  })
})
