// What Redis keeps for each record, world and exchange of a journal, in bytes: the sum of MEMORY USAGE of their keys.
import { stop } from './server.mjs'
import { WORKS } from './store-requests.mjs'

const WORLDS = 100
const EXCHANGES = 200

/** The bytes of records, worlds and exchanges. */
export async function measureMemory(store, records, report) {
  report('memory')
  const { exchanges, world } = await measureWorlds(store)
  const { client } = store
  const server = await store.startServer({ prefix: 'records', records })
  const collection = await bytesOf(client, await keysOf(client, 'records:*{default}*:c:*'))
  await stop(server.child)

  return { records, record: collection / records, world, exchanges }
}

async function measureWorlds({ client, startServer }) {
  const server = await startServer({ prefix: 'memory', records: 100 })
  const url = (world, path) => `${server.url}/worlds/${world}${path}`
  const exchange = async (work) => {
    const { path, status: _, next: __, ...request } = WORKS[work]
    for (let count = 0; count < EXCHANGES; count += 1) {
      await (await fetch(url(work.replace(/\W/g, ''), path), request)).arrayBuffer()
    }
    const name = encodeURIComponent(work.replace(/\W/g, ''))
    const [key] = await keysOf(client, `memory:*{${name}}*:journal`)
    return (await client.memory('USAGE', key, 'SAMPLES', 0)) / (await client.xlen(key))
  }
  const exchanges = {
    read: await exchange('read'),
    'list of 20': await exchange('list of 20'),
    'no key (401)': await exchange('no key (401)'),
  }
  for (let world = 0; world < WORLDS; world += 1) {
    await (await fetch(url(`empty-${world}`, '/v1/none'))).arrayBuffer()
  }
  const worlds = await bytesOf(client, await keysOf(client, 'memory:*{empty-*'))
  await stop(server.child)

  return { world: worlds / WORLDS, exchanges }
}

async function keysOf(client, match) {
  const keys = []
  for await (const some of client.scanStream({ match, count: 1000 })) keys.push(...some)
  return [...new Set(keys)]
}

async function bytesOf(client, keys) {
  let bytes = 0
  for (let at = 0; at < keys.length; at += 1000) {
    const some = keys.slice(at, at + 1000)
    const all = await Promise.all(some.map((key) => client.memory('USAGE', key, 'SAMPLES', 0)))
    for (const one of all) bytes += one ?? 0
  }
  return bytes
}
