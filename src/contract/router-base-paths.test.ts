import { describe, expect, it } from 'vitest'
import { Problem } from '../http/problem.ts'
import type { Contract, Operation } from './contract.ts'
import { Router } from './router.ts'

function operation(target: string, basePaths?: readonly string[]): Operation {
  const [method = '', path = ''] = target.split(' ')
  const own = basePaths && { basePaths }
  return { id: target, method, path, secured: true, parameters: [], responses: [], ...own }
}

function routerOf(basePaths: readonly string[], ...operations: readonly Operation[]): Router {
  const [basePath = ''] = basePaths
  const contract: Contract = { title: 'Any', version: '1', basePath, basePaths, operations }
  return new Router(contract)
}

/** The base path and the operation of a request; `undefined` outside the API. */
function found(router: Router, pathname: string, method = 'GET'): string | undefined {
  const location = router.locate(pathname)
  if (!location) return undefined
  try {
    const { operation } = router.match(method, location.path, location)
    return `${location.basePath} ${operation.id}`
  } catch (error) {
    if (error instanceof Problem) return `${location.basePath} ${error.status}`
    throw error
  }
}

describe('the base path of a request', () => {
  const router = routerOf(
    ['/v1', '', '/v1/eu', '/v2'],
    operation('GET /pets'),
    operation('GET /eu/dogs'),
    operation('GET /pets/{id}'),
    operation('GET /'),
  )

  it.each([
    ['/v1/pets', '/v1 GET /pets'],
    ['/v2/pets/7', '/v2 GET /pets/{id}'],
    ['/pets', ' GET /pets'],
    ['/v1/eu/pets', '/v1/eu GET /pets'],
    ['/v1/eu/', '/v1/eu GET /'],
    ['/v1/eu/dogs', '/v1 GET /eu/dogs'],
    ['/eu/dogs', ' GET /eu/dogs'],
    ['/v1/eu/cats', '/v1/eu 404'],
    ['/v1x/pets', ' 404'],
    ['', ' 404'],
  ])('of %j gives %j', (pathname, expected) => {
    expect(found(router, pathname)).toBe(expected)
  })

  it('is the only one, when there is only one', () => {
    const single = routerOf(['/v1'], operation('GET /pets'))

    expect(['/v1', '/v1/pets', '/pets', '/v1x'].map((path) => found(single, path))).toEqual([
      '/v1 404',
      '/v1 GET /pets',
      undefined,
      undefined,
    ])
  })

  it('of a copied contract is that of the copy', () => {
    const contract: Contract = {
      title: 'Any',
      version: '1',
      basePath: '/v1',
      basePaths: ['/v1', '/v2'],
      operations: [operation('GET /pets')],
    }

    expect(found(new Router({ ...contract, basePath: '/api' }), '/api/pets')).toBe('/api GET /pets')
    expect(found(new Router({ ...contract, basePath: '/api' }), '/v1/pets')).toBeUndefined()
  })
})

describe('an operation with servers of its own', () => {
  const router = routerOf(
    ['/v1', '/v2'],
    operation('GET /files/{id}'),
    operation('GET /files/latest', ['/content']),
    operation('POST /files/{name}', ['/upload', '']),
  )

  it.each([
    ['/content/files/latest', '/content GET /files/latest'],
    ['/v1/files/latest', '/v1 GET /files/{id}'],
    ['/v2/files/7', '/v2 GET /files/{id}'],
    ['/content/files/7', '/content 404'],
    ['/files/7', ' 405'],
  ])('is found only below these: %s', (pathname, expected) => {
    expect(found(router, pathname)).toBe(expected)
  })

  it('has a method of its own there', () => {
    expect(found(router, '/upload/files/7', 'POST')).toBe('/upload POST /files/{name}')
    expect(found(router, '/v1/files/7', 'POST')).toBe('/v1 405')
    expect(router.allowedMethods('/files/7', { serverPath: '/upload' })).toBe('POST, OPTIONS')
  })

  it('is found anywhere, when the base path of the request is not known', () => {
    expect(router.match('GET', '/files/latest').operation.id).toBe('GET /files/latest')
  })

  it('is named in the message about its path below another base path', () => {
    const one = routerOf(['/v1'], operation('GET /pets'), operation('GET /files', ['/content']))

    expect(() => one.match('GET', '/files', { serverPath: '/v1' })).toThrow(
      expect.objectContaining({
        message:
          'There is no operation at /files. It is at /content/files. The operations are: GET /pets.',
      }),
    )
  })
})
