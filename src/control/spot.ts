import type { Operation } from '../contract/contract.ts'
import { BODY_LIMIT } from '../contract/read.ts'
import { contract } from '../generated/control.ts'
import { type Ask, pathBelow } from '../message.ts'
import { problems } from '../problem.ts'
import { suggest } from '../usage-error.ts'
import { chooseWorld, type ReadHeader } from '../world-name.ts'
import { isOfWorlds } from './worlds.ts'

/** Snapshots of more bytes are refused. */
const SNAPSHOT_LIMIT = 256 * 1024 * 1024

/** Which world a request is for, and what it asks of it. */
export interface Spot {
  /** The world's name; absent when the request names none. */
  readonly world?: string
  /** Why what the request names cannot be a world. */
  readonly fault?: string
  /** Whether the path names it, and no header. */
  readonly isInPath: boolean
  /** Where that world is steered, as `/__sandbox/worlds/checkout`. */
  readonly basePath: string
  /** Below that, as `/clock`. */
  readonly path: string
}

/** Throws the 404 of an address that is not below `/__sandbox`. */
export function spotOf(pathname: string, header: ReadHeader): Spot {
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
export function spotFor({ path }: Operation, spot: Spot): Spot {
  if (spot.isInPath || !isOfWorlds(path)) return spot
  const { world: _ignored, ...ofSandbox } = spot
  return ofSandbox
}

/** Throws the 400 of a request that names what cannot be a world. */
export function refuseWrongName({ fault }: Spot): void {
  if (fault !== undefined) throw problems.invalidRequest(fault, 'invalid_world')
}

/** Throws the 404 of an operation on worlds that is asked of a world. */
export function refuseNestedWorlds({ path }: Operation, spot: Spot): void {
  if (!(spot.isInPath && isOfWorlds(path))) return
  throw problems.notFound(
    `A world has no worlds. They are at ${contract.basePath}${spot.path}, and this is ${spot.basePath}.`,
  )
}

/** Throws a 400 for a query parameter that the operation does not have: a misspelt one would pass for one left out. */
export function refuseUnknownParameters({ id, parameters }: Operation, ask: Ask): void {
  // There, any other name is a property's.
  if (id === 'listRecords') return
  const known = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
  for (const name of new URLSearchParams(ask.query).keys()) {
    if (known.includes(name)) continue
    throw problems.invalidRequest(`query.${name} is no parameter of ${id}. ${suggest(name, known)}`)
  }
}

/** The request, its body bounded by what the operation takes. */
export function bounded(ask: Ask, { id }: Operation): Ask {
  const limit = id === 'restoreSnapshot' ? SNAPSHOT_LIMIT : BODY_LIMIT

  return {
    ...ask,
    body: async () => {
      const bytes = await ask.body(limit)
      if (bytes) return bytes
      throw problems.payloadTooLarge(limit)
    },
  }
}
