import type { Cluster, Redis } from 'ioredis'
import { UsageError } from '../../validation/usage-error.ts'
import { AnswerLimit } from './answer-limit.ts'
import {
  type ClientLimits,
  clusterOptions,
  retryDelay,
  sentinelOptions,
  serverOptions,
  TIME_LIMITS,
  WAITING_LIMITS,
} from './client-options.ts'
import { gatherWrites } from './gather-writes.ts'
import type { StoreAddress } from './store-address.ts'
import { isUnknownDatabase, NO_SENTINEL, refusalIn, UNKNOWN } from './store-refusal.ts'

/** The part of the client library that is used. */
export interface RedisClient {
  /** Sends a command once. Rejects at once while there is no connection. */
  call(command: string, ...args: readonly (string | number)[]): Promise<unknown>
  /** How long answers were awaited so far, in milliseconds: only time in which this process could have read them. */
  awakeTime(): number
  /** Connects. Rejects with the reason when it cannot. */
  connect(): Promise<void>
  /** Another client, whose commands may wait in the store. */
  forWaiting(): RedisClient
  close(): void
}

/** The part of the library that is used, which is loaded when a store is opened. */
interface Library {
  readonly Redis: typeof Redis
  readonly Cluster: typeof Cluster
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
  return openClient(library, address, TIME_LIMITS)
}

function openClient(library: Library, address: StoreAddress, limits: ClientLimits): RedisClient {
  const forWaiting = (): RedisClient => openClient(library, address, WAITING_LIMITS)
  if (address.kind === 'cluster') {
    const client = new library.Cluster([...address.nodes], clusterOptions(address, limits))
    return toClient(client, limits, forWaiting)
  }
  if (address.kind === 'server') {
    return toClient(new library.Redis(serverOptions(address, limits)), limits, forWaiting)
  }
  // At the start, sentinels that cannot be asked are a mistake. Later, they are asked until they know a server.
  let hasConnected = limits.enableOfflineQueue
  const options = sentinelOptions(address, limits, (times) =>
    hasConnected ? retryDelay(times) : null,
  )
  const client = new library.Redis(options)
  client.once('connect', () => {
    hasConnected = true
  })
  return toClient(client, limits, forWaiting, NO_SENTINEL)
}

/** A connection that fails for no known reason fails for the `usual` one. */
function toClient(
  client: Redis | Cluster,
  limits: ClientLimits,
  forWaiting: () => RedisClient,
  usual?: Error,
): RedisClient {
  let latest: unknown = usual
  const note = (error: unknown): void => {
    if (refusalIn(error) !== UNKNOWN) latest = error
    // The library would go on with the database 0.
    if (isUnknownDatabase(error)) client.disconnect(true)
  }
  // Without a listener, the library writes to the console. While the server is away, each attempt to connect is an error.
  client.on('error', note)
  client.on('node error', note)
  const nodes = new Set<Redis>()
  const answers = new AnswerLimit(limits.answer, () => nodes)
  const add = (node: Redis): void => {
    nodes.add(node)
    // The library has commands of its own, which it sends first.
    node.on('connect', () => answers.watch())
  }
  if (!('nodes' in client)) add(client)
  // The library connects to a node of a cluster with the first command for it, and refuses the commands that come meanwhile.
  client.on('+node', (node: Redis) => {
    add(node)
    void connected(node)
  })
  client.on('-node', (node: Redis) => nodes.delete(node))
  const gather = gatherWrites(() => nodes)

  return {
    call: (command, ...args) => {
      gather()
      return answers.apply(client.call(command, ...args))
    },
    awakeTime: () => answers.awakeTime,
    async connect() {
      try {
        await client.connect()
        if (isUnknownDatabase(latest)) throw latest
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
