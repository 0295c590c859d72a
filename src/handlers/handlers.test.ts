import { once } from 'node:events'
import { createServer, request as requestTo } from 'node:http'
import { text } from 'node:stream/consumers'
import express from 'express'
import { describe, expect, test, vi } from 'vitest'
import { toExpress } from '../express.ts'
import { createSandbox, type Sandbox } from '../index.ts'
import { connectByMsw } from '../testing/connect-by-msw.ts'
import { type DocumentedApi, type OpenedApi, openApi } from '../testing/documented-api.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { objectOf } from '../testing/operation-on.ts'
import { closeServer, serveHttp } from '../testing/servers.ts'
import {
  afterHandlers,
  beforeHandlers,
  defineHandlers,
  type HandlerContext,
  type Handlers,
} from './define-handlers.ts'
import { passthrough } from './passthrough.ts'
import type { HandlerMistake } from './select-handlers.ts'

const ID = { type: 'integer' } as const
const TEXT = { type: 'string' } as const
const NUMBER = { type: 'number' } as const
const ITEM = { ...objectOf({ id: ID, name: TEXT, stock: ID }), required: ['id', 'name', 'stock'] }
const ORDER = { ...objectOf({ id: ID, item: ID, total: NUMBER }), required: ['id'] }
const QUOTE = { ...objectOf({ total: NUMBER }), required: ['total'] }
const SHOP: DocumentedApi = {
  'GET /items': { shown: { type: 'array', items: ITEM } },
  'POST /items': { sent: objectOf({ name: TEXT, stock: ID }), shown: ITEM, status: [201] },
  'GET /items/{id}': { shown: ITEM, status: [200, 404], path: { id: ID } },
  'GET /orders': { shown: { type: 'array', items: ORDER } },
  'POST /orders': {
    sent: { ...objectOf({ item: ID, total: NUMBER }), required: ['item'] },
    shown: ORDER,
    status: [201, 400, 409],
  },
  'GET /orders/{id}': { shown: ORDER, status: [200, 404], path: { id: ID } },
  'POST /orders/{id}/quote': { shown: QUOTE, status: [200, 404], path: { id: ID } },
}
const RECORDS = {
  items: [{ id: 1, name: 'Pen', stock: 2 }],
  orders: [{ id: 1, item: 1, total: 10 }],
}

function open(handlers: Handlers, options: object = {}): Promise<OpenedApi> {
  return openApi(SHOP, { records: RECORDS, handlers, ...options })
}

const buy = defineHandlers({
  'POST /orders': async ({ body, records, next, reply }) => {
    const { item } = Object(body)
    const items = records('items')
    const found = await items.get(item)
    if (!found || Number(found.stock) < 1) return reply(409)
    await items.update(item, { stock: Number(found.stock) - 1 })
    return next()
  },
})

