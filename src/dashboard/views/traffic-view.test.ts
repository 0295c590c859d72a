import { expect, test } from 'vitest'
import { firstRead } from './traffic-view.tsx'

test('the first request reads a collection that needs no parent, else what needs no id, else anything', () => {
  const post = { method: 'POST', path: '/a' }
  const read = { method: 'GET', path: '/a/{id}' }
  const below = { method: 'GET', path: '/a/{id}/b' }
  const status = { method: 'GET', path: '/status' }
  const list = { method: 'GET', path: '/a' }

  expect(firstRead([post, read, below, status, list])).toBe(list)
  expect(firstRead([post, read, below, status])).toBe(status)
  expect(firstRead([post, read, below])).toBe(read)
  expect(firstRead([post])).toBeUndefined()
})
