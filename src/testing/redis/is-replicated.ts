import { Redis } from 'ioredis'
import type { StartedRedis } from './start-redis.ts'
import { until } from './until.ts'

/** Resolves when the replicas of a server have all that was written to it before. */
export async function isReplicated({ port }: StartedRedis): Promise<void> {
  const client = new Redis(port)
  const [, written] = /master_repl_offset:(\d+)/.exec(await client.info('replication')) ?? []
  await until(async () => {
    const copies = [...(await client.info('replication')).matchAll(/,offset=(\d+),/g)]
    return copies.every(([, offset]) => Number(offset) >= Number(written))
  })
  client.disconnect()
}
