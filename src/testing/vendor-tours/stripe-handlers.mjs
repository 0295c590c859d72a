/** A payment of which the client has confirmed that it is due. */
function confirmed({ amount, capture_method }) {
  return capture_method === 'manual'
    ? { status: 'requires_capture' }
    : { status: 'succeeded', amount_received: amount }
}

/** What the sandbox answers, with changes to the record. */
async function changed({ next, records, reply }, collection, changesOf) {
  const answer = await next()
  if (answer.status >= 300) return answer
  const changes = await changesOf(answer.body)
  return changes ? reply(200, await records(collection).update(answer.body.id, changes)) : answer
}

export default {
  async PostCoupons({ next, records, reply, body }) {
    const taken = body.id && (await records('/v1/coupons').get(body.id))
    return taken ? reply(400) : next()
  },
  PostPaymentIntents: (context) =>
    changed(context, '/v1/payment_intents', (payment) =>
      context.body.confirm ? confirmed(payment) : undefined,
    ),
  PostPaymentIntentsIntentConfirm: (context) => changed(context, '/v1/payment_intents', confirmed),
  PostPrices: (context) =>
    changed(context, '/v1/prices', ({ recurring }) =>
      recurring
        ? {
            type: 'recurring',
            recurring: { interval_count: 1, usage_type: 'licensed', ...recurring },
          }
        : { type: 'one_time' },
    ),
  // A subscription has the prices that it was made of.
  PostSubscriptions: (context) =>
    changed(context, '/v1/subscriptions', async (subscription) => {
      const [example] = subscription.items.data
      const lines = context.body.items.map(async ({ price, quantity = 1 }, at) => ({
        ...example,
        id: `si_${subscription.id}_${at}`,
        subscription: subscription.id,
        price: await context.records('/v1/prices').get(price),
        quantity,
      }))
      return { items: { ...subscription.items, data: await Promise.all(lines) } }
    }),
}
