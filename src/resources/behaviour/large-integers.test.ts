import { describe, expect, test } from 'vitest'
import { createControl } from '../../control.ts'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../index.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'

const THING = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'integer', format: 'int64' },
    owner: { type: 'integer', format: 'int64', maximum: 9.1e18 },
    name: { type: 'string' },
    extra: { type: 'object', additionalProperties: true },
  },
}
const ID = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }

/** More than JavaScript holds: it would become 9007199254740992. */
const LARGE = '9007199254740993'
const SENT = `{"id":${LARGE},"owner":-${LARGE},"name":"One","extra":{"deep":[1234567890123456789,1.5]}}`

function content(schema: object): object {
  return { content: { 'application/json': { schema } } }
}

/** A sandbox without records, whose clients choose the ids, which are integers. */
async function openThings(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const thing = { description: 'The thing', ...content(THING) }
  const contract = await loadDocumentOf({
    '/things': {
      get: {
        operationId: 'listThings',
        parameters: [
          { name: 'owner', in: 'query', schema: { type: 'integer' } },
          { name: 'starting_after', in: 'query', schema: { type: 'integer' } },
          { name: 'limit', in: 'query', schema: { type: 'integer' } },
        ],
        responses: {
          '200': {
            description: 'The things',
            headers: { Link: { schema: { type: 'string' } } },
            ...content({ type: 'array', items: THING }),
          },
        },
      },
      post: {
        operationId: 'createThing',
        requestBody: content(THING),
        responses: { '201': thing },
      },
    },
    '/things/{id}': {
      parameters: [ID],
      get: {
        operationId: 'getThing',
        responses: { '200': thing, '404': { description: 'Unknown' } },
      },
      put: {
        operationId: 'replaceThing',
        requestBody: content(THING),
        responses: { '200': thing },
      },
      delete: { operationId: 'removeThing', responses: { '204': { description: 'Removed' } } },
    },
  })
  return createSandbox({ ...options, contract, records: 0 })
}

function request(method: string, path: string, body?: string): Request {
  const headers = { 'Content-Type': 'application/json' }
  return new Request(`http://localhost${path}`, { method, ...(body && { body, headers }) })
}

async function send(
  sandbox: Sandbox,
  method: string,
  path: string,
  body?: string,
): Promise<readonly [status: number, text: string]> {
  const response = await sandbox.fetch(request(method, path, body))
  return [response.status, await response.text()]
}

