import { describe, expect, test } from 'vitest'
import type { Operation } from '../contract/contract.ts'
import type { OperationHints, ResourceHints } from '../contract/hints.ts'
import {
  applyHints,
  type GivenOperationHints,
  type GivenResourceHints,
  type Inference,
} from './apply-hints.ts'

const BOOKS: ResourceHints = { name: 'books', path: '/books', item: '/books/{id}', id: 'id' }
const LIST: OperationHints = {
  action: 'list',
  resource: 'books',
  record: '/data',
  paging: { style: 'page', parameter: 'page' },
}
const OPERATIONS = new Map<string, OperationHints>([
  ['listBooks', LIST],
  ['lendBook', { action: 'stateless', reason: 'no-action' }],
])
const INFERRED: Inference = {
  of: ({ id }) => OPERATIONS.get(id) ?? { action: 'stateless', reason: 'no-record' },
  paths: new Map([['books', '/books']]),
  resource: (name) => (name === 'books' ? BOOKS : undefined),
  aliasOf: () => undefined,
}

function operationOf(id: string): Operation {
  return { id, method: 'GET', path: '/', secured: false, parameters: [], responses: [] }
}

function corrected(
  paths: Readonly<Record<string, GivenResourceHints>>,
  operations: Readonly<Record<string, GivenOperationHints>> = {},
  inference = true,
): {
  readonly resources: readonly ResourceHints[]
  readonly of: (operation: string) => OperationHints
} {
  const given = {
    inference,
    paths: new Map(Object.entries(paths)),
    operations: new Map(Object.entries(operations)),
  }
  const { paths: known, resource, of } = applyHints(INFERRED, given, [operationOf('lendBook')])

  return {
    resources: [...known.keys()].flatMap((name) => resource(name) ?? []),
    of: (id) => of(operationOf(id)),
  }
}

test('without hints, what was inferred stays', () => {
  expect(corrected({}).resources).toEqual([BOOKS])
  expect(corrected({}).of('listBooks')).toBe(LIST)
})

describe('a hint of an operation', () => {
  test.each<[fact: string, operation: string, given: GivenOperationHints, OperationHints]>([
    ['replaces a field', 'listBooks', { record: '/items' }, { ...LIST, record: '/items' }],
    [
      'replaces a field as a whole',
      'listBooks',
      { paging: { style: 'after', parameter: 'since' } },
      { ...LIST, paging: { style: 'after', parameter: 'since' } },
    ],
    [
      'removes a field by false',
      'listBooks',
      { paging: false },
      { action: 'list', resource: 'books', record: '/data' },
    ],
    [
      'makes the operation stateless by its action',
      'listBooks',
      { action: 'stateless' },
      { action: 'stateless', reason: 'hint' },
    ],
    [
      'makes the operation stateless without a resource',
      'listBooks',
      { resource: false },
      { action: 'stateless', reason: 'hint' },
    ],
    [
      'keeps a reason that it has',
      'listBooks',
      { action: 'stateless', reason: 'bulk' },
      { action: 'stateless', reason: 'bulk' },
    ],
    [
      'makes an action of an operation that changes a record',
      'lendBook',
      { resource: 'books', set: { isLent: true } },
      { action: 'act', resource: 'books', set: { isLent: true } },
    ],
    [
      'names an operation that was not inferred',
      'searchBooks',
      { action: 'list', resource: 'books' },
      { action: 'list', resource: 'books' },
    ],
    [
      'of an unknown resource leaves the operation without a record',
      'listBooks',
      { resource: 'boks' },
      { action: 'stateless', reason: 'no-record' },
    ],
  ])('%s', (_fact, operation, given, expected) => {
    expect(corrected({}, { [operation]: given }).of(operation)).toEqual(expected)
  })
})

describe('a hint of a path', () => {
  test.each<[fact: string, path: string, given: GivenResourceHints, readonly ResourceHints[]]>([
    [
      'of the collection corrects its resource',
      '/books',
      { id: 'isbn' },
      [{ ...BOOKS, id: 'isbn' }],
    ],
    ['of an item corrects its resource', '/books/{id}', { id: 'isbn' }, [{ ...BOOKS, id: 'isbn' }]],
    [
      'says who chooses ids, and whether they are shown',
      '/books',
      { ids: 'client', hiddenIds: true },
      [{ ...BOOKS, id: '$id', ids: 'client', hasHiddenIds: true }],
    ],
    [
      'keeps the property of ids that are not shown',
      '/books',
      { id: 'isbn', hiddenIds: true },
      [{ ...BOOKS, id: 'isbn', hasHiddenIds: true }],
    ],
    ['says the default, which is no field', '/books', { ids: 'server', single: false }, [BOOKS]],
    [
      'removes the item by false',
      '/books',
      { item: false, single: true },
      [{ name: 'books', path: '/books', id: 'id', isSingle: true }],
    ],
    [
      'adds a resource by its name',
      '/shelves',
      { resource: 'shelves', item: '/shelves/{code}', id: 'code' },
      [BOOKS, { name: 'shelves', path: '/shelves', item: '/shelves/{code}', id: 'code' }],
    ],
    [
      'of an item adds a resource with the collection that it names',
      '/shelf/{code}',
      { resource: 'shelves', collection: '/shelves' },
      [BOOKS, { name: 'shelves', path: '/shelves', item: '/shelf/{code}', id: 'id' }],
    ],
    ['of another path without a name adds nothing', '/shelves', { id: 'code' }, [BOOKS]],
    ['removes the resource by false', '/books', { resource: false }, []],
  ])('%s', (_fact, path, given, expected) => {
    expect(corrected({ [path]: given }).resources).toEqual(expected)
  })

  test('renames the resource in its operations, too', () => {
    const { resources, of } = corrected({ '/books': { resource: 'titles' } })

    expect(resources).toEqual([{ ...BOOKS, name: 'titles' }])
    expect(of('listBooks')).toEqual({ ...LIST, resource: 'titles' })
  })

  test('that removes a resource makes its operations stateless', () => {
    expect(corrected({ '/books': { resource: false } }).of('listBooks')).toEqual({
      action: 'stateless',
      reason: 'hint',
    })
  })

  test('that removes a resource leaves those that follow it', () => {
    const { resources } = corrected({
      '/shelves': { resource: 'shelves' },
      '/books': { resource: false },
    })

    expect(resources.map(({ name }) => name)).toEqual(['shelves'])
  })
})

test('a resource of an operation with later changes has them', () => {
  const after = [{ delay: '30d', set: { isLate: true } }]

  expect(corrected({}, { lendBook: { resource: 'books', after } }).resources).toEqual([
    { ...BOOKS, changesLater: true },
  ])
})

test('without inference, only the hints count', () => {
  const { name: resource, path: _, ...hints } = BOOKS

  const { resources, of } = corrected(
    { '/books': { ...hints, resource } },
    { listBooks: LIST },
    false,
  )

  expect(resources).toEqual([BOOKS])
  expect(of('listBooks')).toEqual(LIST)
  expect(of('lendBook')).toEqual({ action: 'stateless', reason: 'no-action' })
})
