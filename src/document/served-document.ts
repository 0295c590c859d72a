import { isObject } from '../validation/objects.ts'
import { basePathsOf } from './base-paths.ts'
import { asArray, asObject, type JsonObject } from './json-value.ts'

/** The formats of a served document. */
export type DocumentFormat = 'json' | 'yaml'

/** Where a sandbox serves the operations of its document. */
export interface ServedAddress {
  /** The URL of the server or of a world, such as `http://127.0.0.1:4010/worlds/one`. */
  readonly root: string
  /** The path of the API below it, such as `/v1`. */
  readonly basePath: string
}

/** The text of a document with the address of the sandbox first in each list of servers. Loads the YAML writer only for YAML. */
export async function servedDocument(
  document: JsonObject,
  address: ServedAddress,
  format: DocumentFormat,
): Promise<string> {
  const served = withServers(document, address)
  if (format === 'json') return JSON.stringify(served)
  const { dump } = await import('js-yaml')
  return dump(served, { noRefs: true, lineWidth: -1 })
}

/** A copy with other lists of servers. Path items and operations without servers of their own stay as they are. */
function withServers(document: JsonObject, { root, basePath }: ServedAddress): JsonObject {
  const { servers, paths, openapi, info, ...rest } = document
  const own = { url: root + basePath || '/', description: 'The sandbox' }
  const withOwnServers = (part: unknown): unknown => replaceServers(part, root)
  const items = Object.entries(asObject(paths)).map(([path, item]) => [
    path,
    replaceServers(mapValues(item, withOwnServers), root),
  ])

  return {
    openapi,
    info,
    servers: [own, ...withoutUrl(servers, own.url)],
    ...(paths !== undefined && { paths: Object.fromEntries(items) }),
    ...rest,
  }
}

/** A path item or an operation; with servers of its own, the sandbox serves it at the path of the first one. */
function replaceServers(part: unknown, root: string): unknown {
  if (!isObject(part) || asArray(part.servers).length === 0) return part
  const [path] = basePathsOf(part.servers)
  const own = { url: root + path || '/', description: 'The sandbox' }

  return { ...part, servers: [own, ...withoutUrl(part.servers, own.url)] }
}

function withoutUrl(servers: unknown, url: string): readonly unknown[] {
  return asArray(servers).filter((server) => asObject(server).url !== url)
}

function mapValues(value: unknown, map: (value: unknown) => unknown): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, map(inner)]))
}