describe('a handler', () => {
  test('answers its operation, by what the request and the records say', async () => {
    const { ask, sandbox } = await open({
      'POST /orders/{id}/quote': async ({ params, records, reply }) => {
        const order = await records('/orders').get(Number(params.id))
        return reply(200, { total: Number(order?.total) * 2 })
      },
    })

    const { status, body } = await ask('POST /orders/1/quote')

    expect({ status, body }).toEqual({ status: 200, body: { total: 20 } })
    expect(sandbox.journal.exchanges[0]).toMatchObject({ source: 'handler', notes: [] })
  })

  test('gets the answer of the sandbox by next, which sees what the handler has written', async () => {
    const { ask } = await open({
      'GET /items': async ({ records, next }) => {
        await records('items').create({ name: 'Cup', stock: 5 })
        return next()
      },
    })

    const { body } = await ask<readonly object[]>('GET /items')

    expect(body).toEqual([
      { id: 1, name: 'Pen', stock: 2 },
      { id: 2, name: 'Cup', stock: 5 },
    ])
  })

  test('that returns what next answers changes nothing of the response', async () => {
    const plain = await openApi(SHOP, { records: RECORDS })
    const { ask, sandbox } = await open(
      Object.fromEntries(
        Object.keys(SHOP).map((name) => [name, ({ next }: HandlerContext) => next()]),
      ),
    )

    // Both have the same date.
    for (const one of [plain.sandbox, sandbox]) one.clock.set('2027-03-01T12:00:00Z')
    for (const target of ['GET /items', 'GET /items/1', 'GET /items/9', 'GET /orders/1']) {
      const [own, other] = [await ask(target), await plain.ask(target)]
      expect([own.status, own.body, ...own.headers]).toEqual([
        other.status,
        other.body,
        ...other.headers,
      ])
    }
    expect(sandbox.journal.exchanges[2]).toMatchObject({ refusal: { code: 'not_found' } })
  })

  test('changes the answer of next', async () => {
    const { ask } = await open({
      'GET /items/{id}': async ({ next, reply }) => {
        const { status, body } = await next()
        return reply(status, { ...Object(body), name: 'Changed' })
      },
    })

    expect((await ask('GET /items/1')).body).toEqual({ id: 1, name: 'Changed', stock: 2 })
  })

  test('returns a web Response, which others get as an answer', async () => {
    const seen: unknown[] = []
    const { ask, sandbox } = await open([
      {
        'GET /items': () =>
          Response.json([{ id: 7, name: 'Cap', stock: 1 }], { headers: { 'x-total': '1' } }),
      },
      afterHandlers((_, answer) => void seen.push(answer.body)),
    ])

    const { status, body, headers } = await ask('GET /items')

    expect({ status, body }).toEqual({ status: 200, body: [{ id: 7, name: 'Cap', stock: 1 }] })
    expect(headers.get('x-total')).toBe('1')
    expect(seen).toEqual([body])
    expect(sandbox.journal.exchanges[0]).toMatchObject({ source: 'handler', notes: [] })
  })

  test('fails when it returns a web Response without an end, whose rest is cancelled', async () => {
    const cancel = vi.fn()
    const part = new Uint8Array(2 ** 20)
    const mistakes: HandlerMistake[] = []
    const { ask } = await open(
      {
        'GET /items': () =>
          new Response(new ReadableStream({ pull: (sink) => sink.enqueue(part), cancel })),
      },
      { onHandlerMistake: (mistake: HandlerMistake) => void mistakes.push(mistake) },
    )

    expect((await ask('GET /items')).status).toBe(500)
    expect(mistakes[0]?.message).toContain('The body of its Response has more than 64 MiB.')
    expect(cancel).toHaveBeenCalled()
  })

  test('fails when the body of its web Response does not end in time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const cancel = vi.fn()
    const handlers = { 'GET /items': () => new Response(new ReadableStream({ cancel })) }
    try {
      const { ask } = await open(handlers, { onHandlerMistake: () => undefined })
      const answered = ask('GET /items')
      await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0), 20_000)
      await vi.advanceTimersByTimeAsync(5000)

      expect((await answered).body).toMatchObject({
        message: expect.stringContaining('The body of its Response did not end within 5 seconds.'),
      })
      expect(cancel).toHaveBeenCalled()
    } finally {
      vi.useRealTimers()
    }
  })

  test('answers an error without a body in the form of the document', async () => {
    const { ask } = await open(buy)

    await ask('POST /orders', { item: 1 })
    await ask('POST /orders', { item: 1 })
    const { status, body } = await ask('POST /orders', { item: 1 })

    expect(status).toBe(409)
    expect(body).toMatchObject({ code: 'conflict', status: 409 })
    expect((await ask('GET /items/1')).body).toMatchObject({ stock: 0 })
  })

  test('runs after the checks of the request, and after forced outcomes', async () => {
    const calls: string[] = []
    const { ask, sandbox } = await open({
      'POST /orders': ({ next }) => {
        calls.push('called')
        return next()
      },
    })
    sandbox.force('server-error', { times: 1 })

    expect((await ask('POST /orders', { item: 1 })).status).toBe(500)
    expect((await ask('POST /orders', {})).status).toBe(400)
    expect(calls).toEqual([])
  })

  test('has the clock of the sandbox, the same random numbers in each sandbox, and the caller', async () => {
    const seen: unknown[] = []
    const handlers: Handlers = {
      'GET /items': ({ clock, random, caller, headers, next }) => {
        seen.push([clock.date().toISOString(), random.integer(1, 1e9), caller.key, headers.accept])
        return next()
      },
    }
    for (const { sandbox, ask } of [await open(handlers), await open(handlers)]) {
      sandbox.clock.set('2030-01-01T00:00:00Z')
      await ask('GET /items')
    }

    expect(seen[0]).toEqual(['2030-01-01T00:00:00.000Z', expect.any(Number), 'valid', undefined])
    expect(seen[1]).toEqual(seen[0])
  })

  test('delays the answer', async () => {
    const { ask } = await open({
      'GET /items': async ({ next, reply }) => reply.after('30ms', await next()),
      'GET /orders': ({ reply }) => reply.after(30)(200, []),
    })
    for (const target of ['GET /items', 'GET /orders']) {
      const start = performance.now()
      expect((await ask(target)).status).toBe(200)
      expect(performance.now() - start).toBeGreaterThan(25)
    }
  })

  test('forces outcomes and has effects when its request is committed', async () => {
    const effects: string[] = []
    const { ask } = await open({
      'POST /orders': async ({ next, force, afterCommit }) => {
        force('unavailable', { operation: 'GET /items', times: 1 })
        afterCommit(() => effects.push('mail'))
        const answer = await next()
        effects.push('answered')
        return answer
      },
    })

    await ask('POST /orders', { item: 1 })

    expect(effects).toEqual(['answered', 'mail'])
    expect((await ask('GET /items')).status).toBe(503)
    expect((await ask('GET /items')).status).toBe(200)
  })
})

