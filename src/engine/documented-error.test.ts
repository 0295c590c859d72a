import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadContract } from '../document/load-contract.ts'
import { Problem, problems } from '../http/problem.ts'
import { routerOf } from '../sandbox/router.ts'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'
import { factsOf } from './error-facts.ts'
import { knownValues } from './error-properties.ts'

const directory = useTemporaryDirectory()

/** The responses of `POST /teas`, by status. */
type Responses = Readonly<Record<string, object | undefined>>

/** A sandbox of a document whose only operation creates a tea, with these error responses. */
async function sandboxWith(errors: Responses, components: object = {}): Promise<Sandbox> {
  const file = join(directory(), `${crypto.randomUUID()}.json`)
  const tea = {
    type: 'object',
    required: ['name', 'grams'],
    properties: { name: { type: 'string' }, grams: { type: 'integer' } },
  }
  const document = {
    openapi: '3.1.0',
    info: { title: 'Teas', version: '1' },
    servers: [{ url: '/api' }],
    components,
    paths: {
      '/teas': {
        post: {
          operationId: 'addTea',
          parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
          requestBody: { content: { 'application/json': { schema: tea } } },
          responses: { 201: json(tea), ...errors },
        },
      },
    },
  }
  await writeFile(file, JSON.stringify(document))
  return createSandbox({ contract: await loadContract(file), seed: 1 })
}

function json(schema: object, more: object = {}): object {
  return { description: '', content: { 'application/json': { schema, ...more } } }
}

function object(properties: object, required: readonly string[] = []): object {
  return { type: 'object', required: [...required, ...Object.keys(properties)], properties }
}

const text = { type: 'string' }
const integer = { type: 'integer' }

