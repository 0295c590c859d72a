import type { ClusterOptions, RedisOptions } from 'ioredis'
import type { AnswerLimits } from './answer-limit.ts'
import type { StoreAddress } from './store-address.ts'
import { isReplica } from './store-refusal.ts'

/** How long a command may take, and whether it may wait for the connection. */
export interface ClientLimits {
  readonly answer: AnswerLimits
  /** In milliseconds. */
  readonly connectTimeout: number
  readonly enableOfflineQueue: boolean
}

/** The limits of commands that the store answers at once. */
export const TIME_LIMITS: ClientLimits = {
  // Longer than a script may take, so that none writes after its command has failed.
  answer: { command: 1600, silence: 2500 },
  connectTimeout: 1500,
  enableOfflineQueue: false,
}

/** How long a command waits in the store, in milliseconds. */
export const WAIT = 5000

/** The limits of commands that wait in the store. */
export const WAITING_LIMITS: ClientLimits = {
  ...TIME_LIMITS,
  answer: { command: WAIT + 2500, silence: WAIT + 3500 },
  // Such a command only reads, so it may wait for the connection.
  enableOfflineQueue: true,
}

/** The pause before another attempt to connect, in milliseconds. */
export function retryDelay(times: number): number {
  return Math.min(50 * times, 500)
}

/** A command is sent at most once, and fails while there is no connection, because nobody knows whether an unanswered one has run. */
const SENT_ONCE = {
  lazyConnect: true,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  retryStrategy: retryDelay,
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
  clusterRetryStrategy: retryDelay,
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
  slotsRefreshInterval: 1000,
}

/** Options of the library without one that has a type of its own. */
type ServerOptions = Omit<RedisOptions, 'replyMapping'>

/** The options of a client for one server. */
export function serverOptions(address: StoreAddress, limits: ClientLimits): ServerOptions {
  const [node] = address.nodes
  return { ...sharedOptions(address, limits), ...node, db: address.database }
}

/** The options of a client for the server that sentinels know by a name. `onAllFailed` decides whether to ask them again. */
export function sentinelOptions(
  address: StoreAddress,
  limits: ClientLimits,
  onAllFailed: (times: number) => number | null,
): ServerOptions {
  const { nodes, name = '', database, isEncrypted } = address
  return {
    ...sharedOptions(address, limits),
    // The library checks that the server is a master.
    enableReadyCheck: true,
    sentinels: [...nodes],
    name,
    db: database,
    sentinelRetryStrategy: onAllFailed,
    sentinelCommandTimeout: limits.connectTimeout,
    enableTLSForSentinelMode: isEncrypted,
    ...(isEncrypted && { sentinelTLS: {} }),
  }
}

/** The options of a client for a cluster. */
export function clusterOptions(
  address: StoreAddress,
  limits: ClientLimits,
): Omit<ClusterOptions, 'redisOptions'> & { readonly redisOptions: ServerOptions } {
  const { enableOfflineQueue } = limits
  return { ...CLUSTER, enableOfflineQueue, redisOptions: sharedOptions(address, limits) }
}

function sharedOptions(
  { username, password, isEncrypted }: StoreAddress,
  { connectTimeout, enableOfflineQueue }: ClientLimits,
): ServerOptions {
  return {
    ...SENT_ONCE,
    connectTimeout,
    enableOfflineQueue,
    // A server that is loading its data says so to each command. The library would write to the console when it may not ask.
    enableReadyCheck: false,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(isEncrypted && { tls: {} }),
  }
}
