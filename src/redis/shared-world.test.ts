import { expect, test } from 'vitest'
import type { CoreRequest } from '../http/message.ts'
import { keepBody } from './shared-world.ts'

function requestWith(bytes: Uint8Array, reads: number[]): CoreRequest {
  return {
    method: 'POST',
    base: 'http://localhost',
    serverPath: '',
    path: '/pets',
    query: '',
    header: (name) => (name === 'x-test' ? 'yes' : undefined),
    headers: () => ['X-Test', 'yes'],
    body: async (limit) => {
      reads.push(limit)
      return bytes
    },
  }
}

test('the body of a kept request is read once, however often it is asked for', async () => {
  const reads: number[] = []
  const request = keepBody(requestWith(new Uint8Array([1, 2, 3]), reads))

  const bodies = [await request.body(100), await request.body(100)]

  expect(bodies).toEqual([new Uint8Array([1, 2, 3]), new Uint8Array([1, 2, 3])])
  expect(reads).toEqual([100])
})

test('the body of a kept request is too long for a smaller limit', async () => {
  const request = keepBody(requestWith(new Uint8Array([1, 2, 3]), []))
  await request.body(100)

  expect(await request.body(2)).toBeUndefined()
})

test('a kept request has the method, the path and the headers, and saves nothing on its own', () => {
  const given = { ...requestWith(new Uint8Array(), []), saveChanges: async () => undefined }

  const request = keepBody(given)

  expect(request).toMatchObject({ method: 'POST', path: '/pets' })
  expect([request.header('x-test'), request.headers()]).toEqual(['yes', ['X-Test', 'yes']])
  expect(request).not.toHaveProperty('saveChanges')
})