test('passthrough names the address that it cannot reach, and refuses one that is none', async () => {
  const mistakes: HandlerMistake[] = []
  const handlers = { 'POST /orders': passthrough('http://127.0.0.1:9') }
  const onHandlerMistake = (mistake: HandlerMistake): unknown => mistakes.push(mistake)
  const { ask } = await open(handlers, { onHandlerMistake })

  expect((await ask('POST /orders', { item: 3 })).status).toBe(500)
  expect(mistakes[0]?.message).toMatch(/failed\. http:\/\/127\.0\.0\.1:9 cannot be reached: \S/)
  expect(() => passthrough('api.example.com')).toThrow('is no http or https address')
})

test('passthrough sends a request to another service, and answers what that one answers', async () => {
  const other = createServer(async (request, response) => {
    const sent = await text(request)
    response.setHeader('Content-Type', 'application/json')
    response.statusCode = 201
    response.end(JSON.stringify({ id: 7, item: JSON.parse(sent).item }))
  })
  await once(other.listen(0, '127.0.0.1'), 'listening')
  const { port } = Object(other.address())
  const { ask } = await open({ 'POST /orders': passthrough(`http://127.0.0.1:${port}`) })

  const { status, body } = await ask('POST /orders', { item: 3 })
  other.close()

  expect({ status, body }).toEqual({ status: 201, body: { id: 7, item: 3 } })
  expect((await ask('GET /orders/7')).status).toBe(404)
})

test('passthrough changes neither forms, nor files, nor redirections', async () => {
  const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0xff, 0)
  const sent: string[] = []
  const other = createServer(async (request, response) => {
    sent.push(await text(request))
    if (request.url === '/pictures/old')
      response.writeHead(302, { Location: '/pictures/new' }).end()
    else response.writeHead(200, { 'Content-Type': 'image/png' }).end(png)
  })
  await once(other.listen(0, '127.0.0.1'), 'listening')
  const forward = passthrough(`http://127.0.0.1:${Object(other.address()).port}/`)
  const form = { schema: objectOf({ of: TEXT }) }
  const contract = await loadDocumentOf({
    '/pictures/{name}': {
      parameters: [{ name: 'name', in: 'path', required: true, schema: TEXT }],
      post: {
        operationId: 'draw',
        requestBody: { content: { 'application/x-www-form-urlencoded': form } },
        responses: {
          200: { description: '', content: { 'image/png': {} } },
          302: { description: '' },
        },
      },
    },
  })
  const sandbox = createSandbox({ contract, handlers: { draw: forward } })
  const draw = (name: string) =>
    sandbox.fetch(
      new Request(`http://localhost${contract.basePath}/pictures/${name}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: 'of=a+cat&size=9',
        redirect: 'manual',
      }),
    )

  const [drawn, moved] = [await draw('new'), await draw('old')]
  other.close()

  expect(sent).toEqual(['of=a+cat&size=9', 'of=a+cat&size=9'])
  expect(new Uint8Array(await drawn.arrayBuffer())).toEqual(png)
  expect([moved.status, moved.headers.get('Location')]).toEqual([302, '/pictures/new'])
})

test('several cookies of a handler, or of another service, are sent as headers of their own', async () => {
  const cookies = ['session=s3cret; Path=/; HttpOnly', 'theme=dark; Path=/']
  const other = createServer((request, response) => {
    request.resume()
    response.writeHead(201, { 'Content-Type': 'application/json', 'Set-Cookie': cookies })
    response.end('{"id":7,"item":3}')
  })
  await once(other.listen(0, '127.0.0.1'), 'listening')
  const { sandbox } = await open({
    'POST /orders': passthrough(`http://127.0.0.1:${Object(other.address()).port}`),
    'GET /orders': ({ reply }) => reply(200, [], { 'Set-Cookie': cookies }),
  })
  const { app, close } = await serveExpress(sandbox)
  const body = JSON.stringify({ item: 3 })
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body }

  const answers = [
    await fetch(`${app}/orders`, init),
    await sandbox.fetch(new Request('http://localhost/orders', init)),
    await fetch(`${app}/orders`),
  ]
  await close()
  other.close()

  for (const { headers } of answers) expect(headers.getSetCookie()).toEqual(cookies)
  const { response } = sandbox.journal.exchanges[0] ?? {}
  expect(response?.headers.filter(([name]) => name === 'Set-Cookie')).toEqual(
    cookies.map((cookie) => ['Set-Cookie', cookie]),
  )
})

