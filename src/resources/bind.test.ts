import { describe, expect, it } from 'vitest'
import type { Contract, Operation, Parameter, Schema } from '../contract/contract.ts'
import { createSchemaCompiler } from '../document/schemas/schema-compiler.ts'
import { contract } from '../generated/contract.ts'
import { type Binding, bind, type StatelessCause } from './bind.ts'
import { createIdGenerator } from './id-generator.ts'
import type { Resource } from './resource.ts'

const BOOK: Schema = {
  type: 'object',
  properties: { id: { type: 'integer' }, title: { type: 'string' }, genre: { type: 'string' } },
}
const BOOKS: Schema = { type: 'array', items: BOOK }
const checkOf = createSchemaCompiler()

function operation(target: string, schema?: Schema, more: Partial<Operation> = {}): Operation {
  const [method = '', path = ''] = target.split(' ')
  const content = schema && { schema, validate: checkOf(schema) }
  return {
    id: target,
    method,
    path,
    secured: false,
    parameters: [],
    responses: [{ status: 200, ...content }],
    ...more,
  }
}

function withBody(schema: Schema = BOOK): Pick<Operation, 'body'> {
  return {
    body: { required: true, mediaTypes: ['application/json'], schema, validate: checkOf(schema) },
  }
}

function contractOf(operations: readonly Operation[]): Contract {
  return { title: 'Books', version: '1', basePath: '', operations }
}

function summaryOf(binding: Binding): readonly string[] {
  const { operation, action } = binding
  return action === 'stateless' ? [operation.id, action, binding.cause] : [operation.id, action]
}

function resourceFor(...operations: readonly Operation[]): Resource {
  const [binding] = bind(contractOf(operations))
  if (!binding || binding.action === 'stateless') throw new Error(binding?.cause)
  return binding.resource
}