/** Creates a tea without its grams. */
function post(
  sandbox: Sandbox,
  headers: Readonly<Record<string, string>> = {},
  path = '/teas',
): Promise<Response> {
  return sandbox.fetch(
    new Request(`http://localhost/api${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: '{"name":"oolong"}',
    }),
  )
}

const MESSAGE = 'body.grams is required'

describe('an error body has what happened in the properties of the document', () => {
  it.each<[form: string, schema: object, body: unknown]>([
    ['a message', object({ message: text }), { message: MESSAGE }],
    [
      'a code and a text',
      object({ code: text, msg: text }),
      { code: 'invalid_request', msg: MESSAGE },
    ],
    ['a number as code', object({ code: integer, message: text }), { code: 400, message: MESSAGE }],
    ['only an error', object({ error: text }), { error: MESSAGE }],
    [
      'the phrase beside a message',
      object({ statusCode: integer, error: text, message: text }),
      { statusCode: 400, error: 'Bad Request', message: MESSAGE },
    ],
    [
      'OAuth 2',
      object({ error: text, error_description: text }),
      { error: 'invalid_request', error_description: MESSAGE },
    ],
    [
      'a nested error',
      object({ success: { type: 'boolean' }, error: object({ code: text, message: text }) }),
      { success: false, error: { code: 'invalid_request', message: MESSAGE } },
    ],
    [
      'a list of sentences',
      object({ errors: { type: 'array', items: text } }),
      { errors: [MESSAGE] },
    ],
    [
      'a list of fields',
      object({ errors: { type: 'array', items: object({ field: text, message: text }) } }),
      { errors: [{ field: 'grams', message: MESSAGE }] },
    ],
    [
      'a list that is called fields',
      object({ fields: { type: 'array', items: object({ path: text, message: text }) } }),
      { fields: [{ path: 'grams', message: MESSAGE }] },
    ],
    [
      'JSON:API',
      object({
        errors: {
          type: 'array',
          items: object({
            status: text,
            title: text,
            detail: text,
            source: { type: 'object', properties: { pointer: text, parameter: text } },
          }),
        },
      }),
      {
        errors: [
          { status: '400', title: 'Bad Request', detail: MESSAGE, source: { pointer: '/grams' } },
        ],
      },
    ],
    [
      'a list with the names that lead to the value',
      object({
        detail: {
          type: 'array',
          items: object({
            loc: { type: 'array', items: { anyOf: [text, integer] } },
            msg: text,
            type: text,
          }),
        },
      }),
      { detail: [{ loc: ['body', 'grams'], msg: MESSAGE, type: 'required' }] },
    ],
    [
      'messages by field',
      object({
        errors: { type: 'object', additionalProperties: { type: 'array', items: text } },
      }),
      { errors: { grams: [MESSAGE] } },
    ],
    [
      'the closest member of an enumeration',
      object({
        code: { type: 'string', enum: ['OUT_OF_TEA', 'VALIDATION_FAILED'] },
        message: text,
      }),
      { code: 'VALIDATION_FAILED', message: MESSAGE },
    ],
    [
      'a member that is for no other status',
      object({ code: { type: 'string', enum: ['RATE_LIMITED', 'NOT_FOUND', 'OUT_OF_TEA'] } }),
      { code: 'OUT_OF_TEA' },
    ],
    [
      'a member for what has no code of its own',
      object({ code: { type: 'string', enum: ['OUT_OF_TEA', 'NOT_FOUND', 'OTHER_PROBLEM'] } }),
      { code: 'OTHER_PROBLEM' },
    ],
    [
      'a member for what the request causes',
      object({ message: text, type: { enum: ['api_error', 'card_error', 'bad_request_error'] } }),
      { message: MESSAGE, type: 'bad_request_error' },
    ],
    [
      'no other record, unless it must',
      {
        ...object({ message: text, order: object({ id: text }), cause: object({ id: text }) }),
        required: ['message', 'cause'],
      },
      { message: MESSAGE, cause: { id: expect.any(String) } },
    ],
    [
      'the closest member of a property with any name',
      object({ message: text, category: { enum: ['network', 'validation', 'server'] } }),
      { message: MESSAGE, category: 'validation' },
    ],
    [
      'a limit of the length',
      object({ message: { type: 'string', maxLength: 12 } }),
      { message: 'Bad Request' },
    ],
    [
      'a pattern',
      object({ code: { type: 'string', pattern: '^[A-Z_]+$' }, message: text }),
      { code: 'INVALID_REQUEST', message: MESSAGE },
    ],
    [
      'a list at the top',
      { type: 'array', items: object({ message: text }) },
      [{ message: MESSAGE }],
    ],
    [
      'a message with its language',
      object({ message: object({ lang: text, value: text }) }),
      { message: { lang: 'en', value: MESSAGE } },
    ],
    [
      'a member that is not about something else',
      object({ message: text, code: { enum: ['prototype_missing', 'error'] } }),
      { message: MESSAGE, code: 'error' },
    ],
    [
      'a code of something else',
      object({ message: text, postalCode: { enum: ['12345'] } }),
      { message: MESSAGE, postalCode: '12345' },
    ],
    ['any object', { type: 'object' }, { code: 'invalid_request', message: MESSAGE, status: 400 }],
    [
      'the form of the sandbox',
      object({ status: integer, code: text, message: text }),
      { code: 'invalid_request', message: MESSAGE, status: 400 },
    ],
    [
      'composed schemas',
      { allOf: [object({ message: text }), object({ code: text })] },
      { message: MESSAGE, code: 'invalid_request' },
    ],
  ])('%s', async (_form, schema, body) => {
    const sandbox = await sandboxWith({ 400: json(schema) })

    const response = await post(sandbox)

    expect(response.status).toBe(400)
    expect(await response.json()).toEqual(body)
  })

  it('has the address, the time and the id of the request', async () => {
    const form = object({
      timestamp: { type: 'string', format: 'date-time' },
      path: text,
      requestId: text,
    })
    const sandbox = await sandboxWith({ 400: json(form) })
    sandbox.clock.set('2030-12-05T00:00:00Z')

    const response = await post(sandbox, { 'X-Request-Id': 'one' })

    expect(await response.json()).toEqual({
      timestamp: '2030-12-05T00:00:00.000Z',
      path: '/api/teas',
      requestId: 'one',
    })
  })

  it('lists every error of the input', async () => {
    const item = object({ in: text, name: text, message: text })
    const sandbox = await sandboxWith({
      400: json(object({ errors: { type: 'array', items: item } })),
    })

    const response = await post(sandbox, {}, '/teas?limit=x')

    expect(await response.json()).toEqual({
      errors: [{ in: 'query', name: 'limit', message: 'query.limit must be integer' }],
    })
  })
})

describe('an error has the media type of the document', () => {
  it('is problem details with RFC 9457', async () => {
    const schema = object({
      type: text,
      title: text,
      status: integer,
      detail: text,
      instance: text,
    })
    const sandbox = await sandboxWith({
      400: { description: '', content: { 'application/problem+json': { schema } } },
    })

    const response = await post(sandbox)

    expect(response.headers.get('Content-Type')).toBe('application/problem+json')
    expect(await response.json()).toEqual({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      detail: MESSAGE,
      instance: '/api/teas',
    })
  })
})

it('a client can choose between media types', async () => {
  const content = {
    'text/plain': { schema: text },
    'application/json': { schema: object({ message: text }) },
  }
  const sandbox = await sandboxWith({ 400: { description: '', content } })

  const [usual, plain] = await Promise.all([post(sandbox), post(sandbox, { Accept: 'text/*' })])

  expect(usual.headers.get('Content-Type')).toBe('application/json')
  expect(plain.headers.get('Content-Type')).toBe('text/plain; charset=utf-8')
  expect(await plain.text()).toBe(MESSAGE)
})

describe('invalid input has the status of the document', () => {
  const form = json(object({ message: text }))

  it.each<[responses: Responses, status: number]>([
    [{ 400: form, 422: form }, 400],
    [{ 422: form }, 422],
    [{ '4XX': form }, 400],
    [{ default: form }, 400],
    [{ 404: form }, 400],
    [{ 409: form }, 409],
    [{ 409: form, default: form }, 400],
  ])('%j: %s', async (responses, status) => {
    const sandbox = await sandboxWith(responses)

    const response = await post(sandbox)

    expect(response.status).toBe(status)
    expect(await response.json()).toEqual({ message: MESSAGE })
    expect(response.headers.get('X-Sandbox-Reason')).toBe('invalid-request')
    expect(sandbox.journal.exchanges[0]).toMatchObject({
      status,
      refusal: { code: 'invalid_request', errors: [{ location: 'body.grams' }] },
    })
  })
})

describe('errors that the document does not describe have the form of its other errors', () => {
  it.each([
    ['an unknown path', 'POST', '/coffees', 404],
    ['an unknown method', 'DELETE', '/teas', 405],
    ['a forced quota', 'POST', '/teas', 429],
  ])('%s', async (_case, method, path, status) => {
    const sandbox = await sandboxWith({ 400: json(object({ fault: text, message: text })) })
    if (status === 429) sandbox.force('rate-limited')

    const response = await sandbox.fetch(new Request(`http://localhost/api${path}`, { method }))

    expect(response.status).toBe(status)
    expect(Object.keys(Object(await response.json())).sort()).toEqual(['fault', 'message'])
  })
})