test('passthrough sends what a client sends that waits for 100 Continue, and each header once', async () => {
  const other = createServer(async (request, response) => {
    const { item } = JSON.parse(await text(request))
    response.writeHead(201, {
      'content-type': 'application/json',
      'access-control-allow-origin': 'https://shop.example',
      vary: 'accept',
    })
    response.end(JSON.stringify({ id: 7, item }))
  })
  await once(other.listen(0, '127.0.0.1'), 'listening')
  const handlers = {
    'POST /orders': passthrough(`http://127.0.0.1:${Object(other.address()).port}`),
  }
  const { sandbox } = await open(handlers)
  const { app, close } = await serveExpress(sandbox)

  const asked = requestTo(`${app}/orders`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Expect: '100-continue' },
  })
  asked.on('continue', () => asked.end('{"item":3}'))
  const [response] = await once(asked, 'response')
  const body = await text(response)
  await close()
  other.close()

  const names = response.rawHeaders.filter((_: string, at: number) => at % 2 === 0)
  const lower = names.map((name: string) => name.toLowerCase())
  expect({ status: response.statusCode, body }).toEqual({ status: 201, body: '{"id":7,"item":3}' })
  expect(new Set(lower).size).toBe(lower.length)
  expect(response.headers).toMatchObject({
    'content-type': 'application/json',
    'access-control-allow-origin': '*',
  })
})

test('a header that a handler writes in lower case is sent once', async () => {
  const { sandbox } = await open({
    'POST /orders': ({ reply }) =>
      reply(201, { id: 7 }, { 'content-type': 'application/json; charset=utf-8', 'x-own': 'yes' }),
  })

  const response = await sandbox.fetch(
    new Request('http://localhost/orders', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"item":1}',
    }),
  )

  expect(response.headers.get('Content-Type')).toBe('application/json; charset=utf-8')
  expect(response.headers.get('X-Own')).toBe('yes')
})

