import { createConnection, type Socket } from 'node:net'
import { connect } from 'node:tls'
import { UsageError } from '../validation/usage-error.ts'
import { loadRedisClient, type RedisClient } from './redis-client.ts'
import { type CallListener, RedisConnection } from './redis-connection.ts'
import { RedisStore } from './redis-store.ts'
import { PROBE } from './scripts/registry-scripts.ts'
import { parseStoreAddress, type StoreAddress, showAddress } from './store-address.ts'
import { isReply, RedisUnavailableError, refusalIn, type StoreRefusal } from './store-errors.ts'
import type { WorldStore } from './world-store.ts'

/** How a store is used. */
export interface RedisStoreOptions {
  /** What all keys start with. Default: `pet-sandbox`. */
  readonly prefix?: string | undefined
  /** Called with the name of each command, and how many milliseconds it took. */
  readonly onCall?: CallListener | undefined
  /** Called with what the operator of a running server should know. */
  readonly onNotice?: ((notice: string) => void) | undefined
}

/**
 * Connects to Redis or Valkey, at an address such as `redis://user:password@host:6379/0`. Rejects with a UsageError when it
 * cannot be used. The password is in no error.
 */
export async function openRedisStore(
  address: string,
  {
    prefix = 'pet-sandbox',
    onCall = () => undefined,
    onNotice = () => undefined,
  }: RedisStoreOptions = {},
): Promise<WorldStore> {
  checkPrefix(prefix)
  const parsed = parseStoreAddress(address)
  const client = await loadRedisClient(parsed)
  try {
    await client.connect()
    const notices = await inspectServer(client)
    const connection = new RedisConnection(client, parsed.kind === 'cluster', onCall)
    await connection.run(PROBE, `${prefix}:{probe}`)

    return new RedisStore(connection, prefix, notices, onNotice)
  } catch (error) {
    throw await refused(error, client, parsed)
  }
}

async function refused(
  error: unknown,
  client: RedisClient,
  address: StoreAddress,
): Promise<UsageError> {
  client.close()
  if (error instanceof UsageError) return error
  const refusal = error instanceof RedisUnavailableError ? error.refusal : refusalIn(error)
  // A server that does not understand the other one's bytes is silent, or closes the connection.
  const mismatch = isReply(error) ? undefined : await tlsMismatch(address)
  return new UsageError({
    code: 'store_unavailable',
    task: `use the store at ${showAddress(address)}`,
    ...(mismatch ?? refusal),
  })
}

/** Braces would be a hash tag of their own. */
function checkPrefix(prefix: string): void {
  if (/^[\w.:-]{1,100}$/.test(prefix)) return
  throw new UsageError({
    code: 'invalid_option',
    task: 'use the prefix of the store',
    reason: 'it must be 1 to 100 letters, digits, and characters of "_.:-"',
  })
}

/** The first version with what the scripts use. */
const MIN_VERSION = 7

/**
 * Checks the version of the server. Resolves with notices about settings with which the store may lose data. Rejects with a
 * UsageError for an old server.
 */
async function inspectServer(client: RedisClient): Promise<readonly string[]> {
  const facts = String(await client.call('info'))
  const version = fieldIn(facts, 'redis_version')
  const major = Number.parseInt(version ?? '', 10)
  if (major < MIN_VERSION) {
    throw new UsageError({
      code: 'store_unavailable',
      task: 'use the store',
      reason: `it is Redis ${version?.slice(0, 20)}`,
      help: 'Use Redis 7 or later, or Valkey.',
    })
  }
  const policy = fieldIn(facts, 'maxmemory_policy')
  if (policy === undefined || policy === 'noeviction') return []

  return [
    `The store has the setting maxmemory-policy ${policy}, with which it removes records when its memory is full. Set it to noeviction.`,
  ]
}

function fieldIn(facts: string, name: string): string | undefined {
  const line = facts.split('\r\n').find((one) => one.startsWith(`${name}:`))
  return line?.slice(name.length + 1)
}

/** How long a server may take to show whether it uses TLS, in milliseconds. */
const LIMIT = 1000

const PING = '*1\r\n$4\r\nPING\r\n'

/** Every reply of a server without TLS begins with one of these: a text, an error, or a request for the password. */
const REPLY = /^[+\-$]/

/**
 * Whether a server that cannot be used speaks TLS where the address says that it does not, or the other way round. It gets neither a
 * password nor data. Resolves with `undefined` when that is not the reason.
 */
async function tlsMismatch({
  nodes: [node],
  isEncrypted,
}: StoreAddress): Promise<StoreRefusal | undefined> {
  if (!node) return undefined
  if (isEncrypted) {
    return (await speaksPlainly(node))
      ? { reason: 'it does not use TLS at this port', help: 'Use redis:// instead of rediss://.' }
      : undefined
  }
  return (await speaksTls(node))
    ? { reason: 'it uses TLS at this port', help: 'Use rediss:// instead of redis://.' }
    : undefined
}

type Node = StoreAddress['nodes'][number]

function speaksPlainly({ host, port }: Node): Promise<boolean> {
  const socket = createConnection({ host, port })
  return seenAt(socket, (found) => {
    socket.once('connect', () => socket.write(PING))
    socket.once('data', (bytes) => found(REPLY.test(bytes.toString('latin1'))))
  })
}

function speaksTls({ host, port }: Node): Promise<boolean> {
  // Whether the certificate is trusted does not matter here: nothing is sent.
  const socket = connect({ host, port, rejectUnauthorized: false })
  return seenAt(socket, (found) => socket.once('secureConnect', () => found(true)))
}

/** Resolves with what was seen at a connection, or with `false` when it failed or took too long. */
async function seenAt(
  socket: Socket,
  watch: (found: (is: boolean) => void) => void,
): Promise<boolean> {
  try {
    return await new Promise<boolean>((resolve) => {
      watch(resolve)
      socket.setTimeout(LIMIT, () => resolve(false))
      socket.once('error', () => resolve(false))
      socket.once('close', () => resolve(false))
    })
  } finally {
    socket.destroy()
  }
}