describe('the shipped contract', () => {
  it('has an action for every operation', () => {
    expect(bind(contract).map(summaryOf)).toEqual([
      ['listPets', 'list'],
      ['createPet', 'create'],
      ['getPet', 'read'],
    ])
  })

  it('has one resource, which all its operations share', () => {
    const resources = new Set(
      bind(contract).map((one) => one.action !== 'stateless' && one.resource),
    )

    expect([...resources]).toEqual([
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
  it('has the action that its method, path and schema determine', () => {
    const operations = [
      operation('GET /books', BOOKS),
      operation('POST /books', BOOK, withBody()),
      operation('GET /books/{id}', BOOK),
      operation('PUT /books/{id}', BOOK, withBody()),
      operation('PATCH /books/{id}', BOOK, withBody()),
      operation('DELETE /books/{id}'),
    ]

    expect(bind(contractOf(operations)).map(summaryOf)).toEqual([
      ['GET /books', 'list'],
      ['POST /books', 'create'],
      ['GET /books/{id}', 'read'],
      ['PUT /books/{id}', 'replace'],
      ['PATCH /books/{id}', 'update'],
      ['DELETE /books/{id}', 'remove'],
    ])
  })

  it.each<[target: string, more: Partial<Operation>]>([
    ['POST /books', {}],
    ['PUT /books', withBody()],
    ['DELETE /books', {}],
    ['PUT /books/{id}', {}],
    ['PATCH /books/{id}', {}],
    ['POST /books/{id}', withBody()],
  ])('as %s, whose schemas do not determine an action, is stateless', (target, more) => {
    const operations = [operation('GET /books', BOOKS), operation(target, BOOK, more)]

    expect(bind(contractOf(operations)).map(summaryOf)[1]).toEqual([
      target,
      'stateless',
      'no-action',
    ])
  })

  it.each<[target: string, schema: Schema | undefined, cause: StatelessCause]>([
    ['GET /shelves/{shelfId}/books', BOOKS, 'nested'],
    ['GET /shelves/{shelfId}/books/{bookId}', BOOK, 'nested'],
    ['GET /books', undefined, 'no-record'],
    ['GET /books', { type: 'array' }, 'no-record'],
    ['GET /health', { type: 'object', properties: { ok: { type: 'boolean' } } }, 'no-record'],
    ['GET /books/{isbn}', { type: 'object', properties: { title: { type: 'string' } } }, 'no-id'],
    [
      'GET /books/{isbn}',
      { type: 'object', properties: { isbn: { type: 'string', pattern: '^978' } } },
      'no-id-generator',
    ],
  ])('as %s with the schema %j is stateless because of %s', (target, schema, cause) => {
    const [binding] = bind(contractOf([operation(target, schema)]))

    expect(binding && summaryOf(binding)).toEqual([target, 'stateless', cause])
  })
})

describe('the ids of a resource', () => {
  const USER: Schema = { type: 'object', properties: { id: { type: 'string' } } }

  function readUser(schema: Schema): Operation {
    const id: Parameter = {
      name: 'id',
      in: 'path',
      required: true,
      schema,
      validate: checkOf(schema),
    }
    return operation('GET /users/{id}', USER, { parameters: [id] })
  }

  it.each<[schema: Schema, id: string]>([
    [{ type: 'string' }, '000001'],
    [{ type: 'string', pattern: '^[0-9]+$' }, '000001'],
    [{ type: 'string', minLength: 9 }, '000000001'],
    [{ type: 'string', format: 'email' }, '000001@example.com'],
    [{ type: 'string', format: 'uuid' }, '4032789a-7931-4e6b-8aca-913d51ce8751'],
    [{ type: 'number' }, '1'],
  ])('are such that the path parameter with the schema %j accepts them', (schema, id) => {
    const { idSchema } = resourceFor(readUser(schema))
    const ids = createIdGenerator(idSchema, 0)

    expect(ids?.next(ids.start).id).toBe(id)
  })

  it.each<Schema>([
    { type: 'string', pattern: '^u-' },
    { type: 'string', enum: ['me', 'you'] },
    { type: 'number', minimum: 10 },
  ])(
    'are not looked for by the path parameter with the schema %j, which refuses them',
    (schema) => {
      const operations = [
        operation('GET /users', { type: 'array', items: USER }),
        readUser(schema),
        operation('DELETE /users/{id}'),
      ]

      expect(bind(contractOf(operations)).map(summaryOf)).toEqual([
        ['GET /users', 'list'],
        ['GET /users/{id}', 'stateless', 'refused-ids'],
        ['DELETE /users/{id}', 'remove'],
      ])
    },
  )
})

describe('a contract', () => {
  it.each([10, 4000])(
    'of %i operations is bound in linear time: each path is read a few times',
    (size) => {
      let reads = 0
      const operations = Array.from({ length: size }, (_, index) => {
        const one = operation(`GET /shelf-${index}/books`, BOOKS)
        const { path } = one
        return Object.defineProperty({ ...one }, 'path', {
          get: () => {
            reads += 1
            return path
          },
        })
      })

      bind(contractOf(operations))

      expect(reads / size).toBeLessThanOrEqual(4)
    },
  )
})

describe('a resource', () => {
  it('has the property of its path parameter as id, else `id`', () => {
    const isbn: Schema = { type: 'string' }
    const both = { ...BOOK, properties: { ...BOOK.properties, isbn } }

    expect(resourceFor(operation('GET /books/{isbn}', both)).id).toBe('isbn')
    expect(resourceFor(operation('GET /books/{bookId}', both)).id).toBe('id')
  })

  it('has the last segment of its path as name', () => {
    expect(resourceFor(operation('GET /shop/used/books', BOOKS))).toMatchObject({
      name: 'books',
      path: '/shop/used/books',
    })
  })

  it('has its complete path as name when another path ends with the same segment', () => {
    const bound = bind(
      contractOf([operation('GET /shop/books', BOOKS), operation('GET /library/books', BOOKS)]),
    )

    const names = bound.map((binding) => binding.action !== 'stateless' && binding.resource.name)

    expect(names).toEqual(['shop/books', 'library/books'])
  })

  it('has the schema of the response to a read, else to a creation, else of an item of the list', () => {
    const read = operation('GET /books/{id}', { ...BOOK, format: 'read' })
    const create = operation('POST /books', { ...BOOK, format: 'created' }, withBody())
    const list = operation('GET /books', { type: 'array', items: { ...BOOK, format: 'item' } })

    expect(resourceFor(list, create, read).schema.format).toBe('read')
    expect(resourceFor(list, create).schema.format).toBe('created')
    expect(resourceFor(list).schema.format).toBe('item')
  })

  it('validates a record by the schema of a list, with paths within the record', () => {
    const { validate } = resourceFor(operation('GET /books', BOOKS))

    expect(validate({ title: 'Dune' })).toBe(true)
    expect(validate({ title: 7 })).toBe(false)
    expect(validate.errors).toMatchObject([{ instancePath: '/title', keyword: 'type' }])
  })

  it('is filtered by the query parameters with the name of a property', () => {
    const names = ['limit', 'cursor', 'genre', 'search', 'title']
    const parameters = names.map((name) => {
      return { name, in: 'query', required: false, schema: {}, validate: () => true } as const
    })

    const { filters } = resourceFor(operation('GET /books', BOOKS, { parameters }))

    expect(filters).toEqual(['genre', 'title'])
  })

  it('leaves write-only properties out of responses', () => {
    const account: Schema = {
      ...BOOK,
      properties: { ...BOOK.properties, pin: { writeOnly: true } },
    }

    const { hidden } = resourceFor(operation('POST /books', BOOK, withBody(account)))

    expect(hidden).toEqual(new Set(['pin']))
  })
})
