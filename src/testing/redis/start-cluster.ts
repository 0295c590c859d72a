import { Redis } from 'ioredis'
import { findFreePort } from '../free-port.ts'
import { isReplicated } from './is-replicated.ts'
import { type StartedRedis, startRedis } from './start-redis.ts'
import { until } from './until.ts'

const SLOTS = 16_384

/** A Redis Cluster of masters, each with one replica or none. */
export interface StartedCluster {
  /** Such as `redis+cluster://127.0.0.1:20001,127.0.0.1:20002,127.0.0.1:20003`. */
  readonly address: string
  readonly masters: readonly StartedRedis[]
  readonly replicas: readonly StartedRedis[]
  /** Resolves when the replicas have all that was written before. */
  readonly replicated: () => Promise<void>
}

/** Starts a cluster of three masters, and resolves when it serves all slots. `stopRedis()` stops it. */
export async function startRedisCluster(
  options: { readonly replicas?: 0 | 1 } = {},
): Promise<StartedCluster> {
  const start = async (): Promise<ClusterNode> => {
    // By default, it is the data port + 10,000, which another program may use.
    const busPort = String(await findFreePort())
    const redis = await startRedis({ settings: { ...NODE_SETTINGS, 'cluster-port': busPort } })
    return { ...redis, busPort }
  }
  const masters = [await start(), await start(), await start()]
  const replicas = options.replicas ? [await start(), await start(), await start()] : []
  const nodes = [...masters, ...replicas]
  const clients = nodes.map(({ port }) => new Redis(port))
  try {
    await formCluster(clients, nodes)
    await Promise.all(clients.map(isReady))
  } finally {
    for (const client of clients) client.disconnect()
  }
  const hosts = masters.map(({ port }) => `127.0.0.1:${port}`)

  return {
    address: `redis+cluster://${hosts.join(',')}`,
    masters,
    replicas,
    replicated: async () => {
      await Promise.all(masters.map(isReplicated))
    },
  }
}

/** A node, and the port by which the others reach it. */
interface ClusterNode extends StartedRedis {
  readonly busPort: string
}

const NODE_SETTINGS = {
  'cluster-enabled': 'yes',
  'cluster-config-file': 'nodes.conf',
  // A failover begins after this many milliseconds (default: 15,000), and must not begin because the machine is busy.
  'cluster-node-timeout': '2000',
  // A replica copies its master at once. Default: after 5 seconds.
  'repl-diskless-sync-delay': '0',
}

async function formCluster(
  clients: readonly Redis[],
  nodes: readonly ClusterNode[],
): Promise<void> {
  const [first] = nodes
  const ids = await Promise.all(clients.map((client) => client.cluster('MYID')))
  for (const [index, client] of clients.entries()) {
    await client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1)
    if (index < 3) await client.call('CLUSTER', 'ADDSLOTSRANGE', start(index), start(index + 1) - 1)
    if (index > 0 && first) {
      const { port, busPort } = first
      await client.call('CLUSTER', 'MEET', '127.0.0.1', String(port), busPort)
    }
  }
  for (const [index, client] of clients.slice(3).entries()) {
    const master = String(ids[index])
    await until(async () => String(await client.cluster('NODES')).includes(master))
    await client.call('CLUSTER', 'REPLICATE', master)
  }
}

function start(master: number): number {
  return Math.ceil((SLOTS * master) / 3)
}

async function isReady(client: Redis, _index: number, all: readonly Redis[]): Promise<void> {
  await until(async () => {
    const cluster = String(await client.cluster('INFO'))
    const nodes = String(await client.cluster('NODES'))
    const replication = await client.info('replication')
    const replicas = nodes.match(/ (?:myself,)?slave /g)?.length ?? 0
    return (
      cluster.includes('cluster_state:ok') &&
      replicas === all.length - 3 &&
      // A replica that has not copied its master yet must not take over.
      !replication.includes('master_link_status:down')
    )
  })
}