describe('what a handler writes', () => {
  test('is undone when the changes cannot be saved', async () => {
    const effects: string[] = []
    const { ask, sandbox } = await open({
      'GET /items': async ({ records, next, afterCommit, force }) => {
        afterCommit(() => effects.push('mail'))
        force({ status: 503 })
        force({ status: 409 })
        await records('items').update(1, { stock: 9 })
        await records('orders').create({ item: 1 })
        return next()
      },
    })
    const request = {
      method: 'GET',
      base: 'http://localhost',
      path: '/items',
      query: '',
      header: () => undefined,
      headers: () => [],
      body: async () => undefined,
      saveChanges: () => Promise.reject(new Error('The disk is full.')),
    }

    await expect(sandbox.answer(request)).rejects.toThrow('The disk is full.')

    expect(effects).toEqual([])
    expect(sandbox.forced()).toEqual([])
    expect(sandbox.force({ status: 418, times: 1, operation: 'POST /orders' }).id).toBe(1)
    expect((await ask('GET /items/1')).body).toMatchObject({ stock: 2 })
    expect((await ask<readonly object[]>('GET /orders')).body).toHaveLength(1)
  })

  test('is undone as a whole when it throws, and the response is a 500', async () => {
    const mistakes: HandlerMistake[] = []
    const { ask } = await open(
      {
        'POST /orders': async ({ records, next, afterCommit }) => {
          afterCommit(() => mistakes.splice(0))
          await records('items').update(1, { stock: 0 })
          await records('items').create({ name: 'Cup', stock: 1 })
          await next()
          throw new Error('no paper')
        },
      },
      { onHandlerMistake: (mistake: HandlerMistake) => mistakes.push(mistake) },
    )
    const before = await ask('GET /items')

    const { status, body } = await ask('POST /orders', { item: 1 })

    expect(status).toBe(500)
    expect(body).toMatchObject({
      code: 'internal_error',
      message: 'The handler of POST /orders failed. no paper',
    })
    expect(JSON.stringify(body)).not.toContain('handlers.test')
    expect((await ask('GET /items')).body).toEqual(before.body)
    expect((await ask<readonly object[]>('GET /orders')).body).toHaveLength(1)
    expect((await ask('POST /items', { name: 'Cap', stock: 1 })).body).toMatchObject({ id: 2 })
    expect(mistakes).toMatchObject([{ kind: 'error', operation: 'POST /orders' }])
  })

  test('is not seen by others before it answers', async () => {
    let goOn = (): void => undefined
    const waiting = new Promise<void>((resolve) => {
      goOn = resolve
    })
    let isWritten = (): void => undefined
    const written = new Promise<void>((resolve) => {
      isWritten = resolve
    })
    const { ask } = await open({
      'POST /orders': async ({ records, next }) => {
        await records('items').update(1, { stock: 0 })
        isWritten()
        await waiting
        return next()
      },
    })

    const ordered = ask('POST /orders', { item: 1 })
    await written
    const during = await ask('GET /items/1')
    goOn()
    await ordered

    expect(during.body).toMatchObject({ stock: 2 })
    expect((await ask('GET /items/1')).body).toMatchObject({ stock: 0 })
  })

  test('is decided again when others have changed what it depends on', async () => {
    const { ask } = await open(buy, {
      records: { items: [{ id: 1, name: 'Pen', stock: 5 }], orders: [] },
    })

    const answers = await Promise.all(
      Array.from({ length: 12 }, () => ask('POST /orders', { item: 1 })),
    )

    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(5).fill(201), ...Array(7).fill(409)])
    expect((await ask('GET /items/1')).body).toMatchObject({ stock: 0 })
    expect((await ask<readonly object[]>('GET /orders')).body).toHaveLength(5)
  })

  test('is kept in collections that start with generated records, and in those below records', async () => {
    const { ask } = await openApi(
      {
        ...SHOP,
        'GET /items/{id}/notes': { shown: { type: 'array', items: ORDER }, path: { id: ID } },
        'POST /items/{id}/notes': {
          sent: objectOf({ total: NUMBER }),
          shown: ORDER,
          status: [201],
          path: { id: ID },
        },
      },
      {
        handlers: {
          'POST /items': async ({ records, next }) => {
            await records('items').update(1, { name: 'Pen' })
            await records('items/1/notes').create({ total: 7 })
            return next()
          },
        },
      },
    )
    const before = await ask<readonly object[]>('GET /items/1/notes')
    await ask('GET /items/1/notes')

    const created = await ask('POST /items', { name: 'Cup', stock: 1 })
    await ask('POST /items', { name: 'Cap', stock: 1 })

    const notes = await ask<readonly object[]>('GET /items/1/notes')
    expect(notes.body.slice(-2)).toMatchObject([{ total: 7 }, { total: 7 }])
    expect(notes.body).toHaveLength(before.body.length + 2)
    expect((await ask('GET /items/1')).body).toMatchObject({ name: 'Pen' })
    expect((await ask(`GET /items/${created.body.id}`)).body).toEqual(created.body)
  })

  test('follows the rules of the API', async () => {
    const mistakes: HandlerMistake[] = []
    const { ask } = await open(
      {
        'GET /items': async ({ records, next }) => {
          await records('items').create({ name: 7 })
          return next()
        },
        'GET /orders': ({ records, next }) => {
          records('itms')
          return next()
        },
      },
      { onHandlerMistake: (mistake: HandlerMistake) => mistakes.push(mistake) },
    )

    expect((await ask('GET /items')).status).toBe(500)
    expect((await ask('GET /orders')).status).toBe(500)
    expect(mistakes.map(({ message }) => message)).toEqual([
      expect.stringContaining('name must be string'),
      expect.stringContaining('unknown collection "itms"'),
    ])
  })

  test('belongs to the request although nobody waits for it', async () => {
    const { ask } = await open({
      'GET /orders': ({ records, next }) => {
        void records('items').update(1, { stock: 7 })
        return next()
      },
    })

    await ask('GET /orders')

    expect((await ask('GET /items/1')).body).toMatchObject({ stock: 7 })
  })
})

