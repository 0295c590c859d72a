import { expect, it } from 'vitest'
import { findInexactNumber, InexactNumber } from './json.ts'

const big = new InexactNumber('9007199254740993')

it.each<[value: unknown, location: string]>([
  [big, ''],
  [{ a: 1, b: big }, '.b'],
  [[0, [1, big]], '[1][1]'],
  [{ a: [{ b: big }, new InexactNumber('1e999')] }, '.a[0].b'],
])('an inexact number is found with its location, %#', (value, location) => {
  expect(findInexactNumber(value)).toEqual({ location, text: big.text })
})

it.each([undefined, null, 1, 'text', [], {}, { a: [1, { b: null }] }])(
  'no inexact number is found in %j',
  (value) => {
    expect(findInexactNumber(value)).toBeUndefined()
  },
)
