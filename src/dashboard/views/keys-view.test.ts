import { expect, test } from 'vitest'
import { countdown } from './keys-view.tsx'

test.each([
  [-5000, '0 s'],
  [0, '0 s'],
  [1, '1 s'],
  [59_000, '59 s'],
  [60_000, '1 min 00 s'],
  [305_000, '5 min 05 s'],
  [3_600_000, '1 h 00 min'],
  [86_399_000, '23 h 59 min'],
  [90_000_000, '1 d 1 h'],
])('a countdown of %i ms is %j', (length, text) => {
  expect(countdown(1000 + length, 1000)).toBe(text)
})
