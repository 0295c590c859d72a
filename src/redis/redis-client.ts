import type { Cluster, ClusterOptions, Redis, RedisOptions } from 'ioredis'
import { UsageError } from '../validation/usage-error.ts'
import { AnswerLimit, type AnswerLimits } from './answer-limit.ts'
import type { StoreAddress } from './store-address.ts'
import { isReplica, isUnknownDatabase, NO_SENTINEL, refusalIn, UNKNOWN } from './store-errors.ts'

/** How long a command may take, and whether it may wait for the connection. */
interface ClientLimits {
  readonly answer: AnswerLimits
  /** In milliseconds. */
  readonly connectTimeout: number
  readonly enableOfflineQueue: boolean
}

/** The limits of commands that the store answers at once. */
const TIME_LIMITS: ClientLimits = {
  // Longer than a script may take, so that none writes after its command has failed.
  answer: { command: 1600, silence: 2500 },
  connectTimeout: 1500,
  enableOfflineQueue: false,
}

/** How long a command waits in the store, in milliseconds. */
export const WAIT = 5000

/** The limits of commands that wait in the store. */
const WAITING_LIMITS: ClientLimits = {
  ...TIME_LIMITS,
  answer: { command: WAIT + 2500, silence: WAIT + 3500 },
  // Such a command only reads, so it may wait for the connection.
  enableOfflineQueue: true,
}

/** The pause before another attempt to connect, in milliseconds. */
function retryDelay(times: number): number {
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
function serverOptions(address: StoreAddress, limits: ClientLimits): ServerOptions {
  const [node] = address.nodes
  return { ...sharedOptions(address, limits), ...node, db: address.database }
}

/** The options of a client for the server that sentinels know by a name. `onAllFailed` decides whether to ask them again. */
function sentinelOptions(
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
function clusterOptions(
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

/** The part of the client library that is used. */
export interface RedisClient {
  /** Sends a command once. Rejects at once while there is no connection. */
  call(command: string, ...args: readonly (string | number)[]): Promise<unknown>
  /** Calls `send` at the end of this turn of the event loop. What it sends is written with all that was sent in the turn. */
  atEndOfTurn(send: () => void): void
  /** How long answers were awaited so far, in milliseconds: only time in which this process could have read them. */
  awakeTime(): number
  /** Connects. Rejects with the reason when it cannot. */
  connect(): Promise<void>
  /** Where the servers of the store listen, as far as they are known now: also nodes and replicas that were found after the start. */
  servers(): Promise<readonly ListeningServer[]>
  /** Another client, whose commands may wait in the store. */
  forWaiting(): RedisClient
  close(): void
}

interface ListeningServer {
  readonly host: string
  readonly port: number
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
    atEndOfTurn: gather,
    awakeTime: () => answers.awakeTime,
    servers: async () => [
      ...[...nodes].flatMap(serverOf),
      // A cluster knows its replicas, and the client of one server does not.
      ...('nodes' in client
        ? []
        : replicatedIn(await client.call('info', 'replication').catch(() => ''))),
    ],
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

/** Where a node listens: by its name, and by the address of its connection, if there is one. */
function serverOf({ options, stream }: Redis): readonly ListeningServer[] {
  const { host, port } = options
  const { remoteAddress, remotePort } = Object(stream)
  return [
    [host, port],
    [remoteAddress, remotePort],
  ].flatMap(([host, port]) =>
    typeof host === 'string' && typeof port === 'number' ? { host, port } : [],
  )
}

/** The servers that a reply to INFO names: the replicas of a master, and the master of a replica. */
function replicatedIn(facts: unknown): readonly ListeningServer[] {
  const named =
    /^(?:slave\d+:ip=(?<replica>[^,]+),port=(?<at>\d+)|master_host:(?<master>.+)\r\nmaster_port:(?<on>\d+))/gm
  return [...String(facts).matchAll(named)].map(({ groups = {} }) => ({
    host: groups.replica ?? groups.master ?? '',
    port: Number(groups.at ?? groups.on),
  }))
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

/** A client of a server. It has no stream before it connects. */
interface Node {
  readonly stream?: { cork(): void; uncork(): void }
}

/** The original timer. Fake timers of a test must not stop a command. */
const { setImmediate: afterTurn } = globalThis

/**
 * Returns a function to be called before each command. The commands of one turn of the event loop are written at once, because a system
 * call for each of them costs more than the rest of the command, here and in the store. `send` is called before they are written.
 */
export function gatherWrites(nodes: () => Iterable<Node>): (send?: () => void) => void {
  let isGathering = false
  const sends: (() => void)[] = []

  return (send) => {
    if (send) sends.push(send)
    if (isGathering) return
    isGathering = true
    const streams = [...nodes()].flatMap(({ stream }) => stream ?? [])
    for (const stream of streams) stream.cork()
    afterTurn(() => {
      for (const one of sends) one()
      sends.length = 0
      isGathering = false
      for (const stream of streams) stream.uncork()
    })
  }
}
