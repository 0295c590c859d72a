import { expect, test } from 'vitest'
import { objectOf, operationOn } from '../testing/operation-on.ts'
import { shownByCreation } from './created-examples.ts'

const SCHEMA = objectOf(['id', 'status', 'name'])
const NONE: ReadonlySet<string> = new Set()

function shownIn(examples: readonly object[], flags: Readonly<Record<string, boolean>> = {}) {
  const query = Object.fromEntries(
    Object.entries(flags).map(([name, usual]) => [name, { type: 'boolean', default: usual }]),
  )
  const creation = operationOn('POST /users', { sent: objectOf(['name']), query })
  const content = [
    {
      mediaType: 'application/json',
      schema: SCHEMA,
      examples: examples.map((value) => ({ value })),
    },
  ]
  return shownByCreation(
    { ...creation, responses: [{ status: 201, content }] },
    { shown: { place: '/user', schema: SCHEMA }, sent: undefined, names: NONE },
  )
}

const STAGED = { user: { status: 'STAGED' } }
const ACTIVE = { user: { status: 'ACTIVE' } }

test('the value that most examples of a creation show counts', () => {
  expect(shownIn([ACTIVE, STAGED, STAGED])('status')).toBe('STAGED')
  expect(shownIn([ACTIVE, STAGED])('status')).toBe('ACTIVE')
  expect(shownIn([STAGED])('name')).toBeUndefined()
  expect(shownIn([])('status')).toBeUndefined()
})

test('a state counts to which a flag of the query leads by default', () => {
  expect(shownIn([STAGED, STAGED, ACTIVE], { activate: true })('status')).toBe('ACTIVE')
  expect(shownIn([STAGED, STAGED, ACTIVE], { activate: false })('status')).toBe('STAGED')
})
