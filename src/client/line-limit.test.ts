import { expect, test } from 'vitest'
import { createLineLimit } from './line-limit.ts'

/** Whether the text passes a limit of three lines per event. */
function passes(...pieces: readonly string[]): boolean {
  const limit = createLineLimit(3)
  try {
    for (const piece of pieces) limit(piece)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

test.each(['\n', '\r', '\r\n'])(
  'the lines of an event that end with %j count until a blank line',
  (end) => {
    const three = `a${end}b${end}c${end}`

    expect(passes(three)).toBe(true)
    expect(passes(`${three}d`)).toBe(true)
    expect(passes(`${three}d${end}`)).toBe(false)
    expect(passes(`${three}${end}${three}${end}`)).toBe(true)
    expect(passes(...`${three}d${end}`)).toBe(false)
    expect(passes(...`${three}${end}${three}`)).toBe(true)
  },
)