it('a form that no value satisfies is filled and reported', async () => {
  const one = object({ message: text, error: { type: 'string' } })
  const sandbox = await sandboxWith({ 400: json({ oneOf: [one, one] }) })

  const response = await post(sandbox)

  expect(await response.json()).toEqual({ message: MESSAGE, error: 'Bad Request' })
})

it('a success that is documented as default is no form of an error', async () => {
  const file = join(directory(), 'default.json')
  const operation = { responses: { default: json(object({ price: integer })) } }
  const document = {
    openapi: '3.1.0',
    info: { title: 'Teas', version: '1' },
    paths: { '/teas': { get: operation } },
  }
  await writeFile(file, JSON.stringify(document))
  const sandbox = createSandbox({ contract: await loadContract(file) })

  const response = await sandbox.fetch(new Request('http://localhost/coffees'))

  expect(await response.json()).toMatchObject({ code: 'not_found', status: 404 })
})

it.each<[what: string, schema: object, shown: object]>([
  [
    'a success, and not of an error',
    { type: 'object', properties: { price: integer } },
    { code: 'invalid_request', status: 400 },
  ],
  ['an error where it has a word for what went wrong', object({ error: text }), { error: MESSAGE }],
  [
    'an error where another body would not be as documented',
    object({ price: integer }),
    { price: expect.any(Number) },
  ],
  [
    'an error where its properties have other types',
    { type: 'object', properties: { status: text } },
    { status: expect.any(String) },
  ],
])('the only response, documented as default, is the form of %s', async (_, schema, shown) => {
  const sandbox = await sandboxWith({ 201: undefined, default: json(schema) })

  expect(await (await post(sandbox)).json()).toMatchObject(shown)
})

