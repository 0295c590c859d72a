import { UsageError } from '../validation/usage-error.ts'

/** Where a store is. */
export interface StoreAddress {
  readonly kind: 'server' | 'cluster' | 'sentinel'
  readonly nodes: readonly { readonly host: string; readonly port: number }[]
  readonly isEncrypted: boolean
  readonly username?: string
  readonly password?: string
  readonly database: number
  /** The name that sentinels know the server by. */
  readonly name?: string
}

const KINDS: Readonly<Record<string, StoreAddress['kind']>> = {
  '': 'server',
  '+cluster': 'cluster',
  '+sentinel': 'sentinel',
}

/** Scheme, credentials, hosts, path and query. A host may be an IPv6 address in brackets. */
const ADDRESS =
  /^redis(?<tls>s)?(?<kind>\+cluster|\+sentinel|):\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^@]*))?@)?(?<hosts>[^/?#@]+)(?:\/(?<database>\d*))?(?:\?name=(?<name>[^&#]+))?$/

const HOST = /^(?<host>\[[0-9a-f:.]+\]|[^:[\]\s]+)(?::(?<port>\d{1,5}))?$/i

/**
 * Reads an address such as `redis://user:password@host:6379/0`. Several hosts are a cluster. Throws a UsageError, which does not
 * contain the password, for another text.
 */
export function parseStoreAddress(address: string): StoreAddress {
  const groups = ADDRESS.exec(address)?.groups
  if (!groups) throw invalidAddress('it is not an address of Redis')
  const given = KINDS[groups.kind ?? ''] ?? 'server'
  const nodes = (groups.hosts ?? '')
    .split(',')
    .map((host) => nodeOf(host, given === 'sentinel' ? 26379 : 6379))
  const kind = given === 'server' && nodes.length > 1 ? 'cluster' : given
  const database = Number(groups.database || 0)
  const name = decoded(groups.name)
  const [username, password] = [decoded(groups.user), decoded(groups.password)]
  if (kind === 'cluster' && database !== 0)
    throw invalidAddress('a cluster has only the database 0')
  if ((kind === 'sentinel') !== (name !== undefined)) {
    throw invalidAddress(
      'an address of sentinels, and no other one, has ?name= with the name of the server',
    )
  }
  return {
    kind,
    nodes,
    isEncrypted: groups.tls !== undefined,
    database,
    ...(username && { username }),
    ...(password && { password }),
    ...(name !== undefined && { name }),
  }
}

/** The hosts and ports of an address, for messages. */
export function showAddress({ nodes }: StoreAddress): string {
  return nodes.map(({ host, port }) => `${host}:${port}`).join(', ')
}

function nodeOf(text: string, usualPort: number): { readonly host: string; readonly port: number } {
  const groups = HOST.exec(text)?.groups
  const port = Number(groups?.port ?? usualPort)
  if (!groups || port < 1 || port > 65_535) throw invalidAddress('a host or a port is wrong')
  return { host: (groups.host ?? '').replace(/^\[|\]$/g, ''), port }
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text)
  } catch {
    throw invalidAddress('a percent sign in it is not part of an escape such as %40')
  }
}

function invalidAddress(reason: string): UsageError {
  return new UsageError({
    code: 'invalid_store',
    task: 'use the address of the store',
    reason,
    help: 'Write it as redis://USER:PASSWORD@HOST:6379/0, redis+cluster://HOST,HOST or redis+sentinel://HOST,HOST/0?name=NAME, with rediss for TLS and percent-encoded credentials.',
  })
}
