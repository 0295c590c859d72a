import type { Contract, Operation } from '../contract/contract.ts'
import { decodeComponent } from '../contract/parse-text.ts'
import { contract } from '../generated/control.ts'
import { MEBIBYTE } from '../http/body-limits.ts'
import { type CoreRequest, pathBelow } from '../http/message.ts'
import { chooseWorld, type ReadHeader, worldPath } from '../http/paths.ts'
import { problems } from '../http/problem.ts'
import { collectionIn, pathsOf } from '../resources/bind.ts'
import { suggest, type UsageError } from '../validation/usage-error.ts'

/** Snapshots of more bytes are refused. */
const MAX_BODY_BYTES = MEBIBYTE
const MAX_SNAPSHOT_BYTES = 256 * MEBIBYTE

/** The path of the control interface of a world. */
export function controlPathOf(world: string): string {
  return contract.basePath + worldPath(world)
}

/** The world and the operation path of a control request. */
export interface ControlTarget {
  /** The world's name; absent when the request names none. */
  readonly world?: string
  /** Why the world's name is invalid. */
  readonly nameError?: UsageError
  /** Whether the path names the world. Otherwise a header names it, or nothing does. */
  readonly isInPath: boolean
  /** The base path of the world's control interface, such as `/__sandbox/worlds/checkout`. */
  readonly basePath: string
  /** The path below the base path, such as `/clock`. */
  readonly path: string
}

/** The target of a control path. Throws a 404 for a path that is not below `/__sandbox`. */
export function parseControlPath(pathname: string, header: ReadHeader): ControlTarget {
  const { basePath } = contract
  const path = pathBelow(basePath, pathname)
  if (path === undefined) {
    throw problems.notFound(
      `There is nothing at ${pathname}. The control interface is at ${basePath}.`,
    )
  }
  const { name, nameError, prefix, rest } = chooseWorld(path, header)
  // `/worlds/one` is an operation on worlds; `/worlds/one/` is below the world.
  if (prefix !== '' && rest === '') return { basePath, path, isInPath: false }

  return {
    ...(name !== undefined && { world: name }),
    ...(nameError !== undefined && { nameError }),
    isInPath: prefix !== '',
    basePath: basePath + prefix,
    path: rest || '/',
  }
}

/** The target of an operation. Operations on worlds ignore the world that a header names. */
export function targetOf({ path }: Operation, target: ControlTarget): ControlTarget {
  if (target.isInPath || !isWorldsPath(path)) return target
  const { world: _ignored, ...withoutWorld } = target
  return withoutWorld
}

/** Whether the path of an operation is for the worlds of a sandbox. A single world does not have these operations. */
export function isWorldsPath(path: string): boolean {
  return /^\/(dropped-)?worlds/.test(path)
}

/** Throws a 404 for an operation on worlds below the path of a world. */
export function refuseNestedWorlds({ path }: Operation, target: ControlTarget): void {
  if (!(target.isInPath && isWorldsPath(path))) return
  throw problems.notFound(
    `A world has no worlds. Use ${contract.basePath}${target.path} instead of ${target.basePath}${target.path}.`,
  )
}

/** Throws a 400 for an unknown query parameter, because a misspelt parameter would have no effect. */
export function refuseUnknownParameters({ id, parameters }: Operation, request: CoreRequest): void {
  // The other query parameters of `listRecords` are property names.
  if (id === 'listRecords') return
  const known = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
  for (const name of new URLSearchParams(request.query).keys()) {
    if (known.includes(name)) continue
    const message = `is not a parameter of ${id}`
    throw problems.invalidInput([{ location: `query.${name}`, message, ...suggest(name, known) }])
  }
}

/** The size limit of the body of an operation in bytes. */
export function bodyLimitOf({ id }: Operation): number {
  return id === 'restoreSnapshot' ? MAX_SNAPSHOT_BYTES : MAX_BODY_BYTES
}

/** The request with a body limit. */
export function withBodyLimit(request: CoreRequest, limit: number): CoreRequest {
  return {
    ...request,
    body: async () => {
      const bytes = await request.body(limit)
      if (bytes) return bytes
      throw problems.payloadTooLarge(limit)
    },
  }
}

const RECORDS = '/records/'
const COLLECTIONS = '/collections/'

/** A target whose path has the name of a collection in one segment. */
export function withCollectionPath(target: ControlTarget, contract: Contract): ControlTarget {
  return { ...target, path: joinCollectionPath(target.path, contract) }
}

/**
 * A control path in which the name of a collection is one segment. The path of a collection below records may be written as it is:
 * `/records/orgs/acme/repos/1` is `/records/orgs%2Facme%2Frepos/1`.
 */
function joinCollectionPath(path: string, contract: Contract): string {
  if (path.startsWith(COLLECTIONS)) {
    const name = path.slice(COLLECTIONS.length)
    return name === '' ? path : COLLECTIONS + name.replaceAll('/', '%2F')
  }
  const segments = path.startsWith(RECORDS) ? path.slice(RECORDS.length).split('/') : []
  if (segments.length < 2) return path
  // What no path of the document is like is no collection. To read all resources takes long in a large document.
  const isCollection = (parts: readonly string[]): boolean =>
    mayBeCollection(parts, contract) && collectionIn(contract, parts.join('/')) !== undefined
  const owners = segments.slice(0, -1)
  if (segments.length === 2 && !isCollection(segments)) return path
  // The error about an unknown collection is better with all of its path.
  const isAsLong = Object.values(pathsOf(contract)).some(
    (own) => own.split('/').length === segments.length + 1,
  )
  const isWhole = isCollection(segments) || (isAsLong && !isCollection(owners))
  const rest = isWhole ? [] : segments.slice(-1)
  const collection = isWhole ? segments : owners

  return RECORDS + [encodeURIComponent(collection.join('/')), ...rest].join('/')
}

/** Whether segments may be the path of a collection, or the name of one. One segment may be the name of a schema, too. */
function mayBeCollection(parts: readonly string[], contract: Contract): boolean {
  if (parts.length === 1) return true
  const segments = parts.map(decodeComponent)
  return Object.entries(pathsOf(contract)).some(([name, path]) => {
    const own = path.split('/').slice(1).map(decodeComponent)
    const isLike = (one: string, at: number): boolean => one.includes('{') || one === segments[at]
    return name === parts.join('/') || (own.length === parts.length && own.every(isLike))
  })
}
