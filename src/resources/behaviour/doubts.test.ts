import { describe, expect, it } from 'vitest'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import { bind } from '../bind.ts'
import { certaintyOf, doubtsOf, hintText } from './doubts.ts'

const PET = {
  type: 'object',
  properties: { id: { type: 'string' }, name: { type: 'string' }, age: { type: 'integer' } },
}
const PETS = { type: 'array', items: PET }
const PETS_WITH_TAKEN_NAME = {
  ...PETS,
  example: ['1', '2', '3'].map((id) => ({ id, name: id === '3' ? 'tom' : 'rex' })),
}
const TAGGED = {
  type: 'object',
  properties: { ...PET.properties, tag_ids: { type: 'array', items: { type: 'string' } } },
}

interface Parts {
  readonly method?: string
  readonly query?: readonly string[]
  readonly id?: string
  readonly sent?: object
  readonly hints?: object
}

function operation(
  shown: object,
  { method = 'get', query = [], id, sent, hints }: Parts = {},
): object {
  const path =
    id === undefined ? [] : [{ name: 'petId', in: 'path', required: true, schema: { type: id } }]
  const filters = query.map((name) => ({ name, in: 'query', schema: { type: 'object' } }))
  const body = sent && { requestBody: { content: { 'application/json': { schema: sent } } } }
  const content = { 'application/json': { schema: shown } }
  const responses = { [method === 'post' ? 201 : 200]: { description: 'OK', content } }

  return {
    [method]: { parameters: [...path, ...filters], ...body, responses, 'x-sandbox': hints ?? {} },
  }
}

const CODE = { type: 'string', minLength: 9, maxLength: 3 }
const UNMADE = {
  type: 'object',
  required: ['code'],
  properties: { id: { type: 'string' }, code: CODE },
}
const NEVER = { type: 'array', items: UNMADE }

/** The doubts about the operations of a document, as lines. */
async function doubts(paths: object, root?: object): Promise<readonly string[]> {
  const contract = await loadDocumentOf(paths, root)
  return bind(contract).flatMap((binding) => {
    const found = doubtsOf(binding, contract)
    return found.map(
      ({ reason, hints }) => `${certaintyOf(binding, found)}: ${reason}: ${hintText(hints)}`,
    )
  })
}

describe('what speaks against a binding', () => {
  it.each<[what: string, paths: object, lines: readonly string[]]>([
    [
      'nothing',
      { '/pets': operation(PETS), '/pets/{petId}': operation(PET, { id: 'string' }) },
      [],
    ],
    [
      'a number in the path for an id that is a text',
      { '/pets': operation(PETS), '/pets/{petId}': operation(PET, { id: 'integer' }) },
      ['guess: {petId} is a number, and id is a text: x-sandbox: { hiddenIds: true }'],
    ],
    [
      'a PUT of which nothing says whether it replaces the record',
      {
        '/pets': operation(PETS),
        '/pets/{petId}': {
          ...operation(PET, { id: 'string' }),
          ...operation(PET, { id: 'string', method: 'put', sent: PET }),
        },
      },
      [
        'guess: nothing says whether it replaces the record. It changes only what the request has: x-sandbox: { action: update }',
      ],
    ],
    [
      'records that no value can be',
      { '/pets': operation(NEVER), '/pets/{petId}': operation(NEVER.items, { id: 'string' }) },
      [
        'likely: it stays empty, because no value matches the schema of its records (pets.code: no text has at least 9 and at most 3 characters): x-sandbox: {}',
      ],
    ],
    [
      'query parameters that filter nothing',
      { '/pets': operation(PETS, { query: ['owner', 'fields'] }) },
      ['likely: these query parameters filter nothing: owner: x-sandbox: { filters: false }'],
    ],
    [
      'no parameters that choose parts of the records',
      {
        '/pets': operation(PETS, {
          query: ['only', 'fields[owners]', 'limit[owners]', 'populate'],
          hints: { fields: 'only', expand: 'populate' },
        }),
      },
      [],
    ],
    [
      'a list of which nothing says what its records are',
      { '/pets': operation({ type: 'array', items: {} }) },
      ['guess: nothing describes the records of pets: x-sandbox: { resource: false }'],
    ],
    [
      'nothing, where a path says which records belong to another one',
      {
        '/pets': operation(PETS),
        '/pets/{petId}': operation(PET, { id: 'string' }),
        '/owners/{ownerId}/pets': operation(PETS),
        '/owners/{ownerId}/pets/{petId}': { put: { responses: {} }, delete: { responses: {} } },
      },
      [],
    ],
    [
      'an action of which nothing says what it changes',
      {
        '/pets': operation(PETS),
        '/pets/{petId}': operation(PET, { id: 'string' }),
        '/pets/{petId}/frobnicate': operation(PET, { method: 'post', id: 'string' }),
      },
      ['likely: what it changes in the record is not known: x-sandbox: { set: {} }'],
    ],
    [
      'two examples with a key that only one record can have',
      {
        '/pets': { ...operation(PETS_WITH_TAKEN_NAME), 'x-sandbox': { keys: ['name'] } },
        '/pets/{petId}': operation(PET, { id: 'string' }),
      },
      [
        'likely: the examples 1 and 2 have the same key, rex. Only the first one has it: x-sandbox: {}',
      ],
    ],
    [
      'nothing, where a path adds to a list of the record',
      {
        '/pets': operation({ type: 'array', items: TAGGED }),
        '/pets/{petId}': operation(TAGGED, { id: 'string' }),
        '/pets/{petId}/tags/{tag_ids}': operation(TAGGED, { method: 'put', id: 'string' }),
      },
      [],
    ],
    [
      'a creation that shows another thing than it takes',
      {
        '/pets': {
          ...operation(PETS),
          ...operation(PET, {
            method: 'post',
            sent: { type: 'object', properties: { file: { type: 'string' } } },
          }),
        },
      },
      [
        'guess: its response has no property of its request, so it may be another thing: x-sandbox: { record: false }',
      ],
    ],
  ])('is found: %s', async (_, paths, lines) => {
    expect(await doubts(paths)).toEqual(lines)
  })

  it('is found: a list with the schema of another one above it or beside it', async () => {
    const list = operation({ type: 'array', items: { $ref: '#/components/schemas/Pet' } })
    const root = { components: { schemas: { Pet: PET } } }
    const settled = { ...list, 'x-sandbox': { resource: 'sold' } }
    const line = (name: string): string =>
      `likely: its records have the schema of those of /pets, and nothing says that they are the same ones: x-sandbox: { resource: ${name} }`

    expect(await doubts({ '/pets': list, '/animals/{kind}/shown/sold': list }, root)).toEqual([])
    expect(await doubts({ '/pets': list, '/pets/{petId}/toys': list }, root)).toEqual([
      line('toys'),
    ])
    expect(await doubts({ '/pets': list, '/strays': list }, root)).toEqual([line('strays')])
    expect(await doubts({ '/pets': list, '/sold': settled }, root)).toEqual([line('sold')])
  })

  it('is not found where the hints say that an operation is stateless', async () => {
    const cheap = operation(PETS, { hints: { action: 'stateless' } })

    expect(await doubts({ '/pets': operation(PETS), '/pets/cheap': cheap })).toEqual([])
  })
})

describe('the text of hints', () => {
  it('is YAML that can be pasted', () => {
    expect(hintText({ resource: 'pets', record: '', filters: { 'a[b]': 'no' }, from: ['x'] })).toBe(
      'x-sandbox: { resource: pets, record: "", filters: { "a[b]": "no" }, from: [x] }',
    )
  })
})
