// Measures each kind of request on one server: requests per second, the 99th percentile, and processor time in the server and in Redis.
import { loadOf, medianOf } from './load.mjs'
import { stop } from './server.mjs'
import { WORKS } from './store-requests.mjs'

const CONNECTIONS = 10

/** Code that has just started costs many times as much. It runs for so many seconds before the first figure. */
const WARM_UP = 4

/** Measures all kinds of requests on a collection of this size. */
export async function measureWorks(store, records, pace, report) {
  const server = await store.startServer({ prefix: `works-${records}`, records })
  const ids = new Ids(records)
  const works = {}
  const { status, ...list } = WORKS['list of 20']
  report(`${records} records: warm-up`)
  await loadOf(server, list, { status, seconds: WARM_UP, connections: CONNECTIONS })
  for (const work of Object.keys(WORKS)) {
    report(`${records} records: ${work}`)
    works[work] = await measureWork({ store, server, ids }, work, pace)
  }
  await stop(server.child)

  return { records, works }
}

/** The medians of several rounds, after a warm-up. */
async function measureWork(given, work, { rounds, seconds }) {
  await loadWork(given, work, { rounds, seconds: 1 })
  const figures = []
  for (let round = 0; round < rounds; round += 1) {
    figures.push(await loadWork(given, work, { rounds, seconds }))
  }
  const median = (figure) => medianOf(figures.map((one) => one[figure]))
  return Object.fromEntries(['rate', 'p99', 'processor', 'store'].map((one) => [one, median(one)]))
}

/** Sends one kind of request for a while. */
async function loadWork({ store, server, ids }, work, { rounds, seconds }) {
  const { status, next, ...request } = WORKS[work]
  const turns = next && { ...request, path: next, setup: ids.turns(request, next) }
  const isDelete = request.method === 'DELETE'
  const limits = isDelete ? { amount: ids.share(rounds + 1) } : { seconds }
  const before = await store.processorTime()
  const figure = await loadOf(server, turns ?? request, {
    status,
    ...limits,
    connections: CONNECTIONS,
  })
  const after = await store.processorTime()
  if (work === 'create') ids.created += figure.answers

  return { ...figure, store: (after - before) / figure.answers }
}

/** The records to which requests are sent in turn. */
class Ids {
  created = 0
  #first
  #removed = 0
  #count = 0

  constructor(records) {
    this.#first = records
  }

  /** How many records each of several rounds may remove. */
  share(rounds) {
    return Math.max(1, Math.floor((this.created - this.#removed) / rounds))
  }

  /** Sets the path of each request: that of a record that was created, and that no other request removes. */
  turns({ method }, path) {
    return (request) => {
      this.#count += 1
      if (method === 'DELETE') this.#removed += 1
      const id = method === 'DELETE' ? this.#first + this.#removed : 1 + (this.#count % this.#first)
      const body = { title: `Water the fern ${this.#count}`, state: 'open' }

      return {
        ...request,
        path: `${path}/${id}`,
        ...(method === 'PATCH' && { body: JSON.stringify(body) }),
      }
    }
  }
}
