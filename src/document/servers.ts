import { getOwn, isObject } from '../validation/objects.ts'
import { asArray, asObject, asString, type JsonObject } from './json-value.ts'

/** A list of servers has no more base paths than this; the others are left out. */
const MAX_BASE_PATHS = 64

/** The servers of a list that are read, and the variables of a server that vary: their combinations fill the limit. */
const MAX_SERVERS = 1000
const MAX_VARYING = 6

/** A variable in the URL of a server, with the slash before it. */
const VARIABLE = /(\/?)\{([^{}]+)\}/g

/**
 * The paths of servers, each once, such as `/v1`. The main one comes first: that of the first server with a path. Server
 * variables have their default, and each value of their `enum` gives another path. Without servers, the path is empty.
 */
export function basePathsOf(servers: unknown): readonly [string, ...string[]] {
  const paths = new Set<string>()
  for (const server of asArray(servers).slice(0, MAX_SERVERS)) {
    for (const path of serverPaths(server, MAX_BASE_PATHS - paths.size)) paths.add(path)
    if (paths.size === MAX_BASE_PATHS) break
  }
  const main = [...paths].find((path) => path !== '') ?? ''

  return [main, ...[...paths].filter((path) => path !== main)]
}

/** The first list that has servers: those of an operation replace those of its path item. */
export function ownServersOf(...lists: readonly unknown[]): unknown {
  return lists.find((list) => asArray(list).length > 0)
}

/** The paths of one server, that with the defaults of its variables first. */
function serverPaths(server: unknown, limit: number): string[] {
  const { url, variables } = asObject(server)
  const template = asString(url) ?? ''
  const choices = [...choicesOf(template, asObject(variables))]
  const defaults = new Map(choices.map(([name, [preset = '']]) => [name, preset]))
  const varying = choices.filter(([, values]) => values.length > 1).slice(0, MAX_VARYING)

  return combinations(varying, limit).map((chosen) =>
    pathOf(fill(template, new Map([...defaults, ...chosen]))),
  )
}

/** A URL with the values of its variables. A segment without a value is left out, with its slash. */
function fill(template: string, values: ReadonlyMap<string, string>): string {
  return template.replace(VARIABLE, (variable, slash: string, name: string, at: number) => {
    const value = values.get(name) ?? ''
    const next = template.charAt(at + variable.length)
    return value === '' && (next === '' || next === '/') ? '' : slash + value
  })
}

/** The possible values of each variable of a URL, the default first. Of one that cannot change the path, only the default. */
function choicesOf(
  template: string,
  variables: Readonly<Record<string, unknown>>,
): Map<string, readonly string[]> {
  const host = HOST.exec(template)?.[0] ?? ''
  const isInPath = (name: string): boolean => template.slice(host.length).includes(`{${name}}`)
  const names = [...template.matchAll(VARIABLE)].map(([, , name = '']) => name)

  return new Map(
    names.map((name) => {
      const values = valuesOf(getOwn(variables, name))
      const canChangePath = isInPath(name) || values.some((value) => value.includes('/'))
      // An unknown host still needs a name: without it, the path would be taken for the host.
      const fallback = isInPath(name) ? '' : 'localhost'
      return [name, canChangePath ? values : [values[0] ?? fallback]]
    }),
  )
}

/** The values of a server variable, the default first. */
function valuesOf(variable: unknown): readonly string[] {
  if (!isObject(variable)) return []
  const { default: preset, enum: others } = variable
  const isText = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

  return [...new Set([preset, ...asArray(others)].filter(isText).map(String))]
}

/** The combinations of one value for each variable, as far as the limit allows, the defaults first. */
function combinations(
  choices: readonly (readonly [name: string, values: readonly string[]])[],
  limit: number,
): readonly (readonly (readonly [name: string, value: string])[])[] {
  let found: (readonly (readonly [string, string])[])[] = [[]]
  for (const [name, values] of choices) {
    found = values
      .slice(0, limit)
      .flatMap((value) => found.map((start) => [...start, [name, value] as const]))
      .slice(0, limit)
  }
  return found
}

/** Scheme and host of a URL, either of which may have variables. A host without a scheme counts, too, as authors forget it. */
const HOST =
  /^(?:(?:[a-z][a-z\d+.-]*|\{[^{}]*\}):)?\/\/[^/?#]*|^(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?(?=\/|$)|^[\w.-]+:\d+(?=\/|$)/i

/**
 * The path of a URL without the slash at its end. A relative URL is relative to the address of the document, whose path is
 * taken to be `/`. A URL that cannot be parsed has no path.
 */
function pathOf(url: string): string {
  const host = HOST.exec(url)?.[0]
  const address = host === undefined ? url : `http://localhost${url.slice(host.length)}`
  if (!URL.canParse(address, 'http://localhost')) return ''
  const { pathname } = new URL(address, 'http://localhost')

  return pathname.startsWith('/') ? pathname.replace(/\/+$/, '') : ''
}

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
