// Compares two servers on one store with one of them alone, in alternating rounds.
import { loadOf, medianOf } from './load.mjs'
import { stop } from './server.mjs'
import { WORKS } from './store-requests.mjs'

const COMPARED = ['list of 20', 'read', 'create']
const CONNECTIONS = 10
const WARM_UP = 4
/** These rounds are longer than others, because the differences between servers are small. */
const LENGTH = 2

/** For each kind of request, the figures of one server, of two, and their ratios. */
export async function compareInstances(store, records, { rounds, seconds }, report) {
  const given = { prefix: 'instances', records }
  const servers = [await store.startServer(given), await store.startServer(given)]
  const compared = {}
  for (const work of COMPARED) {
    report(`one server and two, warm-up: ${work}`)
    await loadAll(store, servers, work, WARM_UP)
    const [one, two] = [[], []]
    for (let round = 1; round <= rounds; round += 1) {
      report(`one server and two, round ${round} of ${rounds}: ${work}`)
      for (const server of servers) one.push(await loadAll(store, [server], work, LENGTH * seconds))
      two.push(await loadAll(store, servers, work, LENGTH * seconds))
    }
    compared[work] = summarize(medians(one), medians(two))
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

const FIGURES = ['rate', 'processor', 'store']

function medians(figures) {
  return Object.fromEntries(FIGURES.map((one) => [one, medianOf(figures.map((each) => each[one]))]))
}

function summarize(one, two) {
  const ratio = Object.fromEntries(FIGURES.map((figure) => [figure, two[figure] / one[figure]]))

  return { one, two, ratio }
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0)
}
