import type { Operation } from '../contract/contract.ts'
import { BODY_LIMIT } from '../contract/request-body.ts'
import { contract } from '../generated/control.ts'
import { type CoreRequest, pathBelow } from '../http/message.ts'
import { problems } from '../http/problem.ts'
import { chooseWorld, type ReadHeader } from '../http/world-path.ts'
import { suggest } from '../validation/suggestion.ts'
import type { UsageError } from '../validation/usage-error.ts'
import { isOfWorlds } from './worlds.ts'

/** Snapshots of more bytes are refused. */
const SNAPSHOT_LIMIT = 256 * 1024 * 1024

/** Which world a request is for, and what it asks of it. */
export interface ControlTarget {
  /** The world's name; absent when the request names none. */
  readonly world?: string
  /** Why what the request names cannot be a world. */
  readonly fault?: UsageError
  /** Whether the path names it, and no header. */
  readonly isInPath: boolean
  /** Where that world is steered, as `/__sandbox/worlds/checkout`. */
  readonly basePath: string
  /** Below that, as `/clock`. */
  readonly path: string
}

/** Throws the 404 of an address that is not below `/__sandbox`. */
export function parseControlPath(pathname: string, header: ReadHeader): ControlTarget {
  const { basePath } = contract
  const path = pathBelow(basePath, pathname)
  if (path === undefined) {
    throw problems.notFound(
      `There is nothing at ${pathname}. The control interface is at ${basePath}.`,
    )
  }
  const { name, fault, prefix, rest } = chooseWorld(path, header)
  // `/worlds/one` is an operation on worlds; `/worlds/one/` is below the world.
  if (prefix !== '' && rest === '') return { basePath, path, isInPath: false }

  return {
    ...(name !== undefined && { world: name }),
    ...(fault !== undefined && { fault }),
    isInPath: prefix !== '',
    basePath: basePath + prefix,
    path: rest || '/',
  }
}

/** Where an operation is done. Those on worlds are the sandbox's, whatever world a header chooses. */
export function targetOf({ path }: Operation, target: ControlTarget): ControlTarget {
  if (target.isInPath || !isOfWorlds(path)) return target
  const { world: _ignored, ...ofSandbox } = target
  return ofSandbox
}

/** Throws the 400 of a request that names what cannot be a world. */
export function refuseInvalidWorldName({ fault }: ControlTarget): void {
  if (fault) throw problems.invalidUsage(fault)
}

/** Throws the 404 of an operation on worlds that is asked of a world. */
export function refuseNestedWorlds({ path }: Operation, target: ControlTarget): void {
  if (!(target.isInPath && isOfWorlds(path))) return
  throw problems.notFound(
    `A world has no worlds. They are at ${contract.basePath}${target.path}, and this is ${target.basePath}.`,
  )
}

/** Throws a 400 for a query parameter that the operation does not have: a misspelt one would pass for one left out. */
export function refuseUnknownParameters({ id, parameters }: Operation, request: CoreRequest): void {
  // There, any other name is a property's.
  if (id === 'listRecords') return
  const known = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
  for (const name of new URLSearchParams(request.query).keys()) {
    if (known.includes(name)) continue
    const message = `is not a parameter of ${id}`
    throw problems.invalidInput([{ location: `query.${name}`, message, ...suggest(name, known) }])
  }
}

/** The request, its body bounded by what the operation takes. */
export function withBodyLimit(request: CoreRequest, { id }: Operation): CoreRequest {
  const limit = id === 'restoreSnapshot' ? SNAPSHOT_LIMIT : BODY_LIMIT

  return {
    ...request,
    body: async () => {
      const bytes = await request.body(limit)
      if (bytes) return bytes
      throw problems.payloadTooLarge(limit)
    },
  }
}
