// Counts the round trips between a server and Redis, and their bytes, for each kind of request: one at a time, through a proxy.
import { setTimeout as sleep } from 'node:timers/promises'
import { medianOf } from './load.mjs'
import { stop } from './server.mjs'
import { WORKS } from './store-requests.mjs'

/** How long the proxy collects answers, in milliseconds, so that commands that were sent together are one round trip. */
const DELAY = 10
const REQUESTS = 10

/** The traffic of each kind of request. */
export async function measureTraffic(store, records, report) {
  const network = await store.openNetwork()
  const { address } = network
  const server = await store.startServer({ prefix: 'traffic', records, address })
  const traffic = {}
  let id = 0
  for (const [work, { status, next, ...request }] of Object.entries(WORKS)) {
    report(`round trips: ${work}`)
    const send = async () => {
      id += 1
      const path = next ? `${next}/${id}` : request.path
      const { status: got, body } = await fetch(server.url + path, request)
      await body?.cancel()
      if (got !== status) throw new Error(`The response to ${work} was ${got}, and not ${status}.`)
    }
    await send()
    traffic[work] = await countedTraffic(network, send)
  }
  await stop(server.child)
  await network.close()

  return traffic
}

/** The medians of several requests. */
async function countedTraffic(network, send) {
  const all = []
  for (let count = 0; count < REQUESTS; count += 1) {
    network.delay(0)
    await sleep(2 * DELAY)
    const before = { ...network.traffic }
    network.delay(DELAY)
    await send()
    await sleep(2 * DELAY)
    const of = (figure) => network.traffic[figure] - before[figure]
    all.push({ trips: of('trips'), sent: of('sent'), received: of('received') })
  }
  const median = (figure) => medianOf(all.map((one) => one[figure]))

  return { trips: median('trips'), sent: median('sent'), received: median('received') }
}
