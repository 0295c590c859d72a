import { describe, expect, test } from 'vitest'
import type { Contract, Operation } from '../contract/contract.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { loadContract } from './load-contract.ts'

const library = await loadContract('src/testing/library.yaml')
const catalog = await loadContract('src/testing/catalog.json')
const pets = await loadContract('openapi.yaml')

function operation({ operations }: Contract, id: string): Operation {
  const found = operations.find((one) => one.id === id)
  if (!found) throw new Error(`No operation ${id}`)

  return found
}

describe('a contract', () => {
  test('has the title, version and base path of its document', () => {
    const { title, version, basePath } = library

    expect({ title, version, basePath }).toEqual({
      title: 'Library',
      version: '2.3.0',
      basePath: '/api',
    })
  })

  test('has the base path of the first server that has one, with its variables replaced', () => {
    expect(catalog.basePath).toBe('/v2')
  })

  test('has its operations in document order, also documented HEAD', () => {
    const ids = [...library.operations, ...catalog.operations].map(({ id }) => id)

    expect(ids).toEqual([
      ...['listBooks', 'createBook', 'readBook', 'replaceBook', 'updateBook', 'deleteBook'],
      ...['GET /categories', 'POST /categories', 'readCategory'],
      'HEAD /categories/{id}',
    ])
  })
})

describe('the headers of responses', () => {
  test('are those that any response declares, directly or by a $ref', () => {
    expect(pets.responseHeaders).toEqual([
      ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Link'],
      ...['WWW-Authenticate', 'Retry-After', 'Location', 'Deprecation', 'Sunset'],
    ])
  })

  test('include those of status ranges and of "default", each once', () => {
    expect(library.responseHeaders).toEqual(['X-Trace', 'ETag'])
  })
})

