import Stripe from 'stripe'
import { equal, refused, report, step } from './steps.mjs'

// The steps follow the README of the library and the guides that it links to.

const { hostname, port } = new URL(process.env.SANDBOX)
const stripe = new Stripe('sk_test_1', { host: hostname, port, protocol: 'http', telemetry: false })
let customer
let price
let card
let payment
let subscription

await step('sign a customer up', async () => {
  customer = await stripe.customers.create({ name: 'Ada', email: 'ada@example.com' })
  equal([customer.object, customer.name, customer.balance], ['customer', 'Ada', 0])
})
await step('its id says what it is', () => equal(customer.id.slice(0, 4), 'cus_'))
await step('read the customer', async () =>
  equal((await stripe.customers.retrieve(customer.id)).email, 'ada@example.com'),
)
await step('find the customer by its address', async () => {
  const { data } = await stripe.customers.list({ email: 'ada@example.com' })
  equal(
    data.map(({ id }) => id),
    [customer.id],
  )
})
await step('change the customer, and keep the rest', async () => {
  await stripe.customers.update(customer.id, { metadata: { tier: 'gold' } })
  const { name, metadata } = await stripe.customers.retrieve(customer.id)
  equal([name, metadata], ['Ada', { tier: 'gold' }])
})
await step('an unknown customer is missing', () =>
  refused(stripe.customers.retrieve('cus_unknown'), 404, 'resource_missing'),
)
await step('offer a product by the month', async () => {
  const product = await stripe.products.create({ name: 'Box' })
  const recurring = { interval: 'month' }
  const offer = { product: product.id, unit_amount: 2000, currency: 'usd', recurring }
  price = await stripe.prices.create(offer)
  equal([price.product, price.unit_amount, price.type], [product.id, 2000, 'recurring'])
})
await step('a price of an unknown product is refused', () =>
  refused(
    stripe.prices.create({ product: 'prod_unknown', currency: 'usd' }),
    400,
    'resource_missing',
  ),
)
await step('expand the product of the price', async () => {
  const { product } = await stripe.prices.retrieve(price.id, { expand: ['product'] })
  equal(product.name, 'Box')
})
await step('attach a card', async () => {
  card = await stripe.paymentMethods.create({ type: 'card', card: { token: 'tok_visa' } })
  const attached = await stripe.paymentMethods.attach(card.id, { customer: customer.id })
  equal(attached.customer, customer.id)
})
await step('intend a payment', async () => {
  const intent = { amount: 2000, currency: 'usd', customer: customer.id }
  payment = await stripe.paymentIntents.create(intent)
  equal([payment.status, payment.amount_received], ['requires_payment_method', 0])
})
await step('pay', async () => {
  const paid = await stripe.paymentIntents.confirm(payment.id, { payment_method: card.id })
  equal([paid.status, paid.amount_received, paid.payment_method], ['succeeded', 2000, card.id])
})
await step('what is paid cannot be cancelled', () =>
  refused(stripe.paymentIntents.cancel(payment.id), 400, 'payment_intent_unexpected_state'),
)
await step('capture a payment later', async () => {
  const intent = { amount: 500, currency: 'usd', payment_method: card.id, confirm: true }
  const held = await stripe.paymentIntents.create({ ...intent, capture_method: 'manual' })
  const captured = await stripe.paymentIntents.capture(held.id)
  equal([held.status, captured.status], ['requires_capture', 'succeeded'])
})
await step('refund a part', async () => {
  const refund = await stripe.refunds.create({ payment_intent: payment.id, amount: 700 })
  equal([refund.payment_intent, refund.amount, refund.status], [payment.id, 700, 'succeeded'])
})
await step('more than what was paid is not refunded', () =>
  refused(stripe.refunds.create({ payment_intent: payment.id, amount: 9000 }), 400),
)
await step('subscribe', async () => {
  const items = [{ price: price.id }]
  subscription = await stripe.subscriptions.create({ customer: customer.id, items })
  const prices = subscription.items.data.map((item) => item.price.id)
  equal([subscription.status, prices], ['active', [price.id]])
})
await step('list the subscriptions of the customer', async () => {
  const { data } = await stripe.subscriptions.list({ customer: customer.id })
  equal(
    data.map(({ id }) => id),
    [subscription.id],
  )
})
await step('end the subscription', async () =>
  equal((await stripe.subscriptions.cancel(subscription.id)).status, 'canceled'),
)
await step('write an invoice, send it, and see it paid', async () => {
  const invoice = await stripe.invoices.create({ customer: customer.id })
  const sent = await stripe.invoices.finalizeInvoice(invoice.id)
  const paid = await stripe.invoices.pay(invoice.id)
  equal([invoice.status, sent.status, paid.status], ['draft', 'open', 'paid'])
})
await step('a coupon has the id that it was given, once', async () => {
  const coupon = { id: 'SAVE20', percent_off: 20, duration: 'once' }
  await stripe.coupons.create(coupon)
  equal((await stripe.coupons.retrieve('SAVE20')).percent_off, 20)
  await refused(stripe.coupons.create(coupon), 400)
})
await step('a payment without an amount is refused', () =>
  refused(stripe.paymentIntents.create({ currency: 'usd' }), 400),
)
await step('delete the coupon', async () => {
  equal((await stripe.coupons.del('SAVE20')).deleted, true)
  await refused(stripe.coupons.retrieve('SAVE20'), 404)
})
await step('delete the customer', async () => {
  equal((await stripe.customers.del(customer.id)).deleted, true)
  equal((await stripe.customers.list({ email: 'ada@example.com' })).data, [])
})

report()
