import type { Cluster, ClusterOptions, Redis, RedisOptions } from 'ioredis'
import { UsageError } from '../../validation/usage-error.ts'
import type { StoreAddress } from './store-address.ts'
import { isReplica } from './store-refusal.ts'

/** The part of the client library that is used. */
export interface RedisClient {
  /** Sends a command once. Rejects at once while there is no connection. */
  call(command: string, ...args: readonly (string | number)[]): Promise<unknown>
  /** Connects. Rejects with the reason when it cannot. */
  connect(): Promise<void>
  /** Another client, whose commands may wait in the store. */
  forWaiting(): RedisClient
  close(): void
}

/** How long a command may take, and the longest time without data from the store while one is awaited, in milliseconds. */
const TIME_LIMITS = {
  commandTimeout: 1500,
  socketTimeout: 2500,
  connectTimeout: 1500,
  enableOfflineQueue: false,
}

/** How long a command waits in the store, in milliseconds. */
export const WAIT = 5000

const WAITING_LIMITS = {
  ...TIME_LIMITS,
  commandTimeout: WAIT + 2500,
  socketTimeout: WAIT + 3500,
  // Such a command only reads, so it may wait for the connection.
  enableOfflineQueue: true,
}

/** A command is sent at most once, and fails while there is no connection, because nobody knows whether an unanswered one has run. */
const SENT_ONCE = {
  lazyConnect: true,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  retryStrategy: (times: number) => Math.min(50 * times, 500),
  // After a failover, the former master is a replica. `true`: connect again, without sending the command again.
  reconnectOnError: isReplica,
  protocol: 2,
} satisfies RedisOptions

/** The cluster sends a command again only when a node has refused it. */
const CLUSTER: ClusterOptions = {
  lazyConnect: true,
  // The library asks any node, which may be one that is not connected yet, and then `connect()` never ends. A cluster that is not
  // ready refuses commands.
  enableReadyCheck: false,
  // Each node looks up its own name: one that is unknown does not prevent the others, and certificates have names.
  dnsLookup: (host, callback) => callback(null, host),
  clusterRetryStrategy: (times) => Math.min(50 * times, 500),
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
  slotsRefreshInterval: 1000,
}

interface Credentials {
  readonly username?: string
  readonly password?: string
  readonly tls?: object
}

interface Place {
  readonly db: number
  readonly host?: string
  readonly port?: number
  readonly sentinels?: StoreAddress['nodes'][number][]
  readonly name?: string
  readonly enableTLSForSentinelMode?: boolean
}

/** Loads the client library. Throws a UsageError that names it when it is not installed. */
export async function loadRedisClient(address: StoreAddress): Promise<RedisClient> {
  const library = await import('ioredis').catch((cause) => {
    throw new UsageError({
      code: 'missing_package',
      task: 'use a store',
      reason: 'the package ioredis is not installed',
      help: 'Run: npm install ioredis',
      cause,
    })
  })
  const open = (limits: typeof TIME_LIMITS): RedisClient => {
    const options = { ...SENT_ONCE, ...limits, ...credentialsOf(address) }
    const client =
      address.kind === 'cluster'
        ? new library.Cluster([...address.nodes], {
            ...CLUSTER,
            enableOfflineQueue: limits.enableOfflineQueue,
            redisOptions: options,
          })
        : new library.Redis({ ...options, ...placeOf(address) })
    return toClient(client, () => open(WAITING_LIMITS))
  }
  return open(TIME_LIMITS)
}

function credentialsOf({ username, password, isEncrypted }: StoreAddress): Credentials {
  return {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(isEncrypted && { tls: {} }),
  }
}

function placeOf({ kind, nodes, database, name, isEncrypted }: StoreAddress): Place {
  const [node] = nodes
  if (kind === 'sentinel' && name !== undefined) {
    return { sentinels: [...nodes], name, db: database, enableTLSForSentinelMode: isEncrypted }
  }
  return { ...node, db: database }
}

function toClient(client: Redis | Cluster, forWaiting: () => RedisClient): RedisClient {
  let latest: Error | undefined
  // Without a listener, the library writes to the console. While the server is away, each attempt to connect is an error.
  client.on('error', (error: Error) => {
    latest = error
  })
  client.on('node error', (error: Error) => {
    latest = error
  })
  // The library connects to a node of a cluster with the first command for it, and refuses the commands that come meanwhile.
  client.on('+node', (node: Redis) => {
    void connected(node)
  })

  return {
    call: (command, ...args) => client.call(command, ...args),
    async connect() {
      try {
        await client.connect()
        if ('nodes' in client) await Promise.all(client.nodes('all').map(connected))
      } catch (error) {
        client.disconnect()
        throw latest ?? error
      }
    },
    forWaiting,
    close: () => client.disconnect(),
  }
}

/** Resolves when a node of a cluster is connected, or cannot be connected now. */
async function connected(node: Redis): Promise<void> {
  if (node.status === 'wait') await node.connect().catch(() => undefined)
  else if (node.status === 'connecting' || node.status === 'connect') {
    // It ends without closing when it was disconnected before it had a socket.
    await new Promise((resolve) => {
      for (const event of ['ready', 'close', 'end']) node.once(event, resolve)
    })
  }
}
