import { expect, test } from 'vitest'
import { table } from './terminal.ts'

test('a table has columns as wide as their widest cell, and no spaces at the end of a line', () => {
  const lines = table([
    ['A', 'B', 'C'],
    ['long', '', 'x'],
    ['b', 'wide cell'],
  ])

  expect(lines).toEqual(['A     B          C', 'long             x', 'b     wide cell'])
})

test('a table without rows has no lines', () => {
  expect(table([])).toEqual([])
})
