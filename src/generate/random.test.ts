import { describe, expect, it } from 'vitest'
import { Random } from './random.ts'

function numbersFrom(random: Random, count: number): number[] {
  return Array.from({ length: count }, () => random.next())
}

describe('random numbers', () => {
  it.each([
    [1, [0.6270739405881613, 0.002735721180215478, 0.5274470399599522]],
    [0, [0.26642920868471265, 0.0003297457005828619, 0.2232720274478197]],
    [-7, [0.43306733411736786, 0.32539576734416187, 0.5442695003002882]],
    [2 ** 32 + 5, [0.6897749109193683, 0.7727432732935995, 0.21976301027461886]],
  ])('of seed %i are the same on every machine', (seed, numbers) => {
    expect(numbersFrom(new Random(seed), 3)).toEqual(numbers)
  })

  it('are from 0 to 1, and evenly distributed', () => {
    const numbers = numbersFrom(new Random(1), 10_000)

    const counts = Array(10).fill(0)
    for (const number of numbers) counts[Math.floor(number * 10)] += 1
    expect(Math.min(...counts)).toBeGreaterThan(900)
    expect(counts.reduce((sum, count) => sum + count)).toBe(10_000)
  })

  it('continue from the state of another instance', () => {
    const first = new Random(1)
    numbersFrom(first, 5)

    const second = new Random(first.state)
    const numbers = numbersFrom(second, 3)

    expect(numbersFrom(first, 3)).toEqual(numbers)
  })

  it('have a state of 32 bits, whatever the seed', () => {
    const random = new Random(2 ** 40 + 3)

    const states = Array.from({ length: 1000 }, () => {
      random.next()
      return random.state
    })

    expect(states.filter((state) => state !== (state | 0))).toEqual([])
  })
})
