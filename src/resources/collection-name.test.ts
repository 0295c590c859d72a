import { describe, expect, it } from 'vitest'
import { exampleResource } from '../testing/example-resource.ts'
import {
  checkCollection,
  collectionName,
  findCollection,
  parentsFirst,
  resourceLabel,
} from './collection-name.ts'
import type { Resource } from './resource.ts'

const BOOKS = exampleResource({})
const ORGS: Resource = { ...BOOKS, name: 'orgs', path: '/v2/orgs' }
const REPOS: Resource = {
  ...BOOKS,
  name: 'repos',
  path: '/orgs/%7Bold%7D/{org}/re%20pos',
  parents: ['org'],
}
const FILES: Resource = {
  ...BOOKS,
  name: 'versions',
  path: '/files/{name}.{ext}/versions',
  parents: ['name', 'ext'],
}
const RESOURCES = [BOOKS, ORGS, FILES]

describe('the name of a collection', () => {
  it('is that of its resource when it has no parents', () => {
    expect(collectionName(ORGS, { id: 7 })).toBe('orgs')
  })

  it('is its path with the ids of its parents, percent-encoded', () => {
    const repos = { ...REPOS, path: '/orgs/{org}/repos' }

    expect(collectionName(repos, { org: 'a/b c' })).toBe('orgs/a%2Fb%20c/repos')
    expect(resourceLabel(repos)).toBe('orgs/{org}/repos')
  })
})

describe('a collection', () => {
  it.each<[text: string, name: string | undefined, parameters?: object]>([
    ['books', 'books', {}],
    ['/books', 'books', {}],
    ['orgs', 'orgs', {}],
    ['v2/orgs', 'orgs', {}],
    ['/v2/orgs', 'orgs', {}],
    ['repos', undefined],
    ['/orgs/acme/repos', 'orgs/acme/repos', { org: 'acme' }],
    ['orgs/a%2Fb/repos', 'orgs/a%2Fb/repos', { org: 'a/b' }],
    ['orgs//repos', undefined],
    ['orgs/acme/repos/', undefined],
    ['', undefined],
  ])('is found by its name or path: %s', (text, name, parameters) => {
    const repos = { ...REPOS, path: '/orgs/{org}/repos' }
    const found = findCollection([...RESOURCES, repos], text)

    expect(found?.name).toBe(name)
    expect(found?.parameters).toEqual(parameters)
  })
})

describe('an unknown collection', () => {
  it.each<[text: string, suggestion: string]>([
    ['boks', 'books'],
    ['orgs/acme/reops', 'orgs/acme/repos'],
    ['reops', 'orgs/{org}/repos'],
    ['users/7/reops', 'orgs/7/repos'],
  ])('is refused with the nearest one: %s', (text, suggestion) => {
    const repos = { ...REPOS, path: '/orgs/{org}/repos' }

    expect(() => checkCollection(text, [...RESOURCES, repos])).toThrow(
      expect.objectContaining({ code: 'unknown_collection', suggestion }),
    )
  })
})

describe('the collections of parents', () => {
  it('come before those below them', () => {
    const names = ['a/1/b/2/c', 'a', 'a/1/b'].map((name) => ({ name }))

    expect(parentsFirst(names).map(({ name }) => name)).toEqual(['a', 'a/1/b', 'a/1/b/2/c'])
  })
})

describe('the name of a schema', () => {
  const customers: Resource = {
    ...BOOKS,
    name: 'customers',
    path: '/customers',
    schemaName: 'CustomerDetail',
  }
  const invoices: Resource = {
    ...customers,
    name: 'invoices',
    path: '/invoices',
    schemaName: 'Bill',
  }

  it.each([
    ['CustomerDetail', customers],
    ['Customer', customers],
    ['Bill', invoices],
    ['Invoice', invoices],
    ['customer', undefined],
    ['Order', undefined],
  ])('%s means the collection of its records, also one that is called like it', (name, found) => {
    expect(findCollection([customers, invoices], name)?.resource).toBe(found)
  })
})