it('a value that another record has gets the code for that, and not that of another conflict', () => {
  const facts = factsOf(new Problem(422, 'conflict', 'Taken.', {}, { conflict: 'body.id' }), 0)
  const members = ['validation', 'version_conflict', 'duplicate_id']
  const none = { value: '', parent: {}, parentName: '', isItem: false }
  const code = { ...none, name: 'code', members, format: undefined, maxLength: undefined }

  expect(knownValues({ ...code, item: undefined }, facts)).toEqual(['duplicate_id'])
})

it('an address outside the API and a request that cannot be read have the form, too', async () => {
  const sandbox = await sandboxWith({
    default: json(object({ reasons: { type: 'array', items: text } })),
  })

  const outside = await sandbox.fetch(new Request('http://localhost/teas'))
  const unread = await routerOf(sandbox).rejectUnparsed(problems.requestTimeout('Too late.'))

  expect(await outside.json()).toEqual({ reasons: [expect.stringContaining('nothing at /teas')] })
  expect(unread).toMatchObject({ status: 408, body: '{"reasons":["Too late."]}' })
})

describe('a documented example of an error', () => {
  const schema = object({ message: text, help: text })

  it('keeps what is not known', async () => {
    const example = { message: 'A message.', help: 'https://example.com/teas' }
    const sandbox = await sandboxWith({ 400: json(schema, { example }) })

    const response = await post(sandbox)

    expect(await response.json()).toEqual({ message: MESSAGE, help: 'https://example.com/teas' })
  })

  it('is ignored when its schema forbids it', async () => {
    const sandbox = await sandboxWith({ 400: json(schema, { example: { message: 5 } }) })

    const response = await post(sandbox)

    expect(await response.json()).toEqual({ message: MESSAGE, help: expect.any(String) })
  })

  it('is the answer to Prefer: code, because nothing more is known', async () => {
    const example = { message: 'I am a teapot.', help: 'Use a kettle.' }
    const sandbox = await sandboxWith({ 418: json(schema, { example }) })

    const response = await post(sandbox, { Prefer: 'code=418' })

    expect(response.status).toBe(418)
    expect(await response.json()).toEqual(example)
  })
})

it('Prefer: example gives a named example of the error', async () => {
  const examples = { first: { value: { message: 'One.' } }, second: { value: { message: 'Two.' } } }
  const sandbox = await sandboxWith({ 404: json(object({ message: text }), { examples }) })

  const response = await post(sandbox, { Prefer: 'code=404, example=second' })

  expect(response.headers.get('Preference-Applied')).toBe('code=404, example=second')
  expect(await response.json()).toEqual({ message: 'Two.' })
})

it('Prefer: dynamic leaves out examples', async () => {
  const schema = object({ message: text, help: { enum: ['a', 'b'] } })
  const example = { message: 'One.', help: 'b' }
  const sandbox = await sandboxWith({ 418: json(schema, { example }) })

  const response = await post(sandbox, { Prefer: 'code=418, dynamic=true' })

  expect(await response.json()).toMatchObject({ message: expect.stringContaining('418') })
})

