import { describe, expect, test } from 'vitest'
import { type Comparison, matcherOf } from './selection.ts'

const PET = {
  name: 'Rex',
  price: 12.5,
  amount: '20.00',
  born: '2026-03-04',
  added_at: '2026-03-04T10:00:00Z',
  seen: 1_772_618_400,
  tags: ['big', 'brown'],
  labels: [{ name: 'new' }, { name: 'old' }],
  owner: { id: 7 },
  chip: null,
}

/** Whether the record is selected. */
function isSelected(place: string, is: Comparison, ...wanted: unknown[]): boolean {
  const places = [place.split('.')]
  return matcherOf({ tests: [{ places, is, wanted }] }).matches(PET)
}

describe('a record is selected when a value', () => {
  test.each<[string, Comparison, unknown]>([
    ['name', 'equal', 'Rex'],
    ['owner.id', 'equal', '7'],
    ['labels.name', 'equal', 'old'],
    ['tags', 'equal', 'big'],
    // A reference may be an id where others are objects with one.
    ['tags.id', 'equal', 'big'],
    ['name', 'not', 'Emma'],
    ['unknown', 'not', 'x'],
    ['price', 'after', 12],
    ['price', 'from', '12.5'],
    ['amount', 'before', 100],
    ['price', 'to', 12.5],
    ['added_at', 'after', '2026-03-04'],
    ['added_at', 'to', '2026-03-04'],
    ['added_at', 'before', '2026-03-04T12:30:00+01:30'],
    ['seen', 'from', '2026-03-04T10:00:00Z'],
    ['added_at', 'from', 1_772_618_400],
    ['born', 'from', '2026-03-04'],
    ['name', 'contains', 'EX'],
    ['labels.name', 'starts', 'N'],
    ['name', 'ends', 'x'],
    ['added_at', 'on', '2026-03-04'],
    ['added_at', 'on', '2026-03-04T11:00:00+01:00'],
    ['born', 'on', '2026-03-04'],
    ['born', 'on', '2026-03-04T10:00:00Z'],
    ['owner', 'exists', true],
    ['chip', 'exists', false],
    ['unknown', 'exists', false],
  ])('%s is %s %j', (place, is, wanted) => {
    expect(isSelected(place, is, wanted)).toBe(true)
  })

  test.each<[string, Comparison, unknown]>([
    ['name', 'equal', 'rex'],
    ['labels', 'equal', 'new'],
    ['tags', 'not', 'big'],
    ['price', 'after', 12.5],
    ['chip', 'before', 1],
    ['chip', 'contains', 'null'],
    ['unknown', 'from', 0],
    ['added_at', 'before', '2026-03-04'],
    ['added_at', 'after', 'never'],
    ['added_at', 'on', '2026-03-05'],
    ['added_at', 'on', '2026-03-04T10:00:01Z'],
    ['chip', 'on', '2026-03-04'],
    ['tags', 'exists', false],
    ['chip', 'exists', true],
  ])('and not when %s is not %s %j', (place, is, wanted) => {
    expect(isSelected(place, is, wanted)).toBe(false)
  })
})

test('one of several values in one of several places is enough', () => {
  const test = { places: [['name'], ['owner', 'id']], is: 'equal', wanted: ['x', 7] } as const

  expect(matcherOf({ tests: [test] }).matches(PET)).toBe(true)
})

test('the conditions and all tests must hold', () => {
  const test = { places: [['price']], is: 'from', wanted: [1] } as const
  const other = { ...test, is: 'before' } as const

  expect(matcherOf({ where: { name: 'Rex' }, tests: [test] }).matches(PET)).toBe(true)
  expect(matcherOf({ where: { name: 'Emma' }, tests: [test] }).matches(PET)).toBe(false)
  expect(matcherOf({ tests: [test, other] }).matches(PET)).toBe(false)
})
