import { describe, expect, it } from 'vitest'
import { basePathsOf } from './servers.ts'

function pathsOf(...urls: readonly string[]): readonly string[] {
  return basePathsOf(urls.map((url) => ({ url })))
}

describe('the base paths of servers', () => {
  it.each<[url: string, path: string]>([
    ['https://example.com', ''],
    ['https://example.com/', ''],
    ['https://example.com/v1/', '/v1'],
    ['https://example.com/a b/é', '/a%20b/%C3%A9'],
    ['https://example.com/v1?key=1#top', '/v1'],
    ['//example.com/v1', '/v1'],
    ['/v1', '/v1'],
    ['v1', '/v1'],
    ['./v1', '/v1'],
    ['../v1', '/v1'],
    ['.', ''],
    ['', ''],
    ['example.com/v1', '/v1'],
    ['localhost:8080/v1', '/v1'],
    ['https://example.com:99999/v1', '/v1'],
    ['https:///v1', '/v1'],
    ['mailto:me@example.com', ''],
    ['https://{host}/v1', '/v1'],
    ['{scheme}://{host}:{port}/{basePath}', ''],
    ['https://example.com/{stage}/v1', '/v1'],
    ['/{stage}/v1', '/v1'],
    ['https://example.com/%/\ud800', '/%/%EF%BF%BD'],
  ])('%j has the path %j', (url, path) => {
    expect(pathsOf(url)).toEqual([path])
  })

  it.each([undefined, null, {}, [], [null], [{}], [{ url: 7 }], [[]]])(
    'of %j are empty',
    (servers) => {
      expect(basePathsOf(servers)).toEqual([''])
    },
  )

  it('are each there once, and the first that is not empty is the main one', () => {
    expect(pathsOf('https://example.com', 'https://a.test/v1', 'https://b.test/v1', '/v2')).toEqual(
      ['/v1', '', '/v2'],
    )
  })

  it('have every value of the variables in them, the defaults first', () => {
    const variables = {
      version: { default: 'v2', enum: ['v1', 'v2'] },
      area: { default: 'eu', enum: ['eu', 'us'] },
    }

    expect(basePathsOf([{ url: 'https://a.test/{area}/{version}', variables }])).toEqual([
      '/eu/v2',
      '/us/v2',
      '/eu/v1',
      '/us/v1',
    ])
  })

  it('follow from a variable that is the whole URL', () => {
    const variables = { base: { default: 'https://a.test/v1', enum: ['https://b.test/beta'] } }

    expect(basePathsOf([{ url: '{base}', variables }])).toEqual(['/v1', '/beta'])
  })

  it('do not depend on a variable of the host', () => {
    const hosts = Array.from({ length: 100 }, (_, index) => `host${index}`)
    const variables = {
      host: { default: 'host0', enum: hosts },
      version: { default: 'v1', enum: ['v1', 'v2'] },
    }

    expect(basePathsOf([{ url: 'https://{host}.test/{version}', variables }])).toEqual([
      '/v1',
      '/v2',
    ])
  })

  it('take wrong variables as they are', () => {
    const variables = { a: { default: {}, enum: 'x' }, b: 7, __proto__: { default: 'c' } }

    expect(basePathsOf([{ url: '/{a}/{b}/{c}/{toString}/v1', variables }])).toEqual(['/v1'])
  })

  it('are at most 64', () => {
    const values = Array.from({ length: 1000 }, (_, index) => String(index))
    const variables = Object.fromEntries(
      values.map((name) => [`v${name}`, { default: '0', enum: values }]),
    )
    const url = `/${Object.keys(variables)
      .map((name) => `{${name}}`)
      .join('/')}`

    const paths = basePathsOf([{ url, variables }])

    expect(paths).toHaveLength(64)
    expect(pathsOf(...values.map((name) => `/${name}`))).toHaveLength(64)
  })
})
