import { describe, expect, it } from 'vitest'
import { UsageError } from '../validation/usage-error.ts'
import { milliseconds } from './duration.ts'

describe('a duration', () => {
  it.each<[duration: number | string, length: number]>([
    [0, 0],
    [1500, 1500],
    [-60_000, -60_000],
    [1.6, 2],
    ['250', 250],
    ['500ms', 500],
    ['61s', 61_000],
    ['1.5s', 1500],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['1h30m', 5_400_000],
    ['1m500ms', 60_500],
    [' 61s ', 61_000],
    ['PT61S', 61_000],
    ['PT1.5S', 1500],
    ['PT5M', 300_000],
    ['PT1.5H', 5_400_000],
    ['PT1,5S', 1500],
    ['-PT0.5M', -30_000],
    ['P1,5D', 129_600_000],
    ['P0.5W', 302_400_000],
    ['P1DT2H3.25M', 93_795_000],
    ['PT2H', 7_200_000],
    ['P1D', 86_400_000],
    ['P1DT2H3M4S', 93_784_000],
    ['0s', 0],
  ])('%j is %i milliseconds', (duration, length) => {
    expect(milliseconds(duration)).toBe(length)
  })

  it.each<[duration: number | string]>([
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [''],
    ['soon'],
    ['5'.repeat(400)],
    ['5x'],
    ['5 s'],
    ['--5s'],
    ['1h 30m'],
    ['s'],
    ['.5s'],
    ['5S'],
    ['1e3'],
    ['P'],
    ['PT'],
    ['P1DT'],
    ['P1.5DT2H'],
    ['PT1.5H30M'],
    ['PT1.H'],
    ['PT.5H'],
    ['PT1,5.5S'],
    ['1,5s'],
    ['PT5'],
    ['T5S'],
    ['pt5s'],
  ])('%j is none', (duration) => {
    expect(() => milliseconds(duration)).toThrow(UsageError)
    expect(() => milliseconds(duration)).toThrow(
      `Cannot read the duration "${duration}": it is not a duration.`,
    )
  })

  it.each(['P1M', 'P1Y', '-P1Y2M', 'P1Y2M3DT4H', 'P0.5Y'])(
    '%s is none, for years and months have no fixed length',
    (duration) => {
      expect(() => milliseconds(duration)).toThrow(
        `Cannot read the duration "${duration}": years and months have no fixed length. Write 61s,`,
      )
    },
  )
})
