import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { loadContract } from '../document/load-contract.ts'
import { openInBrowser, servePage } from '../testing/page-server.ts'
import { createSandboxServer } from '../transports/server.ts'
import { createSandbox } from './sandbox.ts'

test('an EventSource follows the changes, and comes back for those that it has missed', async () => {
  const contract = await loadContract('src/testing/streams.yaml')
  const sandbox = createSandbox({ contract, records: 3 })
  const server = createSandboxServer(sandbox).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const policy = "default-src 'none'; connect-src *"
  const site = await servePage({ html: '<title>Live</title>', scripts: new Map(), policy })
  const opened = await openInBrowser(site.origin)
  onTestFinished(async () => {
    await opened.close()
    site.close()
    server.close()
  })
  const orders = sandbox.collection('orders')
  const seen = (): Promise<unknown> => opened.page.evaluate('globalThis.seen')

  await opened.page.evaluate(
    (url) =>
      new Promise((resolve) => {
        const source = new EventSource(url)
        const items: string[] = []
        Object.assign(globalThis, { seen: items })
        source.onopen = resolve
        source.addEventListener('ORDER_CREATED', ({ data }) => {
          items.push(JSON.parse(data).order.item)
        })
      }),
    `http://127.0.0.1:${port}/v1/orders/events`,
  )
  await orders.create({ item: 'book' })
  await expect.poll(seen).toEqual(['book'])
  server.closeAllConnections()
  await orders.create({ item: 'pen' })

  await expect.poll(seen, { timeout: 30_000 }).toEqual(['book', 'pen'])
  expect(sandbox.journal.exchanges).toHaveLength(2)
})
