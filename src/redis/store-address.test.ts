import { describe, expect, it } from 'vitest'
import { parseStoreAddress } from './store-address.ts'

const SERVER = { kind: 'server', isEncrypted: false, database: 0 }

describe('the address of a store', () => {
  it.each([
    ['redis://localhost', { ...SERVER, nodes: [{ host: 'localhost', port: 6379 }] }],
    [
      'rediss://user:p%40ss%2Fword@[::1]:7000/3',
      {
        ...SERVER,
        isEncrypted: true,
        database: 3,
        nodes: [{ host: '::1', port: 7000 }],
        username: 'user',
        password: 'p@ss/word',
      },
    ],
    [
      'redis://:secret@a:1,b:2/0',
      {
        ...SERVER,
        kind: 'cluster',
        nodes: [
          { host: 'a', port: 1 },
          { host: 'b', port: 2 },
        ],
        password: 'secret',
      },
    ],
    ['redis+cluster://a', { ...SERVER, kind: 'cluster', nodes: [{ host: 'a', port: 6379 }] }],
    [
      'rediss+sentinel://a,b:5/2?name=mymaster',
      {
        kind: 'sentinel',
        isEncrypted: true,
        database: 2,
        name: 'mymaster',
        nodes: [
          { host: 'a', port: 26379 },
          { host: 'b', port: 5 },
        ],
      },
    ],
  ])('may be %s', (address, parsed) => {
    expect(parseStoreAddress(address)).toEqual(parsed)
  })

  it.each([
    'localhost:6379',
    'http://localhost',
    'redis://',
    'redis://host:99999',
    'redis://ho st',
    'redis://us:s3cret%zz@host',
    'redis://us:s3cret@host/x',
    'redis+cluster://host/1',
    'redis+sentinel://host',
    'redis://host?name=x',
    'redis://us:s3cret@host:port',
  ])('must not be %s, and no error repeats the password', (address) => {
    const parse = (): unknown => parseStoreAddress(address)

    expect(parse).toThrow('Cannot use the address of the store: ')
    expect(parse).not.toThrow(/s3|cret@/)
  })
})
