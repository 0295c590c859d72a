import { join } from 'node:path'
import express from 'express'
import { beforeAll, expect, test } from 'vitest'
import type { Contract } from '../../contract/contract.ts'
import { loadContract } from '../../document/load-contract.ts'
import { toExpress } from '../../express.ts'
import { createSandbox, type SandboxOptions } from '../../index.ts'
import { connectByMsw } from '../connect-by-msw.ts'
import { findRunStore } from '../redis/run-store.ts'
import type { Fetch } from '../replay.ts'
import { closeServer, serveHttp } from '../servers.ts'
import { openBalancedServers } from '../store-sandbox.ts'
import { EXAMPLES } from './example-code.ts'
import handlers from './examples/shop-handlers.ts'

const ORIGIN = 'https://api.shop.example'

let contract: Contract

beforeAll(async () => {
  contract = await loadContract(join(EXAMPLES, 'shop.yaml'), {
    overlays: [join(EXAMPLES, 'shop-hints.yaml')],
  })
})

function options(): SandboxOptions {
  const products = [
    { id: 1, name: 'Red pen', price: 150, stock: 3 },
    { id: 2, name: 'Blue pen', price: 120, stock: 10 },
  ]
  return { contract, handlers, records: { products } }
}

/** The statuses and bodies of a purchase, with what is refused on its way. */
async function tour(answer: Fetch): Promise<unknown> {
  const answers: unknown[] = []
  const send = async (method: string, path: string, body?: object): Promise<number> => {
    const request = new Request(ORIGIN + path, {
      method,
      headers: { 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const response = await answer(request)
    const { orderedAt: _, ...shown } = await response.json()
    answers.push([method, path, response.status, shown])
    return shown.id
  }
  const cart = `/carts/${await send('POST', '/carts', { coupon: 'HALF' })}`
  await send('POST', `${cart}/lines`, { productId: 1, quantity: 2 })
  await send('POST', `${cart}/lines`, { productId: 9, quantity: 2 })
  await send('POST', `${cart}/lines`, { productId: 1, quantity: 4 })
  await send('GET', cart)
  await send('GET', '/product-search?q=pen')
  const order = `/orders/${await send('POST', `${cart}/checkout`)}`
  await send('POST', `${order}/refunds`, { amount: 500 })
  await send('POST', `${order}/refunds`, { amount: 150 })
  await send('GET', order)
  await send('GET', '/products/1')
  await send('GET', cart)

  return answers
}

test('the shop with its hints and handlers answers alike in process, by HTTP, by MSW and on a store', async () => {
  const inProcess = createSandbox(options())
  const wanted = await tour((request) => inProcess.fetch(request))

  const served = await serveHttp(express().use(toExpress(createSandbox(options()))))
  const byHttp = await tour((request) => fetch(request.url.replace(ORIGIN, served.origin), request))
  await closeServer(served)
  const mocked = createSandbox(options())
  const { stop } = connectByMsw(mocked, ORIGIN)
  const byMsw = await tour((request) => fetch(request))
  stop()

  expect(byHttp).toEqual(wanted)
  expect(byMsw).toEqual(wanted)
  expect(wanted).toMatchObject([
    ['POST', '/carts', 201, { total: 0 }],
    ['POST', expect.any(String), 201, { price: 150, quantity: 2 }],
    ['POST', expect.any(String), 404, { error: 'no_such_product' }],
    ['POST', expect.any(String), 409, { error: 'out_of_stock' }],
    ['GET', expect.any(String), 200, { total: 150 }],
    ['GET', '/product-search?q=pen', 200, { total: 2 }],
    ['POST', expect.any(String), 201, { total: 150, status: 'paid' }],
    ['POST', expect.any(String), 409, { error: 'too_much' }],
    ['POST', expect.any(String), 201, { amount: 150 }],
    ['GET', expect.any(String), 200, { status: 'refunded' }],
    ['GET', '/products/1', 200, { stock: 1 }],
    ['GET', expect.any(String), 404, {}],
  ])
  if (!findRunStore()) return
  const servers = await openBalancedServers({ sandbox: options() })
  const onStore = await tour(servers.fetch)
  await servers.close()
  expect(onStore).toEqual(wanted)
})