describe('a mistake of a handler', () => {
  test('in its answer rejects in a test, and changes nothing', async () => {
    const { ask } = await open({
      'POST /orders/{id}/quote': async ({ records, reply }) => {
        await records('items').update(1, { stock: 9 })
        return reply(200, { total: 'much' })
      },
    })

    await expect(ask('POST /orders/1/quote')).rejects.toThrow(
      'Cannot use the answer of the handler of POST /orders/{id}/quote: response 200: body.total must be number',
    )
    expect((await ask('GET /items/1')).body).toMatchObject({ stock: 2 })
  })

  test('in its answer is a note where somebody is told', async () => {
    const mistakes: HandlerMistake[] = []
    const { sandbox } = await open(
      { 'POST /orders/{id}/quote': ({ reply }) => reply(418) },
      { onHandlerMistake: (mistake: HandlerMistake) => mistakes.push(mistake) },
    )

    const response = await sandbox.fetch(
      new Request('http://localhost/orders/1/quote', { method: 'POST' }),
    )

    expect(response.status).toBe(418)
    expect(mistakes).toMatchObject([{ kind: 'invalid-answer' }])
    expect(sandbox.journal.exchanges[0]?.notes).toEqual([
      { kind: 'invalid-answer', place: 'the document has no response 418' },
    ])
  })

  test.each([
    ['no answer', () => Reflect.get({}, 'none'), 'what reply() or next() returns (got undefined)'],
    ['another value', () => Object({ total: 1 }), 'what reply() or next() returns'],
    [
      'next twice',
      async ({ next }: HandlerContext) => {
        await next()
        return next()
      },
      'next() was called twice',
    ],
  ])('%s is a 500 that says so', async (_, handler, message) => {
    const told = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { ask } = await open({ 'GET /items': handler })

    const { status, body } = await ask('GET /items')

    expect(status).toBe(500)
    expect(body).toMatchObject({ message: expect.stringContaining(message) })
    expect(told).toHaveBeenCalledOnce()
    told.mockRestore()
  })

  test('what reads the answer of another handler does not get what is no answer', async () => {
    const messages: string[] = []
    const onHandlerMistake = ({ message }: HandlerMistake): number => messages.push(message)
    const none = { 'GET /items': () => Reflect.get({}, 'none') }
    const after = afterHandlers((_, answer) => ({ ...answer, status: answer.status }))
    const hooked = await open([none, after], { onHandlerMistake })
    const replaced = await open(none, { onHandlerMistake })
    replaced.sandbox.use({
      'GET /items': async ({ next, reply }) => reply((await next()).status, []),
    })

    const statuses = [await hooked.ask('GET /items'), await replaced.ask('GET /items')]

    expect(statuses).toMatchObject([{ status: 500 }, { status: 500 }])
    expect(messages).toEqual(
      Array(2).fill(
        'The handler of GET /items failed. It must return what reply() or next() returns (got undefined).',
      ),
    )
  })

  test('several mistakes of a record are one line of the answer', async () => {
    const { ask } = await open(
      {
        'GET /items': async ({ records, reply }) => {
          await records('items').create(Object({ nme: 'Cup', stock: 'x' }))
          return reply(200, [])
        },
      },
      { onHandlerMistake: () => undefined },
    )

    const { body } = await ask('GET /items')

    expect(body).toMatchObject({
      message: expect.stringMatching(/failed\. Cannot change items: 2 mistakes\. unknown property/),
    })
  })

  test('a promise that never settles ends the handler in front of it, too', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { ask, sandbox } = await open(
      { 'GET /orders': () => new Promise(() => undefined) },
      { onHandlerMistake: () => undefined },
    )
    sandbox.use({ 'GET /orders': ({ next }) => next() })
    try {
      const answered = ask('GET /orders')
      await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0), 20_000)
      await vi.advanceTimersByTimeAsync(5000)

      expect((await answered).status).toBe(500)
    } finally {
      vi.useRealTimers()
    }
  })

  test('a promise that never settles is a 500 after five seconds, and a late result commits nothing', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const late: unknown[] = []
    let goOn = (): void => undefined
    const { ask } = await open(
      {
        'POST /orders': async ({ records, next, signal }) => {
          await records('items').update(1, { stock: 0 })
          await new Promise<void>((resolve) => {
            goOn = resolve
          })
          late.push(signal.aborted, await records('items').get(1).catch(String))
          return next()
        },
      },
      { onHandlerMistake: () => undefined },
    )
    try {
      const answered = ask('POST /orders', { item: 1 })
      await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0), 20_000)
      await vi.advanceTimersByTimeAsync(5000)
      const { status, body } = await answered
      goOn()

      expect(status).toBe(500)
      expect(body).toMatchObject({ message: expect.stringContaining('within 5 seconds') })
    } finally {
      vi.useRealTimers()
    }
    expect((await ask('GET /items/1')).body).toMatchObject({ stock: 2 })
    expect((await ask<readonly object[]>('GET /orders')).body).toHaveLength(1)
  })

  test.each([
    [
      'an unknown operation',
      { 'POST /order': () => ({ status: 200 }) },
      /Did you mean "POST \/orders"\?/,
    ],
    ['no function', { 'POST /orders': 7 }, /POST \/orders must be a function \(got 7\)/],
    ['no handlers', [7], /must be an object of functions/],
  ])('%s throws a UsageError when the sandbox is created', async (_, handlers, message) => {
    await expect(open(Object(handlers))).rejects.toThrow(message)
  })
})