describe('an integer that JavaScript does not hold exactly', () => {
  test('is stored and shown as it was sent', async () => {
    const sandbox = await openThings()

    const created = await sandbox.fetch(request('POST', '/things', SENT))

    expect(created.status).toBe(201)
    expect(created.headers.get('Location')).toBe(`http://localhost/things/${LARGE}`)
    expect(await created.text()).toBe(SENT)
    expect(await send(sandbox, 'GET', `/things/${LARGE}`)).toEqual([200, SENT])
  })

  test('is shown without values that nobody has sent', async () => {
    const sandbox = await openThings()

    const sent = `{"id":${LARGE}}`

    expect(await send(sandbox, 'POST', '/things', sent)).toEqual([201, sent])
  })

  test('finds its record, and no other', async () => {
    const sandbox = await openThings()
    await send(sandbox, 'POST', '/things', SENT)

    expect(await send(sandbox, 'GET', `/things?owner=-${LARGE}`)).toEqual([200, `[${SENT}]`])
    expect(await send(sandbox, 'GET', '/things?owner=-9007199254740995')).toEqual([200, '[]'])
    expect((await send(sandbox, 'GET', '/things/9007199254740995'))[0]).toBe(404)
    expect((await send(sandbox, 'DELETE', `/things/${LARGE}`))[0]).toBe(204)
    expect((await send(sandbox, 'GET', `/things/${LARGE}`))[0]).toBe(404)
  })

  test('is an id that can be taken, and a value that can be changed', async () => {
    const sandbox = await openThings()
    await send(sandbox, 'POST', '/things', SENT)

    const [status, text] = await send(sandbox, 'POST', '/things', SENT)
    expect(status).toBe(409)
    expect(text).toContain(`a record with the id ${LARGE}.`)
    const changed = `{"id":${LARGE},"owner":${LARGE.replace('9', '8')}0,"name":"Two"}`
    expect(await send(sandbox, 'PUT', `/things/${LARGE}`, changed)).toEqual([
      200,
      expect.stringContaining(`"owner":${LARGE.replace('9', '8')}0,"name":"Two"`),
    ])
  })

  test('is the same after a snapshot as JSON is restored', async () => {
    const sandbox = await openThings()
    await send(sandbox, 'POST', '/things', SENT)
    const snapshot = JSON.stringify(await sandbox.snapshot())

    const restored = await openThings()
    await restored.restore(JSON.parse(snapshot))

    expect(await send(restored, 'GET', `/things/${LARGE}`)).toEqual([200, SENT])
  })

  test('is shown and set by the control interface, and kept by its snapshots', async () => {
    const sandbox = await openThings()
    const control = createControl(sandbox)
    const call = async (method: string, path: string, body?: string): Promise<Response> =>
      control.fetch(request(method, `/__sandbox${path}`, body), { address: '127.0.0.1' })

    const created = await call('POST', '/records/things', SENT)
    expect(created.headers.get('Location')).toBe(`/__sandbox/records/things/${LARGE}`)
    expect(await created.text()).toBe(SENT)
    expect(await (await call('GET', `/records/things/${LARGE}`)).text()).toBe(SENT)
    expect(await send(sandbox, 'GET', `/things/${LARGE}`)).toEqual([200, SENT])
    const snapshot = await (await call('GET', '/snapshot')).text()
    await call('DELETE', `/records/things/${LARGE}`)
    expect((await call('PUT', '/snapshot', snapshot)).status).toBe(204)
    expect(await send(sandbox, 'GET', `/things/${LARGE}`)).toEqual([200, SENT])
  })

  test('goes through code for an operation', async () => {
    const sandbox = await openThings()
    sandbox.use({
      getThing: async ({ params, records, next, reply }) => {
        const answer = await next()
        const [found] = await records('/things').list({ where: { id: params.id } } as never)
        return reply(200, {
          ...Object(answer.body),
          name: String(Object(found).name).toUpperCase(),
        })
      },
    })
    await send(sandbox, 'POST', '/things', SENT)

    expect(await send(sandbox, 'GET', `/things/${LARGE}`)).toEqual([
      200,
      SENT.replace('"One"', '"ONE"'),
    ])
  })

  test('names the page after it', async () => {
    const sandbox = await openThings()
    await send(sandbox, 'POST', '/things', SENT)
    await send(sandbox, 'POST', '/things', SENT.replace(LARGE, '9007199254740995'))

    const page = await sandbox.fetch(request('GET', '/things?limit=1'))
    const [, next = ''] = /<([^>]*)>; rel="next"/.exec(page.headers.get('Link') ?? '') ?? []
    expect(new URL(next).searchParams.get('starting_after')).toBe(LARGE)
    const after = await sandbox.fetch(new Request(next))
    expect(await after.text()).toBe(`[${SENT.replace(LARGE, '9007199254740995')}]`)
  })

  test('is told by events', async () => {
    const bodies: string[] = []
    const deliver = async (sent: Request): Promise<Response> => {
      bodies.push(await sent.text())
      return new Response()
    }
    const sandbox = await openThings({ events: { to: 'http://app.test/hooks', deliver } })

    await send(sandbox, 'POST', '/things', SENT)
    await sandbox.events.settled()

    expect(bodies).toEqual([expect.stringContaining(SENT)])
  })

  test.each([
    ['a text is wanted', '{"id":1,"name":9007199254740993}', 'body.name must be string'],
    ['it is too large', '{"id":1,"owner":9200000000000000001}', 'body.owner must be <= '],
    ['it has more than 64 bits', '{"id":1,"owner":9223372036854775808}', 'would be altered'],
    ['it is no integer', '{"id":1,"owner":9007199254740993.5}', 'would be altered'],
    ['it is beyond all numbers', '{"id":1,"owner":1e999}', 'would be altered'],
  ])('is refused where %s', async (_, body, message) => {
    const [status, text] = await send(await openThings(), 'POST', '/things', body)

    expect(status).toBe(400)
    expect(text).toContain(message)
  })

  test('may be written with an exponent', async () => {
    const [, text] = await send(
      await openThings(),
      'POST',
      '/things',
      '{"id":1.5e18,"owner":-9e18}',
    )

    expect(text).toContain('{"id":1500000000000000000,"owner":-9000000000000000000}')
  })
})

test('a text that looks like a carried integer stays a text', async () => {
  const name = ',"\uDFFF#1'
  const sent = JSON.stringify({ id: 1, name, extra: { '\uDFFF#2': '\\"\uDFFF#3' } })

  const [status, text] = await send(await openThings(), 'POST', '/things', sent)

  expect(status).toBe(201)
  expect(JSON.parse(text)).toEqual(JSON.parse(sent))
})
