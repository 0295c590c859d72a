import { describe, expect, it } from 'vitest'
import { Problem } from '../http/problem.ts'
import type { Contract, Operation } from './contract.ts'
import { type Match, Router } from './router.ts'

function routerOf(...targets: readonly string[]): Router {
  return new Router(contractOf(targets))
}

function contractOf(targets: readonly string[]): Contract {
  const operations = targets.map((target): Operation => {
    const [method = '', path = ''] = target.split(' ')
    return { id: target, method, path, secured: true, parameters: [], responses: [] }
  })
  return { title: 'Any', version: '1', basePath: '', operations }
}

function found({ operation, pathParameters: path }: Match): readonly unknown[] {
  return [operation.path, path]
}

function problemOf(action: () => unknown): Problem {
  try {
    action()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('No problem')
}

describe('a path that ends with a slash', () => {
  const router = routerOf(
    'GET /apps/',
    'GET /apps/{app}/',
    'GET /apps/new',
    'GET /keys',
    'GET /keys/{key}',
  )

  it.each<[path: string, template: string, values: Record<string, string>]>([
    ['/apps/', '/apps/', {}],
    ['/apps', '/apps/', {}],
    ['/apps/7/', '/apps/{app}/', { app: '7' }],
    ['/apps/7', '/apps/{app}/', { app: '7' }],
    ['/apps/new', '/apps/new', {}],
    ['/keys/', '/keys', {}],
    ['/keys/7/', '/keys/{key}', { key: '7' }],
  ])('is found with and without it: %s', (path, template, values) => {
    expect(found(router.match('GET', path))).toEqual([template, values])
  })

  it('is no path of a document without one that names each property of its bodies', () => {
    const exact = new Router({
      ...contractOf(['GET /keys']),
      sandbox: { unknownProperties: 'drop' },
    })

    expect(problemOf(() => exact.match('GET', '/keys/')).status).toBe(404)
  })
})

describe('a path with characters that are encoded needlessly', () => {
  const targets = ['GET /users/@me', 'GET /users/{id}', 'GET /users/{id}/$links']
  const router = routerOf(...targets)

  it.each<[path: string, template: string, values: Record<string, string>]>([
    ['/users/%40me', '/users/@me', {}],
    ['/%75sers/@me/', '/users/@me', {}],
    ['/users/%41', '/users/{id}', { id: '%41' }],
    ['/users/a%2Cb/%24links', '/users/{id}/$links', { id: 'a%2Cb' }],
  ])('is found: %s', (path, template, values) => {
    expect(found(router.match('GET', path))).toEqual([template, values])
  })

  it('is another path where the document is exact', () => {
    const exact = new Router({ ...contractOf(targets), sandbox: { unknownProperties: 'drop' } })

    expect(found(exact.match('GET', '/users/%40me'))).toEqual(['/users/{id}', { id: '%40me' }])
  })
})

describe('a path', () => {
  const router = routerOf(
    'GET /{anything}',
    'GET /files/{name}',
    'GET /files/{name}.json',
    'GET /files/v{version}',
    'GET /files/latest',
    'GET /{kind}/{name}/parts',
    'GET /files/{name}/parts/{part}',
    'GET /map/{x},{y}',
    'GET /a.b+c/{id}',
    'GET /',
  )

  it.each<[path: string, template: string, values: Record<string, string>]>([
    ['/', '/', {}],
    ['/dogs', '/{anything}', { anything: 'dogs' }],
    ['/files', '/{anything}', { anything: 'files' }],
    ['/files/latest', '/files/latest', {}],
    ['/files/readme', '/files/{name}', { name: 'readme' }],
    ['/files/readme.json', '/files/{name}.json', { name: 'readme' }],
    ['/files/a.json.json', '/files/{name}.json', { name: 'a.json' }],
    ['/files/.json', '/files/{name}', { name: '.json' }],
    ['/files/v2', '/files/v{version}', { version: '2' }],
    ['/files/v', '/files/{name}', { name: 'v' }],
    ['/files/a/parts', '/{kind}/{name}/parts', { kind: 'files', name: 'a' }],
    ['/files/a/parts/7', '/files/{name}/parts/{part}', { name: 'a', part: '7' }],
    ['/map/3,-4', '/map/{x},{y}', { x: '3', y: '-4' }],
    ['/a.b+c/1', '/a.b+c/{id}', { id: '1' }],
    ['/files/a%2Fb', '/files/{name}', { name: 'a%2Fb' }],
    ['/files/%E2%82%AC%20x', '/files/{name}', { name: '%E2%82%AC%20x' }],
    ['/files/__proto__', '/files/{name}', { name: '__proto__' }],
  ])('%s matches %s, with its parameters still encoded', (path, template, values) => {
    expect(found(router.match('GET', path))).toEqual([template, values])
  })

  it.each([
    '',
    '/files/a//',
    '/files//parts',
    '/files/a/b',
    '/FILES/a/b',
    '/aXb+c/1',
    '//',
    '/map/3',
  ])('%j matches no path', (path) => {
    expect(problemOf(() => router.match('GET', path)).status).toBe(404)
  })

  it('matches the same template in any document order', () => {
    const targets = ['GET /a/{x}', 'GET /a/b', 'GET /{y}/b', 'GET /{y}/{x}', 'GET /a/{x}.txt']
    const paths = ['/a/b', '/a/c', '/a/c.txt', '/c/b', '/c/d']

    const orders = [targets, [...targets].reverse()].map((order) =>
      paths.map((path) => routerOf(...order).match('GET', path).operation.path),
    )

    expect(orders[0]).toEqual(['/a/b', '/a/{x}', '/a/{x}.txt', '/{y}/b', '/{y}/{x}'])
    expect(orders[1]).toEqual(orders[0])
  })

  it('exists for any method, with or without a trailing slash', () => {
    const paths = ['/', '/dogs', '/dogs/', '/files/a/parts/7', '/files//parts', '/a/b/c/d']

    expect(paths.map((path) => router.hasPath(path))).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ])
  })

  it('that does not exist gets a message with the operations', () => {
    const problem = problemOf(() => routerOf('GET /pets', 'POST /pets').match('GET', '/dogs'))

    expect(problem.message).toBe(
      'There is no operation at /dogs. The operations are: GET /pets, POST /pets.',
    )
  })

  it('of a document without operations gets a message that says so', () => {
    const problem = problemOf(() => routerOf().match('GET', '/dogs'))

    expect(problem.message).toBe('There is no operation at /dogs. The document has no operations.')
  })
})