describe('handlers for all operations', () => {
  test('run before and after the others', async () => {
    const { ask } = await open([
      beforeHandlers(({ headers, operation, reply }) =>
        operation.path === '/orders' && headers.accept === undefined ? reply(409) : undefined,
      ),
      afterHandlers(({ reply }, answer) => reply(answer.status, answer.body, { 'X-Shop': 'open' })),
    ])

    expect((await ask('POST /orders', { item: 1 })).status).toBe(409)
    expect((await ask('GET /items')).headers.get('x-shop')).toBe('open')
  })

  test('can be those of one tag', async () => {
    const responses = { 200: { description: 'OK' }, 409: { description: 'Conflict' } }
    const contract = await loadDocumentOf({
      '/open': { get: { responses } },
      '/closed': { get: { tags: ['closed'], responses } },
    })
    const closed = beforeHandlers(({ reply }) => reply(409), { tags: ['closed'] })
    const sandbox = createSandbox({ contract, handlers: [closed] })
    const statusOf = async (path: string): Promise<number> =>
      (await sandbox.fetch(new Request(`http://localhost${path}`))).status

    expect([await statusOf('/open'), await statusOf('/closed')]).toEqual([200, 409])
    expect(() => sandbox.use(afterHandlers(() => undefined, { tags: ['closd'] }))).toThrow(
      'Cannot use the handlers: unknown tag "closd". Did you mean "closed"?',
    )
  })
})

test('a handler answers in process, in Express and by MSW alike', async () => {
  const { sandbox } = await open(buy)
  const order = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"item":1}',
  }
  const { stop } = connectByMsw(sandbox, 'http://shop.test')
  const byMsw = await fetch('http://shop.test/orders', order)
  stop()
  const { app, close } = await serveExpress(sandbox)
  const byExpress = await fetch(`${app}/orders`, order)
  await close()
  const inProcess = await sandbox.fetch(new Request('http://localhost/orders', order))

  const responses = [byMsw, byExpress, inProcess]
  expect(responses.map(({ status }) => status)).toEqual([201, 201, 409])
  expect(await sandbox.collection('items').get(1)).toMatchObject({ stock: 0 })
})

async function serveExpress(
  sandbox: Sandbox,
): Promise<{ readonly app: string; readonly close: () => Promise<void> }> {
  const listening = await serveHttp(express().use(toExpress(sandbox)))
  return { app: listening.origin, close: () => closeServer(listening) }
}

