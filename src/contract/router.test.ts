import { describe, expect, it } from 'vitest'
import { Problem } from '../http/problem.ts'
import type { Contract, Operation } from './contract.ts'
import { type Match, Router } from './router.ts'

function routesOf(...targets: readonly string[]): Router {
  const operations = targets.map((target): Operation => {
    const [method = '', path = ''] = target.split(' ')
    return { id: target, method, path, secured: true, parameters: [], responses: [] }
  })
  const contract: Contract = { title: 'Any', version: '1', basePath: '', operations }
  return new Router(contract)
}

function found({ operation, pathParameters: path }: Match): readonly unknown[] {
  return [operation.path, path]
}

function problemOf(deed: () => unknown): Problem {
  try {
    deed()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('No problem')
}

describe('a path', () => {
  const routes = routesOf(
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
  ])('%s is found at %s, its parameters as they were sent', (path, template, values) => {
    expect(found(routes.match('GET', path))).toEqual([template, values])
  })

  it.each([
    '',
    '/files/a/',
    '/files//parts',
    '/files/a/b',
    '/FILES/a/b',
    '/aXb+c/1',
    '//',
    '/map/3',
  ])('%j is no path of these', (path) => {
    expect(problemOf(() => routes.match('GET', path)).status).toBe(404)
  })

  it('is found the same way in whatever order the document lists it', () => {
    const targets = ['GET /a/{x}', 'GET /a/b', 'GET /{y}/b', 'GET /{y}/{x}', 'GET /a/{x}.txt']
    const paths = ['/a/b', '/a/c', '/a/c.txt', '/c/b', '/c/d']

    const orders = [targets, [...targets].reverse()].map((order) =>
      paths.map((path) => routesOf(...order).match('GET', path).operation.path),
    )

    expect(orders[0]).toEqual(['/a/b', '/a/{x}', '/a/{x}.txt', '/{y}/b', '/{y}/{x}'])
    expect(orders[1]).toEqual(orders[0])
  })

  it('is known whatever its methods, also with a slash at its end', () => {
    const paths = ['/', '/dogs', '/dogs/', '/files/a/parts/7', '/files//parts', '/a/b/c/d']

    expect(paths.map((path) => routes.hasPath(path))).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ])
  })

  it('that there is not is told with those that there are', () => {
    const problem = problemOf(() => routesOf('GET /pets', 'POST /pets').match('GET', '/dogs'))

    expect(problem.message).toBe('There is no /dogs here. There are: GET /pets, POST /pets.')
  })
})

describe('among 4,000 paths', () => {
  const targets = Array.from({ length: 2000 }, (_, at) => [
    `GET /resource${at}`,
    `GET /resource${at}/{id}`,
  ]).flat()

  it('the last one is found', () => {
    const routes = routesOf(...targets)

    expect(found(routes.match('GET', '/resource1999'))).toEqual(['/resource1999', {}])
    expect(found(routes.match('GET', '/resource1999/7'))).toEqual([
      '/resource1999/{id}',
      { id: '7' },
    ])
  })

  it('the message of an unknown one shows the first and the last', () => {
    const problem = problemOf(() => routesOf(...targets).match('GET', '/x'))

    const message = `There is no /x here. There are: ${targets.join(', ')}.`
    expect(problem.message).toBe(`${message.slice(0, 400)} … ${message.slice(-150)}`)
  })
})

describe('a method', () => {
  const routes = routesOf('GET /pets', 'POST /pets', 'PUT /pets/{id}')

  it('HEAD is answered as GET', () => {
    expect(routes.match('HEAD', '/pets').operation.method).toBe('GET')
  })

  it.each([
    ['DELETE', '/pets', 'GET, HEAD, POST, OPTIONS'],
    ['get', '/pets', 'GET, HEAD, POST, OPTIONS'],
    ['TRACE', '/pets', 'GET, HEAD, POST, OPTIONS'],
    ['HEAD', '/pets/1', 'PUT, OPTIONS'],
    ['constructor', '/pets/1', 'PUT, OPTIONS'],
  ])('%s is not available on %s, which tells what is', (method, path, allowed) => {
    const problem = problemOf(() => routes.match(method, path))

    expect(problem).toMatchObject({
      status: 405,
      headers: { Allow: allowed },
      message: `${method} is not available on ${path}. It has ${allowed}.`,
    })
    expect(routes.allowedMethods(path)).toBe(allowed)
  })
})
