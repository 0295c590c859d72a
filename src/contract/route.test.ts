import { describe, expect, it } from 'vitest'
import { parsePathKey } from '../document/operations.ts'
import type { Contract, Operation } from './contract.ts'
import { type MatchDetails, Router } from './router.ts'

function routerOf(...targets: readonly string[]): Router {
  const operations = targets.map((target): Operation => {
    const [, method = '', path = ''] = /^(\S+) (.*)$/.exec(target) ?? []
    const { template, conditions } = parsePathKey(path)
    const own = { id: target, method, path: template, conditions }
    return { ...own, secured: true, parameters: [], responses: [] }
  })
  const contract: Contract = { title: 'Any', version: '1', basePath: '', operations }
  return new Router(contract)
}

function found(router: Router, request: string, details?: MatchDetails): readonly unknown[] {
  const [method = '', target = ''] = request.split(' ')
  const [path = '', query = ''] = target.split('?')
  const match = router.match(method, path, { query, ...details })
  return [match.operation.id, match.pathParameters]
}

describe('operations with the same method and names of parameters that allow other values', () => {
  const router = routerOf('GET /a/{x}', 'GET /a/{w}')
  const [numbers, texts] = ['x', 'w'].map((name) => {
    const validate = Object.assign((value: unknown) => name === 'w' || typeof value === 'number', {
      errors: null,
    })
    const parameter = { name, in: 'path' as const, required: true, schema: {}, validate }
    return {
      id: name,
      method: 'GET',
      path: `/a/{${name}}`,
      secured: true,
      responses: [],
      parameters: [parameter],
    }
  })

  it('are found by the values that a path has', () => {
    const operations = [numbers, texts].flatMap((one) => one ?? [])
    const typed = new Router({ title: 'Any', version: '1', basePath: '', operations })

    expect(found(typed, 'GET /a/7')).toEqual(['x', { x: '7' }])
    expect(found(typed, 'GET /a/seven')).toEqual(['w', { w: 'seven' }])
    expect(found(router, 'GET /a/seven')).toEqual(['GET /a/{x}', { x: 'seven' }])
  })
})

describe('paths that differ only in the names of parameters', () => {
  const router = routerOf('GET /a/{x}', 'PUT /a/{y}', 'DELETE /a/{z}', 'GET /a/{w}')

  it('are one route, and each operation has its own names', () => {
    expect(found(router, 'GET /a/7')).toEqual(['GET /a/{x}', { x: '7' }])
    expect(found(router, 'HEAD /a/7')).toEqual(['GET /a/{x}', { x: '7' }])
    expect(found(router, 'PUT /a/7')).toEqual(['PUT /a/{y}', { y: '7' }])
    expect(found(router, 'DELETE /a/7')).toEqual(['DELETE /a/{z}', { z: '7' }])
  })

  it('have one list of allowed methods', () => {
    expect(router.allowedMethods('/a/7')).toBe('GET, HEAD, PUT, DELETE, OPTIONS')
    expect(() => router.match('PATCH', '/a/7')).toThrow(expect.objectContaining({ status: 405 }))
  })

  it('are one route with literal text, however that is encoded', () => {
    const literal = routerOf('GET /a b', 'PUT /a%20b')

    expect(literal.allowedMethods('/a%20b')).toBe('GET, HEAD, PUT, OPTIONS')
  })
})

describe('documented methods', () => {
  const router = routerOf(
    'GET /a',
    'HEAD /a',
    'OPTIONS /a',
    'TRACE /a',
    'QUERY /a',
    'copy /a',
    'GET /b',
  )

  it.each(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY', 'copy'])(
    '%s has its operation',
    (method) => {
      expect(found(router, `${method} /a`)).toEqual([`${method} /a`, {}])
      expect(router.isDocumented(method, '/a')).toBe(true)
    },
  )

  it('are each allowed once', () => {
    expect(router.allowedMethods('/a')).toBe('GET, HEAD, OPTIONS, TRACE, QUERY, copy')
  })

  it('do not include the implicit HEAD and OPTIONS', () => {
    expect(router.isDocumented('HEAD', '/b')).toBe(false)
    expect(router.isDocumented('OPTIONS', '/b')).toBe(false)
  })
})

describe('a path key with a query or a fragment', () => {
  it('matches the path', () => {
    const router = routerOf('GET /x?action=a', 'POST /#Target=B', 'GET /books{?page,size}')

    expect(found(router, 'GET /x')).toEqual(['GET /x?action=a', {}])
    expect(found(router, 'GET /x?action=other')).toEqual(['GET /x?action=a', {}])
    expect(found(router, 'POST /')).toEqual(['POST /#Target=B', {}])
    expect(found(router, 'GET /books?page=2')).toEqual(['GET /books{?page,size}', {}])
  })

  it('is chosen by the query parameters of the request', () => {
    const router = routerOf(
      'GET /x?action=a',
      'GET /x',
      'GET /x?action=b',
      'GET /x?action=b&full=1',
      'GET /x?acl',
    )

    expect(
      ['', '?action=a', '?action=b', '?full=1&action=b', '?action=c', '?acl', '?acl=1'].map(
        (query) => found(router, `GET /x${query}`)[0],
      ),
    ).toEqual([
      'GET /x',
      'GET /x?action=a',
      'GET /x?action=b',
      'GET /x?action=b&full=1',
      'GET /x',
      'GET /x?acl',
      'GET /x?acl',
    ])
  })

  it('with a fragment is chosen by a header or a query parameter', () => {
    const router = routerOf('POST /#X-Target=A', 'POST /#X-Target=B', 'POST /#odd name=C')
    const header = (name: string): string | undefined => (name === 'x-target' ? 'B' : undefined)

    expect(found(router, 'POST /')[0]).toBe('POST /#X-Target=A')
    expect(found(router, 'POST /', { header })[0]).toBe('POST /#X-Target=B')
    expect(found(router, 'POST /?X-Target=B')[0]).toBe('POST /#X-Target=B')
  })
})

describe('50,000 paths', () => {
  const targets = Array.from({ length: 50_000 }, (_, index) => `GET /a${index % 7}/b${index}/{id}`)

  it('are found, and the message about another path has five of them', () => {
    const router = routerOf(...targets)

    expect(found(router, 'GET /a6/b49993/7')).toEqual([targets[49_993] ?? '', { id: '7' }])
    expect(() => router.match('GET', '/none')).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/are: GET [^,]+(, GET [^,]+){4}\. .+ lists all 50000\.$/),
      }),
    )
  })

  it('may be one path with 50,000 operations', () => {
    const router = routerOf(...targets.map((_, index) => `POST /#Target=${index}`))

    expect(found(router, 'POST /?Target=49999')[0]).toBe('POST /#Target=49999')
  })
})
