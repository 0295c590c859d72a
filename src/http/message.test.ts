import { describe, expect, it } from 'vitest'
import { type CoreRequest, json, pathBelow, withKeptBody } from './message.ts'

describe('a path', () => {
  it.each<[basePath: string, path: string, below: string | undefined]>([
    ['/v1', '/v1', ''],
    ['/v1', '/v1/', '/'],
    ['/v1', '/v1/pets', '/pets'],
    ['/v1', '/v1//pets', '//pets'],
    ['/v1', '/v10/pets', undefined],
    ['/v1', '/v2/pets', undefined],
    ['/v1', '//v1/pets', undefined],
    ['/v1', '/V1/pets', undefined],
    ['/v1', '/', undefined],
    ['/v1', '', undefined],
    ['', '/pets', '/pets'],
    ['', '', ''],
    ['/a/b', '/a/b/c', '/c'],
    ['/a/b', '/a', undefined],
  ])('below %j of %j is %j', (basePath, path, below) => {
    expect(pathBelow(basePath, path)).toBe(below)
  })
})

describe('a JSON reply', () => {
  it('has its type, and what headers it is given', () => {
    expect(json(201, { a: 1 }, { Location: '/a' })).toEqual({
      status: 201,
      headers: { 'Content-Type': 'application/json', Location: '/a' },
      body: '{"a":1}',
    })
  })

  it('without a value has no body and no type', () => {
    expect(json(204, undefined)).toEqual({ status: 204, headers: {}, body: '' })
  })

  it.each([100, 103, 204, 205, 304])('with status %i has no body and no type', (status) => {
    expect(json(status, { a: 1 }, { Location: '/a' })).toEqual({
      status,
      headers: { Location: '/a' },
      body: '',
    })
  })
})

describe('a kept body', () => {
  const requestWith = (bytes: Uint8Array, reads: number[]): CoreRequest => ({
    method: 'POST',
    base: 'http://localhost',
    path: '/pets',
    query: '',
    header: () => undefined,
    headers: () => [],
    body: async (limit) => {
      reads.push(limit)
      return bytes.length > limit ? undefined : bytes
    },
  })

  it('is read once from its transport, with the largest limit', async () => {
    const reads: number[] = []
    const request = withKeptBody(requestWith(new Uint8Array([1, 2, 3]), reads), 100)

    const bodies = [await request.body(2), await request.body(3), await request.body(100)]

    expect(bodies).toEqual([undefined, new Uint8Array([1, 2, 3]), new Uint8Array([1, 2, 3])])
    expect(reads).toEqual([100])
  })
})
