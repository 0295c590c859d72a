import { describe, expect, it } from 'vitest'
import { operation } from '../testing/routed-sandbox.ts'
import { allBasePaths, readBasePath, withBasePath } from './base-paths.ts'
import type { Contract } from './contract.ts'

const CONTRACT: Contract = {
  title: 'Any',
  version: '1',
  basePath: '/v1',
  basePaths: ['/v1', '/v2'],
  operations: [operation('GET /a'), operation('GET /b', ['/content'])],
}

describe('a contract with another base path', () => {
  it('has no other base paths', () => {
    const moved = withBasePath(CONTRACT, '/api')

    expect(allBasePaths(moved)).toEqual(['/api'])
    expect(moved.operations.map(({ basePaths }) => basePaths)).toEqual([undefined, undefined])
    expect(moved.operations[0]).toBe(CONTRACT.operations[0])
  })

  it('does not compute what its operations compute lazily', () => {
    let computed = 0
    const lazy = {
      ...operation('GET /c', ['/content']),
      get parameters(): [] {
        computed += 1
        return []
      },
    }

    const [moved] = withBasePath({ ...CONTRACT, operations: [lazy] }, '/api').operations

    expect(computed).toBe(0)
    expect(moved?.parameters).toEqual([])
    expect(computed).toBe(1)
  })
})

describe('the base paths', () => {
  it('are the main one when there are no others', () => {
    expect(allBasePaths({ ...CONTRACT, basePaths: [] })).toEqual(['/v1'])
  })

  it('of a copy with another main base path are only that one', () => {
    expect(allBasePaths({ ...CONTRACT, basePath: '/copy' })).toEqual(['/copy'])
  })
})

describe('the option basePath', () => {
  it.each(['v1', '//v1', '/a b', '/v1?x', '/v1#x', 7, null])('must be a path, not %j', (given) => {
    expect(() => readBasePath(given)).toThrow(
      /^Cannot use the option basePath: the value must be a path \(got .*\)\. Write it as \/v1, or \/ for the root\.$/,
    )
  })

  it.each([
    ['/', ''],
    ['', ''],
    ['/api/v1//', '/api/v1'],
    ['/a/../b', '/b'],
    ['/é', '/%C3%A9'],
  ])('%j is the base path %j', (given, expected) => {
    expect(readBasePath(given)).toBe(expected)
  })
})