it('the headers that the document declares for an error are sent', async () => {
  const form = {
    ...json(object({ message: text })),
    headers: { 'X-Help': { schema: { const: 'a' } } },
  }
  const sandbox = await sandboxWith({ 400: form })

  const response = await post(sandbox)

  expect(response.headers.get('X-Help')).toBe('a')
})

describe('Prefer: code gives any documented status', () => {
  const form = json(object({ message: text }))

  it.each<[responses: Responses, code: number]>([
    [{ 418: form }, 418],
    [{ '4XX': form }, 451],
    [{ default: form }, 507],
  ])('%j: %s', async (responses, code) => {
    const sandbox = await sandboxWith(responses)

    const response = await post(sandbox, { Prefer: `code=${code}` })

    expect(response.status).toBe(code)
    expect(response.headers.get('Preference-Applied')).toBe(`code=${code}`)
    expect(response.headers.get('X-Sandbox-Reason')).toBe(`forced:${code}`)
    expect(await response.json()).toEqual({
      message: expect.stringContaining('This is a forced status.'),
    })
    expect(sandbox.journal.exchanges[0]).toMatchObject({
      status: code,
      forced: String(code),
      refusal: { code: 'forced_status' },
    })
  })

  it('gives a documented success, and a redirect', async () => {
    const sandbox = await sandboxWith({
      202: json(object({ job: { const: 'queued' } })),
      303: { description: '', headers: { Location: { schema: text } } },
    })

    const [success, redirect] = await Promise.all(
      [202, 303].map((code) =>
        sandbox.fetch(
          new Request('http://localhost/api/teas', {
            method: 'POST',
            redirect: 'manual',
            headers: { 'Content-Type': 'application/json', Prefer: `code=${code}` },
            body: '{"name":"oolong","grams":5}',
          }),
        ),
      ),
    )

    expect(success?.status).toBe(202)
    expect(success?.headers.get('Preference-Applied')).toBe('code=202')
    expect(await success?.json()).toEqual({ job: 'queued' })
    expect(redirect?.status).toBe(303)
    expect(redirect?.headers.get('Location')).toMatch(/^http/)
  })

  it('is ignored for another status', async () => {
    const sandbox = await sandboxWith({ 400: form })

    const response = await post(sandbox, { Prefer: 'code=418' })

    expect(response.status).toBe(400)
    expect(sandbox.journal.exchanges[0]?.notes).toEqual([
      { kind: 'ignored-preference', place: 'prefer.code=418' },
    ])
  })
})

it('the shipped document has the same errors when it is loaded from its file', async () => {
  const shipped = createSandbox({ seed: 1 })
  const loaded = createSandbox({ contract: await loadContract('openapi.yaml'), seed: 1 })
  // The seconds until a quota is reset are in the text of its error.
  for (const { clock } of [shipped, loaded]) {
    clock.freeze()
    clock.set('2026-03-01T12:00:00Z')
  }
  const requests = [
    ['GET', '/pets', {}],
    ['GET', '/pets/none', { Authorization: 'Bearer sk_sandbox_pro' }],
    ['GET', '/pets?limit=0', { Authorization: 'Bearer sk_sandbox_pro' }],
    ['GET', '/pets', { Authorization: 'Bearer sk_sandbox_rate_limited' }],
    ['GET', '/pets', { Prefer: 'code=500' }],
    ['GET', '/pets', { Prefer: 'code=404' }],
    ['GET', '/nothing', {}],
    ['PUT', '/pets', {}],
  ] as const

  for (const [method, path, headers] of requests) {
    const [one, other] = await Promise.all(
      [shipped, loaded].map((sandbox) =>
        sandbox.fetch(new Request(`http://localhost/v1${path}`, { method, headers })),
      ),
    )

    expect(other?.status).toBe(one?.status)
    expect(other?.headers.get('Content-Type')).toBe(one?.headers.get('Content-Type'))
    expect(await other?.text()).toBe(await one?.text())
  }
})