describe('an operation', () => {
  test('has no parameter for a credential that a security scheme describes, too', async () => {
    const parameters = [
      { name: 'key', in: 'query', required: true, schema: { type: 'string' } },
      { name: 'x-token', in: 'header', required: true, schema: { type: 'string' } },
      { name: 'page', in: 'query', schema: { type: 'integer' } },
    ]
    const get = { parameters, responses: { 200: { description: 'Books' } } }
    const contract = await loadDocumentOf(
      { '/books': { get }, '/open': { get: { ...get, security: [] } } },
      {
        components: {
          securitySchemes: {
            key: { type: 'apiKey', in: 'query', name: 'key' },
            token: { type: 'apiKey', in: 'header', name: 'X-Token' },
          },
        },
        security: [{ key: [], token: [] }],
      },
    )

    expect(contract.operations.map((one) => one.parameters.map(({ name }) => name))).toEqual([
      ['page'],
      ['key', 'x-token', 'page'],
    ])
  })

  test('is secured as the document says, unless the operation overrides it', () => {
    expect(operation(library, 'listBooks').secured).toBe(true)
    expect(operation(catalog, 'GET /categories').secured).toBe(false)
    expect(operation(catalog, 'POST /categories').secured).toBe(true)
    expect(operation(catalog, 'readCategory').secured).toBe(false)
  })

  test('has the parameters of its path', () => {
    const { parameters } = operation(library, 'readBook')

    expect(parameters).toMatchObject([
      { name: 'bookId', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
    ])
  })

  test('accepts the JSON media types, without their parameters', () => {
    expect(operation(library, 'updateBook').body?.mediaTypes).toEqual([
      'application/merge-patch+json',
      'application/json',
    ])
    expect(operation(catalog, 'POST /categories').body?.mediaTypes).toEqual(['application/json'])
  })

  test('has its responses by ascending status, without ranges and default', () => {
    const statuses = pets.operations.map(({ responses }) => responses.map(({ status }) => status))

    expect(statuses[0]).toEqual([200, 400, 401, 429])
    expect(operation(catalog, 'readCategory').responses.map(({ status }) => status)).toEqual([200])
    expect(operation(library, 'deleteBook').responses[0]).toEqual({ status: 204 })
  })

  test('has the example of the media type, or that of the schema', () => {
    expect(operation(pets, 'getPet').responses[0]?.example).toMatchObject({
      id: 1,
      name: 'Biscuit',
    })
    expect(operation(library, 'readBook').responses[0]?.example).toMatchObject({
      title: 'The Dispossessed',
    })
  })

  test('has its deprecation in epoch milliseconds', () => {
    expect(operation(pets, 'getPet').deprecation).toEqual({
      date: Date.UTC(2025, 11, 5),
      sunset: Date.UTC(2030, 11, 5),
      successor: '/pets?status=available',
    })
    expect(operation(catalog, 'readCategory').deprecation).toEqual({})
    expect(operation(pets, 'listPets').deprecation).toBeUndefined()
  })
})

describe('a schema', () => {
  test('contains the targets of its $refs, across files, merged with the keywords next to a $ref', () => {
    const { schema } = operation(library, 'createBook').body ?? {}

    expect(schema?.properties).toMatchObject({
      genre: { type: 'string', enum: ['novel', 'poetry', 'history'], default: 'novel' },
      author: { required: ['name'], properties: { born: { type: 'integer' } } },
    })
  })

  test('has no read-only properties in a request and no write-only ones in a response', () => {
    const { body, responses } = operation(catalog, 'POST /categories')

    expect(body?.schema.required).toEqual(['name', 'secret'])
    expect(body?.schema.properties).not.toHaveProperty('id')
    expect(responses[0]?.schema?.required).toEqual(['id', 'name'])
    expect(responses[0]?.schema?.properties).not.toHaveProperty('secret')
  })

  test('of OpenAPI 3.0 is translated into JSON Schema', () => {
    const [parameter] = operation(catalog, 'readCategory').parameters
    const properties = operation(catalog, 'readCategory').responses[0]?.schema?.properties

    expect(parameter?.schema).toEqual({ type: 'integer', exclusiveMinimum: 0 })
    expect(properties?.note).toEqual({ type: ['string', 'null'] })
    expect(properties?.level).toEqual({ type: ['string', 'null'], enum: ['shelf', 'room', null] })
    expect(properties?.ratio).toEqual({ type: 'number', maximum: 1 })
  })

  test('that contains itself is a cyclic object', () => {
    const { schema } = operation(catalog, 'GET /categories').responses[0] ?? {}
    const category = schema?.items

    expect(category?.properties?.children?.items).toBe(category)
  })

  test('is the same object wherever a document refers to it', () => {
    const { schema } = operation(catalog, 'GET /categories').responses[0] ?? {}
    const { schema: created } = operation(catalog, 'POST /categories').responses[0] ?? {}

    expect(schema?.items).toBe(created)
  })

  test('keeps hints and removes descriptions', () => {
    const { properties } = operation(pets, 'createPet').body?.schema ?? {}

    expect(properties?.name).toHaveProperty('x-faker')
    expect(properties?.name).not.toHaveProperty('description')
    expect(properties?.status).not.toHaveProperty('x-decision')
  })
})

describe('a validator', () => {
  test('reports every error of a value', () => {
    const { validate } = operation(library, 'createBook').body ?? {}

    const isValid = validate?.({ title: '', author: { born: 'long ago' } })

    expect(isValid).toBe(false)
    expect(
      validate?.errors?.map(({ instancePath, keyword }) => `${instancePath} ${keyword}`),
    ).toEqual(['/title minLength', '/author required', '/author/born type'])
  })

  test('has no errors after a valid value', () => {
    const { validate } = operation(pets, 'listPets').parameters[0] ?? {}

    const answers = [validate?.(0), validate?.(1)]

    expect(answers).toEqual([false, true])
    expect(validate?.errors).toBeNull()
  })

  test('validates a schema that contains itself at any depth', () => {
    const { validate } = operation(catalog, 'POST /categories').body ?? {}
    const child = { name: 'Poetry', secret: 's', parent: null, level: null }

    const answers = [child, { ...child, name: 1 }].map((one) =>
      validate?.({ ...child, children: [{ ...child, children: [one] }] }),
    )

    expect(answers).toEqual([true, false])
  })

  test('does not check the range of int64', () => {
    const { validate } = operation(pets, 'getPet').parameters[0] ?? {}

    expect([validate?.(2 ** 60), validate?.(1.5)]).toEqual([true, false])
  })
})
