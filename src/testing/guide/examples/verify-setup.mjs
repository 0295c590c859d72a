/** Asks the administration of the service, which is not part of the document. */
async function ask(method, path, body) {
  const response = await fetch(process.env.ADMIN_URL + path, { method, body: JSON.stringify(body) })
  return await response.json()
}

let shop

export default {
  /** Runs before the first request. What it returns is added to the options of the run. */
  async setUp({ target }) {
    shop = await ask('POST', '/shops', { name: `verified at ${target}` })
    return { headers: { 'X-Shop': shop.id } }
  },
  /** What operations need, by their ids or by their methods and paths. */
  states: {
    'POST /orders/{id}/refund': async () => {
      const order = await ask('POST', `/shops/${shop.id}/orders`, { status: 'paid' })
      return { parameters: { id: order.id } }
    },
  },
  /** Runs at the end, also after a failure and after Ctrl+C. */
  async tearDown() {
    await ask('DELETE', `/shops/${shop.id}`)
  },
}
