import { describe, expect, test } from 'vitest'
import { type FixDraft, writeValue, wrongValues } from './fix-request.ts'

const DETAILS = {
  path: '/shelves/{shelf}/books/{bookId}',
  parameters: [
    { in: 'path', name: 'shelf', required: true, schema: { type: 'string' } },
    { in: 'path', name: 'bookId', required: true, schema: { type: 'integer' } },
    {
      in: 'query',
      name: 'limit',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 100 },
    },
    { in: 'header', name: 'X-Mode', required: true, schema: { enum: ['fast', 'slow'] } },
  ],
  body: {
    required: true,
    contentTypes: ['application/json', 'text/csv'],
    schema: {
      type: 'object',
      properties: {
        title: { type: 'string', maxLength: 20 },
        pages: { type: 'integer' },
        state: { enum: [null, 'draft', 'printed'] },
        tags: { type: 'array', items: { allOf: [{ enum: ['new', 'old'] }] } },
      },
    },
  },
} as const

const DRAFT: FixDraft = {
  method: 'PUT',
  target: '/shelves/a%2Fb/books/7?limit=500&page=2',
  headers: { 'x-mode': 'odd' },
  body: '{"title":5,"pages":"many","state":"lost","tags":["new","lost"],"note":"kept"}',
  key: '',
}

function refusedAt(...locations: string[]): Parameters<typeof wrongValues>[0] {
  const errors = locations.map((location) => ({ location }))
  return { status: 400, refusal: { code: 'invalid_request', message: '', errors } }
}

describe('the wrong values of a refused request', () => {
  test('have what they are now, and what the document allows', () => {
    const places = [
      'query.limit',
      'header.X-Mode',
      'body.title',
      'body.state',
      'body.tags[1]',
      'path.shelf',
    ]

    expect(wrongValues(refusedAt(...places), DETAILS, DRAFT)).toEqual([
      { location: 'query.limit', text: '500', choices: [], allowed: 'integer, ≥ 1, ≤ 100' },
      { location: 'header.X-Mode', text: 'odd', choices: ['fast', 'slow'], allowed: 'fast, slow' },
      { location: 'body.title', text: '5', choices: [], allowed: 'string, characters ≤ 20' },
      {
        location: 'body.state',
        text: 'lost',
        choices: ['null', 'draft', 'printed'],
        allowed: 'null, draft, printed',
      },
      { location: 'body.tags[1]', text: 'lost', choices: ['new', 'old'], allowed: 'new, old' },
      { location: 'path.shelf', text: 'a/b', choices: [], allowed: 'string' },
    ])
  })

  test('are the last parameter of the path when a record was not found', () => {
    const notFound = { status: 404, refusal: { code: 'not_found', message: '' } }

    expect(wrongValues(notFound, DETAILS, DRAFT)).toMatchObject([
      { location: 'path.bookId', text: '7' },
    ])
  })

  test('are the media type when the service does not take it', () => {
    const refused = { status: 415, refusal: { code: 'unsupported_media_type', message: '' } }

    expect(wrongValues(refused, DETAILS, DRAFT)).toMatchObject([
      { location: 'header.Content-Type', choices: ['application/json', 'text/csv'] },
    ])
  })

  test.each([
    [401, 'unauthorized', DETAILS, 'key'],
    [404, 'not_found', undefined, 'address'],
    [409, 'conflict', DETAILS, 'body'],
    [413, 'payload_too_large', DETAILS, 'body'],
  ])('of a %i are named where the form has a field for them', (status, code, details, location) => {
    const refused = { status, refusal: { code, message: '' } }

    expect(wrongValues(refused, details, DRAFT).map((one) => one.location)).toEqual([location])
  })

  test('are what conflicts with the records, where the journal knows it', () => {
    const refusal = { code: 'email_taken', message: '', conflict: 'body.name' }

    expect(wrongValues({ status: 409, refusal }, DETAILS, DRAFT)).toMatchObject([
      { location: 'body.name' },
    ])
  })

  test('are the method when the path has others, which the response lists', () => {
    const refused = {
      ...{ status: 405, refusal: { code: 'method_not_allowed', message: '' } },
      response: { headers: [['Allow', 'GET, POST']] as const },
    }

    expect(wrongValues(refused, undefined, DRAFT)).toEqual([
      { location: 'method', text: 'PUT', choices: ['GET', 'POST'], allowed: 'GET, POST' },
    ])
    expect(writeValue(DRAFT, 'method', 'POST', undefined)).toEqual({ ...DRAFT, method: 'POST' })
  })

  test.each([
    ['/books?state=new&state=bad&page=2', '/books?state=new&state=old&page=2'],
    ['/books?state=new,bad', '/books?state=new%2Cold'],
    ['/books?filter%5Bstate%5D=bad', '/books?filter%5Bstate%5D=old', 'query.filter.state'],
  ])('are one of several in %s', (target, corrected, location = 'query.state[1]') => {
    const state = { enum: ['new', 'old'] }
    const parameters = [
      { in: 'query', name: 'state', required: false, schema: { type: 'array', items: state } },
      {
        in: 'query',
        name: 'filter',
        required: false,
        schema: { type: 'object', properties: { state } },
      },
    ] as const
    const details = { path: '/books', parameters }
    const draft = { ...DRAFT, target }

    expect(wrongValues(refusedAt(location), details, draft)).toEqual([
      { location, text: 'bad', choices: ['new', 'old'], allowed: 'new, old' },
    ])
    expect(writeValue(draft, location, 'old', details).target).toBe(corrected)
  })

  test('are none when the request has none, or no operation matches', () => {
    const failed = { status: 500, refusal: { code: 'internal_error', message: '' } }

    expect(wrongValues(failed, DETAILS, DRAFT)).toEqual([])
    expect(wrongValues(refusedAt('query.limit'), undefined, DRAFT)).toMatchObject([{ text: '500' }])
  })

  test.each([
    ['query.limit', '50', { target: '/shelves/a%2Fb/books/7?limit=50&page=2' }],
    ['query.limit', '', { target: '/shelves/a%2Fb/books/7?page=2' }],
    ['path.bookId', '8/9', { target: '/shelves/a%2Fb/books/8%2F9?limit=500&page=2' }],
    ['header.X-Mode', 'fast', { headers: { 'x-mode': 'fast' } }],
    ['body', 'text', { body: 'text' }],
  ])('at %s become %j', (location, text, expected) => {
    expect(writeValue(DRAFT, location, text, DETAILS)).toEqual({ ...DRAFT, ...expected })
  })

  test.each([
    ['body.title', '12', { title: '12' }],
    ['body.pages', '12', { pages: 12 }],
    ['body.pages', 'twelve', { pages: 'twelve' }],
    ['body.tags[1]', 'old', { tags: ['new', 'old'] }],
    ['body.author.name', 'Ada', { author: { name: 'Ada' } }],
  ])('in a body at %s become %j with the other properties as they are', (location, text, part) => {
    const { body } = writeValue(DRAFT, location, text, DETAILS)

    expect(JSON.parse(body)).toEqual({ ...JSON.parse(DRAFT.body), ...part })
  })

  test('in a body are removed when they are empty', () => {
    const { body } = writeValue(DRAFT, 'body.pages', '', DETAILS)

    expect(Object.keys(JSON.parse(body))).toEqual(['title', 'state', 'tags', 'note'])
  })
})
