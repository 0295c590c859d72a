// Compares the shipped document with a stranger's of the same records, each in memory and with a store.
import { fileURLToPath } from 'node:url'
import { compareWorks } from './compare-works.mjs'
import { loadTools } from './store-tools.mjs'
import { sandboxCommand } from './subjects.mjs'

const FIRST_PORT = 4950
const STRANGER = fileURLToPath(new URL('toys.yaml', import.meta.url))
const RECORDS = ['--records', 100]
const KEY = { Authorization: 'Bearer sk_sandbox_enterprise' }

/** Sends the same requests to servers of both documents. Returns the ratios to the shipped one, and of a store to memory. */
export async function compareDocuments(pace, report) {
  const { startRedis } = await loadTools()
  const redis = await startRedis()
  try {
    return await compareWorks(servers(redis.address), FIRST_PORT, pace, report)
  } finally {
    await redis.stop()
  }
}

function servers(address) {
  const shipped = { name: 'the shipped document', works: worksOf('pets'), options: RECORDS }
  const stranger = {
    name: "a stranger's document",
    works: worksOf('toys'),
    options: [STRANGER, ...RECORDS],
  }
  const onStore = ({ name, works, options }, prefix) => ({
    name: `${name}, with a store`,
    base: name,
    works,
    options: [...options, '--store', address, '--store-prefix', prefix],
  })
  return [shipped, stranger, onStore(shipped, 'pets'), onStore(stranger, 'toys')].map(
    ({ options, ...server }) => ({
      ...server,
      command: (port) => sandboxCommand(port, ...options),
    }),
  )
}

function worksOf(collection) {
  const path = `/v1/${collection}`
  return {
    list: { status: 200, path: `${path}?limit=20`, headers: KEY },
    read: { status: 200, path: `${path}/7`, headers: KEY },
    create: {
      status: 201,
      path,
      method: 'POST',
      headers: { ...KEY, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'Biscuit', categoryId: 2, status: 'available' }),
    },
  }
}
