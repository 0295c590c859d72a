import { expect, test } from 'vitest'
import { fileName } from './page.ts'

test.each([
  [['snapshot', 'default'], 'snapshot-default.json'],
  [['snapshot', '../a b?'], 'snapshot-..-a-b-.json'],
  [['x'.repeat(100)], `${'x'.repeat(60)}.json`],
])('a file of %j is called %s', (parts, name) => {
  expect(fileName(parts, 'json')).toBe(name)
})
