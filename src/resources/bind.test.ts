import { describe, expect, it } from 'vitest'
import type { Contract, Operation } from '../contract/contract.ts'
import type { OperationHints, ResourceHints } from '../contract/hints.ts'
import { contract } from '../generated/contract.ts'
import { resolveResource } from '../inference/resolve-resource.ts'
import { listOf, objectOf, operationOn } from '../testing/operation-on.ts'
import {
  bind,
  bindingOf,
  collectionIn,
  readCollection,
  readNames,
  readResources,
  resourceNamed,
  resourcesIn,
} from './bind.ts'

const BOOK = objectOf(['id', 'title'])
const BOOKS: ResourceHints = { name: 'books', path: '/books', item: '/books/{bookId}', id: 'id' }
const list = hinted(operationOn('GET /books', { shown: listOf(BOOK) }), {
  action: 'list',
  resource: 'books',
  record: '',
})
const read = hinted(operationOn('GET /books/{bookId}', { shown: BOOK }), {
  action: 'read',
  resource: 'books',
  record: '',
})

function hinted(operation: Operation, hints: OperationHints): Operation {
  return { ...operation, hints }
}

function contractOf(
  operations: readonly Operation[],
  resources: readonly ResourceHints[] = [BOOKS],
): Contract {
  const byName = Object.fromEntries(
    resources.map((one) => [one.name, resolveResource(one, operations)]),
  )
  return { title: 'Books', version: '1', basePath: '', operations, resources: byName }
}

describe('the shipped contract', () => {
  it('has an action for every operation', () => {
    expect(bind(contract).map(({ operation, action }) => [operation.id, action])).toEqual([
      ['listPets', 'list'],
      ['createPet', 'create'],
      ['getPet', 'read'],
    ])
  })

  it('has one resource, which all its operations share', () => {
    expect(resourcesIn(contract)).toEqual([
      expect.objectContaining({
        name: 'pets',
        path: '/pets',
        id: 'id',
        idParameter: 'petId',
        filters: ['status'],
        hidden: new Set(),
      }),
    ])
  })
})

describe('an operation', () => {
  it('has the action and the resource that its hints name', () => {
    const [binding] = bind(contractOf([list, read]))

    expect(binding).toMatchObject({
      operation: list,
      action: 'list',
      resource: { name: 'books', path: '/books' },
      hints: list.hints,
    })
  })

  it.each<[string, Operation, string]>([
    ['without hints', operationOn('GET /books'), 'no-action'],
    [
      'whose hints say so',
      hinted(operationOn('POST /books/search'), { action: 'stateless', reason: 'search' }),
      'search',
    ],
    [
      'whose resource does not exist',
      hinted(operationOn('GET /shelves'), { action: 'list', resource: 'shelves' }),
      'no-record',
    ],
    [
      'with the name of a property of every object as resource',
      hinted(operationOn('GET /x'), { action: 'list', resource: 'constructor' }),
      'no-record',
    ],
  ])('%s is stateless', (_case, operation, reason) => {
    expect(bindingOf(contractOf([operation]), operation)).toEqual({
      operation,
      action: 'stateless',
      reason,
    })
  })

  it('is bound once', () => {
    const books = contractOf([list])

    expect(bindingOf(books, list)).toBe(bindingOf(books, list))
  })
})

describe('a resource', () => {
  it('is the same for all its operations', () => {
    const books = contractOf([list, read])

    expect(resourcesIn(books)).toEqual([resourceNamed(books, 'books')])
  })

  it('with an unknown name does not exist', () => {
    expect(resourceNamed(contractOf([list]), 'shelves')).toBeUndefined()
  })

  it('is read when one of its operations is bound', () => {
    const { resources = {}, ...rest } = contractOf([list, read])
    let reads = 0
    const counted = Object.defineProperty({}, 'books', {
      get: () => {
        reads += 1
        return resources.books
      },
    })
    const books: Contract = { ...rest, resources: counted }

    bindingOf(books, list)
    bindingOf(books, read)

    expect(reads).toBe(1)
  })
})

describe('a collection', () => {
  it('is found by its path without reading other resources', () => {
    const shelves = { ...BOOKS, name: 'shelves', path: '/shelves', item: '/shelves/{shelfId}' }
    const { resources, ...rest } = contractOf([list, read], [BOOKS, shelves])
    const reads: string[] = []
    const counted = new Proxy(resources ?? {}, {
      get: (all, name: string) => {
        reads.push(name)
        return all[name]
      },
    })
    const resourcePaths = { shelves: '/shelves', books: '/books' }
    const contract: Contract = { ...rest, resources: counted, resourcePaths }

    expect(collectionIn(contract, '/books')?.resource).toBe(resourceNamed(contract, 'books'))
    expect(reads).toEqual(['books'])
    expect(collectionIn(contract, '/shelves')).toBeUndefined()
  })
})

describe('a contract', () => {
  it.each([10, 400])('of %i operations is bound in linear time', (size) => {
    let reads = 0
    const names = Array.from({ length: size }, (_, index) => `shelf-${index}`)
    const operations = names.map((name) => {
      const operation = operationOn(`GET /${name}`, { shown: listOf(BOOK) })
      return Object.defineProperty(
        hinted(operation, { action: 'list', resource: name, record: '' }),
        'path',
        {
          get: () => {
            reads += 1
            return operation.path
          },
        },
      )
    })
    const resources = names.map((name) => ({ name, path: `/${name}`, id: 'id' }))

    bind(contractOf(operations, resources))

    expect(reads / size).toBeLessThanOrEqual(4)
  })
})

/** An operation whose hints take 25 milliseconds to find. */
function slow(operation: Operation, onRead: (id: string) => void = () => undefined): Operation {
  return Object.defineProperty({ ...operation }, 'hints', {
    get: () => {
      const end = performance.now() + 25
      while (performance.now() < end);
      onRead(operation.id)
      return operation.hints
    },
  })
}

it('finds the names of resources of a document as far as a wait allows, and those that were found before', async () => {
  const listPens = { ...list.hints, action: 'list', resource: 'pens' } as const
  const pens = hinted(operationOn('GET /pens', { shown: listOf(BOOK) }), listPens)
  const both = contractOf(
    [slow(list), slow(pens)],
    [BOOKS, { name: 'pens', path: '/pens', id: 'id' }],
  )
  const namesAfter = async (wait?: number): Promise<readonly string[]> =>
    (await readNames(both, wait)).map(({ name }) => name)

  expect(await namesAfter(10)).toEqual(['books'])
  expect(await namesAfter()).toEqual(['books', 'pens'])
  expect(await namesAfter(0)).toEqual(['books', 'pens'])
})

it('reads the resources of a document in turns, so that others are answered in between', async () => {
  const order: string[] = []
  const noted = (operation: Operation): Operation => slow(operation, (id) => order.push(id))
  const books = contractOf([noted(list), noted(read)])
  setTimeout(() => order.push('other request'))

  const resources = await readResources(books)

  expect(resources.map(({ name }) => name)).toEqual(['books'])
  expect(order.indexOf('other request')).toBe(order.lastIndexOf(read.id) - 1)
})

it('looks for an unknown collection in turns, so that others are answered in between', async () => {
  const order: string[] = []
  const noted = (operation: Operation): Operation => slow(operation, (id) => order.push(id))
  const books = contractOf([noted(list), noted(read)])
  setTimeout(() => order.push('other request'))

  expect(await readCollection(books, 'shelves')).toBeUndefined()

  expect(order.indexOf('other request')).toBe(order.lastIndexOf(read.id) - 1)
})
