import { defineHandlers, type HandlerContext, type Handlers } from 'pet-sandbox'
import type { Line, Order, operations, Product, Refund } from './shop-api.ts'

type Records = HandlerContext['records']

/** The handlers of the shop: what its document and its hints cannot say about totals, stock and refunds. */
const handlers: Handlers = defineHandlers<operations>({
  async searchProducts({ query, records, reply }) {
    const words = query.q.toLowerCase().split(/\s+/)
    const products = await records<Product>('products').list()
    const hits = products
      .filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)))
      .sort((one, other) => one.price - other.price)
    return reply(200, { total: hits.length, hits })
  },

  async getCart({ params, records, reply, next }) {
    const answer = await next()
    if (answer.status !== 200) return answer
    const cart = Object(answer.body)
    return reply(200, { ...cart, total: await totalOf(params.cartId, records, cart.coupon) })
  },

  async checkOut({ params, records, clock, schedule, reply, afterCommit }) {
    const cart = await records<{ coupon?: string }>('carts').get(params.cartId)
    if (!cart) return reply(404)
    const lines = await records<Line>(`carts/${params.cartId}/lines`).list()
    if (lines.length === 0) return reply(409, { error: 'empty_cart' })
    const total = await totalOf(params.cartId, records, cart.coupon)
    const products = records<Product>('products')
    const wanted = new Map<number, number>()
    for (const { productId, quantity } of lines)
      wanted.set(productId, quantity + (wanted.get(productId) ?? 0))
    for (const [id, quantity] of wanted) {
      if (((await products.get(id))?.stock ?? 0) < quantity)
        return reply(409, { error: 'out_of_stock' })
    }
    for (const [id, quantity] of wanted) {
      const { stock = 0 } = (await products.get(id)) ?? {}
      await products.update(id, { stock: stock - quantity })
    }
    const order = await records<Order>('orders').create({
      total,
      status: 'paid',
      orderedAt: clock.date().toISOString(),
    })
    const shipped = { set: { status: 'shipped' }, from: { status: 'paid' } }
    await schedule('2d', { in: 'orders', id: order.id, ...shipped })
    await records('carts').remove(params.cartId)
    afterCommit(() => sentMails.push(`order ${order.id}`))
    return reply(201, order)
  },

  async refund({ params, body, records, reply, next }) {
    const order = await records<Order>('orders').get(params.orderId)
    if (!order) return reply(404)
    const refunds = await records<Refund>(`orders/${params.orderId}/refunds`).list()
    const left = refunds.reduce((rest, { amount }) => rest - amount, order.total)
    if (body.amount > left) return reply(409, { error: 'too_much', detail: `${left} are left.` })
    if (body.amount === left) {
      await records<Order>('orders').update(params.orderId, { status: 'refunded' })
    }
    return next()
  },
})
export default handlers

/** What a real shop would do outside of the sandbox. */
export const sentMails: string[] = []

async function totalOf(cartId: number, records: Records, coupon?: string): Promise<number> {
  const lines = await records<Line>(`carts/${cartId}/lines`).list()
  const sum = lines.reduce((total, { price, quantity }) => total + price * quantity, 0)
  return coupon === 'HALF' ? Math.ceil(sum / 2) : sum
}
