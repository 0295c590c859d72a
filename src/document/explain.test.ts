import { expect, test } from 'vitest'
import { explain } from './explain.ts'

test('a value that is refused and not there is told as missing', () => {
  const document = { root: {}, sources: [] }
  const error = {
    keyword: 'enum',
    instancePath: '/a',
    schemaPath: '#/properties/a/enum',
    params: { allowedValues: [1] },
  }

  expect(explain([error], document)).toEqual([
    { why: '"a" is missing', place: '', advice: 'Add "a".' },
  ])
})
