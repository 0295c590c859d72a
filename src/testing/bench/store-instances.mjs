// Compares two servers on one store with one of them alone, in alternating rounds.
import { loadOf, medianOf } from './load.mjs'
import { stop } from './server.mjs'
import { WORKS } from './store-requests.mjs'

const COMPARED = ['list of 20', 'read', 'create']
const CONNECTIONS = 10
const WARM_UP = 4

/** For each kind of request, the figures of one server, of two, and the medians of their ratios. */
export async function compareInstances(store, records, { rounds, seconds }, report) {
  const given = { prefix: 'instances', records }
  const servers = [await store.startServer(given), await store.startServer(given)]
  report('one server and two: warm-up')
  await loadAll(store, servers, 'list of 20', WARM_UP)
  const compared = {}
  for (const work of COMPARED) {
    const pairs = []
    for (let round = 0; round <= rounds; round += 1) {
      report(`one server and two, round ${round} of ${rounds}: ${work}`)
      const one = await loadAll(store, [servers[round % 2]], work, seconds)
      const two = await loadAll(store, servers, work, seconds)
      // The first round is a warm-up.
      if (round > 0) pairs.push({ one, two })
    }
    compared[work] = summarize(pairs)
  }
  for (const { child } of servers) await stop(child)

  return compared
}

/** Sends one kind of request to all servers at once, with as many connections to each of them. */
async function loadAll(store, servers, work, seconds) {
  // Creations in one collection wait for each other on one server, and conflict on several. Those of different worlds do neither.
  const { status, path, ...request } = WORKS[work]
  const before = await store.processorTime()
  const loads = await Promise.all(
    servers.map((server, at) => {
      const own = work === 'create' ? `/worlds/world-${at}${path}` : path
      return loadOf(
        server,
        { ...request, path: own },
        { status, seconds, connections: CONNECTIONS },
      )
    }),
  )
  const after = await store.processorTime()
  const answers = sum(loads.map((load) => load.answers))

  return {
    rate: sum(loads.map(({ rate }) => rate)),
    processor: sum(loads.map((load) => load.processor * load.answers)) / answers,
    store: (after - before) / answers,
  }
}

function summarize(pairs) {
  const all = (which, figure) => medianOf(pairs.map((pair) => pair[which][figure]))
  const ratio = (figure) => medianOf(pairs.map(({ one, two }) => two[figure] / one[figure]))
  const each = (of) =>
    Object.fromEntries(['rate', 'processor', 'store'].map((one) => [one, of(one)]))

  return {
    one: each((figure) => all('one', figure)),
    two: each((figure) => all('two', figure)),
    ratio: each(ratio),
  }
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0)
}
