import { expect, test } from 'vitest'
import { withItemsEnum } from './items-enum.ts'

const AB = ['a', 'b']
const ref = { $ref: '#/components/schemas/letter' }
const text = { type: 'string' }

test.each<[what: string, schema: object, expected: object]>([
  [
    'beside items',
    { type: 'array', items: text, enum: AB },
    { type: 'array', items: { ...text, enum: AB } },
  ],
  [
    'beside a reference',
    { type: 'array', items: ref, enum: AB },
    { type: 'array', items: { allOf: [ref, { enum: AB }] } },
  ],
  ['without items', { type: 'array', enum: AB }, { type: 'array', items: { enum: AB } }],
  [
    'of a list or null',
    { type: ['array', 'null'], enum: ['a', null] },
    { type: ['array', 'null'], items: { enum: ['a'] } },
  ],
  [
    'whose items have their own',
    { type: 'array', items: { enum: ['c'] }, enum: AB },
    { type: 'array', items: { enum: ['c'] } },
  ],
])('an enum %s counts for the items of a list', (_what, schema, expected) => {
  expect(withItemsEnum({ ...schema })).toEqual(expected)
})

test.each<[what: string, schema: object]>([
  ['of lists', { type: 'array', enum: [['a'], ['b']] }],
  ['of a type that is no list', { type: 'string', enum: AB }],
  ['of a list or a text', { type: ['array', 'string'], enum: AB }],
  ['without members', { type: 'array', enum: [] }],
  ['of null only', { type: 'array', enum: [null] }],
  ['without a type', { enum: AB }],
])('an enum %s stays', (_what, schema) => {
  const given = { ...schema }

  expect(withItemsEnum(given)).toBe(given)
})
