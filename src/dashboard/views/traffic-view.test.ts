import { expect, test } from 'vitest'
import { firstRead } from './traffic-view.tsx'

test('the first request lists what needs no parent, else any list, else it reads anything', () => {
  const post = { method: 'POST', behaviour: 'create', path: '/a' }
  const read = { method: 'GET', behaviour: 'read', path: '/a/{id}' }
  const below = { method: 'GET', behaviour: 'list', path: '/a/{id}/b' }
  const list = { method: 'GET', behaviour: 'list', path: '/a' }

  expect(firstRead([post, read, below, list])).toBe(list)
  expect(firstRead([post, read, below])).toBe(below)
  expect(firstRead([post, read])).toBe(read)
  expect(firstRead([post])).toBeUndefined()
})