describe('a scheduled change', () => {
  const later = { resources: { '/items': { later: true } } }
  const restock = (change: object = {}): Handlers => ({
    'POST /orders': async ({ schedule, next }) => {
      await schedule('1h', { in: 'items', id: 1, set: { stock: 9 }, from: { stock: 2 }, ...change })
      return next()
    },
  })
  const openLater = (handlers: Handlers): Promise<OpenedApi> =>
    openApi(SHOP, { records: RECORDS, handlers, onHandlerMistake: () => undefined }, later)
  const stockIn = async ({ ask }: OpenedApi): Promise<unknown> =>
    (await ask('GET /items/1')).body.stock

  test('happens when its time has come, also in a snapshot that was restored', async () => {
    const api = await openLater(restock())
    await api.ask('POST /orders', { item: 1 })
    const copy = await openLater(restock())
    await copy.sandbox.restore(await api.sandbox.snapshot())

    for (const one of [api, copy]) {
      one.sandbox.clock.advance('59m')
      expect(await stockIn(one)).toBe(2)
      one.sandbox.clock.advance('1m')
      expect(await stockIn(one)).toBe(9)
    }
  })

  test('does nothing when the record has changed meanwhile', async () => {
    const api = await openLater(restock())
    await api.ask('POST /orders', { item: 1 })
    await api.sandbox.collection('items').update(1, { stock: 1 })

    api.sandbox.clock.advance('1h')

    expect(await stockIn(api)).toBe(1)
  })

  test('never happens before the request', async () => {
    const mistakes: string[] = []
    const { ask } = await openApi(
      SHOP,
      {
        records: RECORDS,
        onHandlerMistake: ({ message }) => mistakes.push(message),
        handlers: {
          'POST /orders': async ({ schedule, next }) => {
            await schedule('-2d', { in: 'items', id: 1, set: { stock: 9 } })
            return next()
          },
          'GET /orders': ({ reply }) => reply.after('-5s')(200, []),
        },
      },
      later,
    )

    expect((await ask('POST /orders', { item: 1 })).status).toBe(500)
    expect((await ask('GET /orders')).status).toBe(500)
    expect(mistakes).toEqual([
      expect.stringContaining('a delay must be at least 0'),
      expect.stringContaining('a delay must be at least 0'),
    ])
  })

  test('is given up with the request', async () => {
    const api = await openLater({
      'POST /orders': async ({ schedule }) => {
        await schedule('1h', { in: 'items', id: 1, set: { stock: 9 } })
        throw new Error('no paper')
      },
    })
    await api.ask('POST /orders', { item: 1 })

    api.sandbox.clock.advance('1h')

    expect(await stockIn(api)).toBe(2)
  })

  test.each<[name: string, change: object, message: string]>([
    ['an unknown record', { id: 7 }, '7'],
    ['an unknown property', { set: { stok: 9 } }, 'Did you mean'],
    ['a value that the property cannot have', { set: { stock: 'many' } }, 'stock must be integer'],
    [
      'a value that the property can never have had',
      { from: { stock: [2, 'few'] } },
      'stock must be integer',
    ],
    ['an unknown collection', { in: 'item' }, 'items'],
    ['a collection without later changes', { in: 'orders', set: {} }, '{ later: true }'],
  ])('of %s fails', async (_name, change, message) => {
    const { ask } = await openLater(restock({ from: undefined, ...change }))

    const { status, body } = await ask('POST /orders', { item: 1 })

    expect(status).toBe(500)
    expect(JSON.stringify(body)).toContain(message)
  })
})

describe('sandbox.use', () => {
  test('replaces a handler until it is undone, or the world is reset', async () => {
    const { ask, sandbox } = await open({ 'GET /orders': ({ reply }) => reply(200, []) })
    const own = (await ask('GET /items')).body

    const undo = sandbox.use({ 'GET /items': ({ reply }) => reply(200, []) })
    sandbox.use({ 'GET /orders': ({ next, reply }) => next().then(() => reply(200, [{ id: 5 }])) })

    expect((await ask('GET /items')).body).toEqual([])
    await sandbox.restore(await sandbox.snapshot())
    expect((await ask('GET /orders')).body).toEqual([{ id: 5 }])
    undo()
    expect((await ask('GET /items')).body).toEqual(own)
    sandbox.reset()
    expect((await ask('GET /orders')).body).toEqual([])
  })
})
