import { expect, test } from 'vitest'
import { preferredExample } from '../../../responses/preferred-example.ts'
import { preferChoices } from './prefer-choices.ts'

test('a request can prefer each documented status, and each example of it by its name', () => {
  const responses = [
    { status: 200, examples: ['cat', 'a "dog"', 'Käfer'] },
    { status: 404, examples: [] },
  ]

  const values = preferChoices({ responses }).map(({ value }) => value)

  expect(values.slice(0, 5)).toEqual([
    '',
    'code=200',
    'code=200, example="cat"',
    'code=200, example="a \\"dog\\""',
    'code=404',
  ])
  expect(values.slice(2, 4).map(preferredExample)).toEqual(['cat', 'a "dog"'])
})
