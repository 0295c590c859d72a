import { describe, expectTypeOf, test } from 'vitest'
import {
  createSandbox,
  defineHandlers,
  type HandlerContext,
  type Handlers,
  type SandboxOptions,
} from '../../index.ts'

/** As openapi-typescript writes it. */
interface Order {
  id: number
  lines: { price: number; quantity: number }[]
  note?: string
}
interface paths {
  '/orders': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: operations['listOrders']
    put?: never
    post: operations['createOrder']
  }
  '/orders/{orderId}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get: operations['getOrder']
    put?: never
  }
  '/orders/{orderId}/lines/{line}': { get: operations['getLine'] }
}
interface operations {
  listOrders: {
    parameters: { query?: { limit?: number }; header?: never; path?: never; cookie?: never }
    requestBody?: never
    responses: { 200: { headers: object; content: { 'application/json': Order[] } } }
  }
  createOrder: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    requestBody: { content: { 'application/json': { note: string } } }
    responses: {
      201: { headers: object; content: { 'application/json': Order } }
      409: { headers: object; content: { 'application/json': { message: string } } }
    }
  }
  getOrder: {
    parameters: { query?: never; header?: never; path: { orderId: number }; cookie?: never }
    requestBody?: never
    responses: {
      200: { headers: object; content: { 'application/json': Order } }
      404: { headers: object; content?: never }
    }
  }
  getLine: {
    parameters: { path: { orderId: number; line: number } }
    responses: { 200: { content: { 'application/json': { price: number } } }; default: object }
  }
}

describe('handlers', () => {
  test('have the types of the operations', () => {
    const handlers = defineHandlers<paths, operations>({
      async createOrder({ body, records, reply, next }) {
        expectTypeOf(body).toEqualTypeOf<{ note: string }>()
        const order = await records('/orders').get(1)
        expectTypeOf(order?.lines).toEqualTypeOf<Order['lines'] | undefined>()
        expectTypeOf<Awaited<ReturnType<typeof next>>['body']>().toEqualTypeOf<
          Order | { message: string } | undefined
        >()
        reply(409)
        reply(409, { message: 'again' })
        // @ts-expect-error The document has no such response.
        reply(418)
        // @ts-expect-error The id and the lines are missing.
        reply(201, { note: 'x' })
        // @ts-expect-error A success needs its body.
        reply(201)
        return reply.after('5s')(201, { id: 1, lines: [] })
      },
      'GET /orders/{orderId}': ({ params, query, next }) => {
        expectTypeOf(params.orderId).toEqualTypeOf<number>()
        // @ts-expect-error There are no query parameters.
        void query.limit
        return next()
      },
      'GET /orders': ({ query, body, next }) => {
        expectTypeOf(query.limit).toEqualTypeOf<number | undefined>()
        expectTypeOf(body).toEqualTypeOf<undefined>()
        return next()
      },
      getLine: ({ reply, records }) => {
        void records<{ size: number }>('orders/1/lines')
          .get(1)
          .then((line) => expectTypeOf(line?.size).toEqualTypeOf<number | undefined>())
        return reply(500)
      },
    })

    expectTypeOf(handlers).toExtend<Handlers>()
    expectTypeOf(handlers).toExtend<NonNullable<SandboxOptions['handlers']>>()
    void (() => createSandbox({ handlers }))
  })

  test('must be those of operations that exist', () => {
    // @ts-expect-error Not "createOrders".
    defineHandlers<operations>({ createOrders: ({ next }) => next() })
    // @ts-expect-error There is no PUT.
    defineHandlers<paths>({ 'PUT /orders': ({ next }) => next() })
    defineHandlers<operations>({ createOrder: ({ next }) => next() })
    defineHandlers<paths>({ 'POST /orders': ({ next }) => next() })
  })

  test('need no types', () => {
    defineHandlers({
      anything: ({ body, reply }) => {
        expectTypeOf(body).toEqualTypeOf<unknown>()
        return reply(200, { any: 'value' })
      },
    })
    expectTypeOf<HandlerContext['body']>().toEqualTypeOf<unknown>()
  })
})