it('the nearest operations of an unknown path are found by its segments, whatever the parameters are', () => {
  const rest = ['GET /a', 'GET /b', 'GET /c', 'GET /d', 'GET /rooms', 'POST /rooms']
  const router = routerOf(...rest, 'GET /rooms/{id}', 'GET /teachers/{id}/rooms/{room}')

  const messageAt = (path: string): string => problemOf(() => router.match('GET', path)).message

  expect(messageAt('/roms/3')).toContain('The nearest operations are: GET /rooms/{id}, ')
  expect(messageAt('/teacher/1/rooms/2')).toContain(
    'The nearest operations are: GET /teachers/{id}/rooms/{room}, ',
  )
})

describe('among 4,000 paths', () => {
  const targets = Array.from({ length: 2000 }, (_, index) => [
    `GET /resource${index}`,
    `GET /resource${index}/{id}`,
  ]).flat()

  it('the last one is found', () => {
    const router = routerOf(...targets)

    expect(found(router.match('GET', '/resource1999'))).toEqual(['/resource1999', {}])
    expect(found(router.match('GET', '/resource1999/7'))).toEqual([
      '/resource1999/{id}',
      { id: '7' },
    ])
  })

  it('the message about an unknown path lists the nearest five, and says what lists all', () => {
    const problem = problemOf(() => routerOf(...targets).match('GET', '/resourc1999'))

    expect(problem.message).toMatch(
      new RegExp(
        String.raw`^There is no operation at /resourc1999\. The nearest operations are: GET /resource1999(, GET /\S+){4}\. The command "pet-sandbox explain" lists all ${targets.length}\.$`,
      ),
    )
  })
})

describe('a method', () => {
  const router = routerOf('GET /pets', 'POST /pets', 'PUT /pets/{id}')

  it('HEAD matches the operation of GET', () => {
    expect(router.match('HEAD', '/pets').operation.method).toBe('GET')
  })

  it.each([
    ['DELETE', '/pets', 'GET, HEAD, POST, OPTIONS'],
    ['get', '/pets', 'GET, HEAD, POST, OPTIONS'],
    ['TRACE', '/pets', 'GET, HEAD, POST, OPTIONS'],
    ['HEAD', '/pets/1', 'PUT, OPTIONS'],
    ['constructor', '/pets/1', 'PUT, OPTIONS'],
  ])(
    '%s is not allowed on %s, and the answer lists the allowed methods',
    (method, path, allowed) => {
      const problem = problemOf(() => router.match(method, path))

      expect(problem).toMatchObject({
        status: 405,
        headers: { Allow: allowed },
        message: `${method} is not allowed on ${path}. Allowed methods: ${allowed}.`,
      })
      expect(router.allowedMethods(path)).toBe(allowed)
    },
  )
})
