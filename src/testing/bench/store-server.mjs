// Redis and the servers of the bench, each in a process of its own.
import { resolve } from 'node:path'
import { Redis } from 'ioredis'
import { start, stop } from './server.mjs'
import { loadTools } from './store-tools.mjs'

const DOCUMENT = resolve('src/testing/bench/store.yaml')

/** A key with a quota that nothing reaches. */
export const KEY = { Authorization: 'Bearer sk_large' }

/** As the guide recommends where the last second may be lost. */
const SETTINGS = { appendonly: 'yes', appendfsync: 'everysec' }

/** Starts Redis. */
export async function startStore() {
  const { startRedis, openNetwork, findFreePort } = await loadTools()
  const redis = await startRedis({ settings: SETTINGS })
  const client = new Redis(redis.address)
  const info = async (section) => readInfo(await client.info(section))
  const servers = new Set()

  return {
    client,
    version: (await info('server')).redis_version,
    settings: Object.entries(SETTINGS).map(([name, value]) => `${name} ${value}`),
    /** The processor time of the thread that runs commands, in microseconds. */
    processorTime: async () => {
      const cpu = await info('cpu')
      return (Number(cpu.used_cpu_user_main_thread) + Number(cpu.used_cpu_sys_main_thread)) * 1e6
    },
    openNetwork: () => openNetwork(redis.port),
    /** Starts a server on the store. `address` is another way to it. */
    startServer: async ({ prefix, records, address = redis.address }) => {
      const options = ['--store', address, '--store-prefix', prefix, '--records', records]
      const quiet = ['--log', 'silent', '--worlds', 100_000]
      const command = (port) => [
        ...[resolve('bin/pet-sandbox.js'), DOCUMENT, '--port', port],
        ...options,
        ...quiet,
      ]
      const server = await start({ command }, await findFreePort(), {
        path: '/v1/tasks',
        headers: KEY,
      })
      servers.add(server)
      return server
    },
    stop: async () => {
      for (const { child } of servers) await stop(child)
      client.disconnect()
      await redis.stop()
    },
  }
}

function readInfo(text) {
  return Object.fromEntries(text.split('\r\n').map((line) => line.split(':', 2)))
}
