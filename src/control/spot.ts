import type { Operation } from '../contract/contract.ts'
import { BODY_LIMIT, decoded } from '../contract/read.ts'
import { contract } from '../generated/control.ts'
import { type Ask, pathBelow } from '../message.ts'
import { problems } from '../problem.ts'
import { suggest } from '../usage-error.ts'
import { isOfWorlds } from './worlds.ts'

/** Snapshots of more bytes are refused. */
const SNAPSHOT_LIMIT = 256 * 1024 * 1024

const WORLD = /^\/worlds\/([^/]+)(\/.*)$/

/** Which world a request is for, and what it asks of it. */
export interface Spot {
  /** The world's name; absent when the request names none. */
  readonly world?: string
  /** Where that world is steered, as `/__sandbox/worlds/checkout`. */
  readonly basePath: string
  /** Below that, as `/clock`. */
  readonly path: string
}

/** Throws the 404 of an address that is not below `/__sandbox`. */
export function spotOf(pathname: string): Spot {
  const { basePath } = contract
  const path = pathBelow(basePath, pathname)
  if (path === undefined) {
    throw problems.notFound(
      `There is nothing at ${pathname}. The control interface is at ${basePath}.`,
    )
  }
  const [, world, rest] = WORLD.exec(path) ?? []
  if (world === undefined || rest === undefined) return { basePath, path: path || '/' }

  return { world: decoded(world), basePath: `${basePath}/worlds/${world}`, path: rest }
}

/** Throws the 404 of an operation on worlds that is asked of a world. */
export function refuseNestedWorlds({ path }: Operation, spot: Spot): void {
  if (spot.world === undefined || !isOfWorlds(path)) return
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
