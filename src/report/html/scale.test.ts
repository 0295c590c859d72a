import { describe, expect, it } from 'vitest'
import { createScale } from './scale.ts'

const NOON = Date.parse('2027-03-01T12:00:00Z')

describe('an axis', () => {
  it.each([
    ['a moment', [0]],
    ['a second', [0, 1000]],
    ['a minute', [0, 60_000]],
    ['an hour', [0, 3_600_000]],
    ['two days', [0, 60_000, 120_000, 172_800_000]],
    ['years', [0, 1000, 2000, 126_230_400_000]],
  ])('of %s has a few labels, in order and within its width', (_name, moments) => {
    const { ticks, at, width } = createScale(
      moments.map((time) => NOON + time),
      900,
    )

    const places = ticks.map(({ x }) => x)
    expect(places.length).toBeGreaterThan(0)
    expect(places.length).toBeLessThan(12)
    expect(places).toEqual(places.toSorted((one, other) => one - other))
    expect(Math.max(...places)).toBeLessThanOrEqual(width)
    expect(moments.map((time) => at(NOON + time)).every((x) => x >= 0 && x <= width)).toBe(true)
  })

  it('shows a wait of a minute', () => {
    const { breaks } = createScale([NOON, NOON + 1000, NOON + 61_000], 900)

    expect(breaks).toEqual([])
  })

  it('leaves out a long period without requests', () => {
    const { breaks, at } = createScale([NOON, NOON + 60_000, NOON + 7_200_000], 900)

    expect(breaks).toMatchObject([{ label: '119 min' }])
    expect(at(NOON + 3_600_000)).toBeLessThan(at(NOON + 7_200_000))
  })

  it('maps times outside of it to its ends', () => {
    const { at, width } = createScale([NOON, NOON + 1000], 900)

    expect(at(0)).toBe(0)
    expect(at(NOON + 1e9)).toBeCloseTo(width)
  })
})
