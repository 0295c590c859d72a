import { allBasePaths } from '../contract/base-paths.ts'
import type { Contract } from '../contract/contract.ts'
import type { Location } from '../contract/router.ts'
import { answer } from '../engine/answer.ts'
import type { Service } from '../engine/service.ts'
import {
  notFoundOutsideApi,
  rejectUnparsed,
  worldPrefixOf,
} from '../engine/unrecorded-responses.ts'
import type { WorldState } from '../engine/world-state.ts'
import { type CoreRequest, type CoreResponse, pathBelow } from '../http/message.ts'
import { chooseWorld, type ReadHeader } from '../http/paths.ts'
import { type Problem, problems } from '../http/problem.ts'
import { getOwn } from '../validation/objects.ts'
import { UsageError } from '../validation/usage-error.ts'

/** Leads requests to a world, or to the worlds of a sandbox: for transports, which users of a world do not need. */
export interface WorldRouter {
  /**
   * Where a request leads, by its path and, in a sandbox, by the header that chooses a world; `undefined` outside the API. A
   * given base path replaces those of the contract, and has all operations.
   */
  resolveMount(pathname: string, header: ReadHeader, basePath?: string): Mount | undefined
  /**
   * The path that answers for an address of sign-in in the document, or for one at the same origin; `undefined` for any other address.
   */
  endpointPath(origin: string, pathname: string): string | undefined
  /** The 404 for an address outside the base path, which says where the API is. `pageOrigin` is the request's `Origin`. */
  notFoundOutsideApi(origin: string, pathname: string, pageOrigin?: string): Promise<CoreResponse>
  /**
   * The response to a request that could not be read, or failed: the problem, with the usual headers. `pageOrigin` is the
   * request's `Origin`.
   */
  rejectUnparsed(problem: Problem, pageOrigin?: string): Promise<CoreResponse>
}

/** Where a path leads. */
export interface Mount {
  /** The part of the path that belongs to the base address, such as `/v1` or `/worlds/one/v1`. */
  readonly basePath: string
  /** The rest, still percent-encoded, such as `/books/7`. */
  readonly path: string
  /** As in {@link CoreRequest}. */
  readonly serverPath?: string | undefined
  /** As in {@link CoreRequest}: what a path of sign-in is for. */
  readonly endpoint?: string
  /** Why the world name of the request is invalid. The request gets a 400, which no journal has. */
  readonly nameError?: UsageError
  /** Whether the API has operations at the path. */
  exists(): boolean
  /** Answers there. */
  answer(request: CoreRequest): Promise<CoreResponse>
}

/** The property under which a world has its router. All copies of the package share the symbol. */
const ROUTER: unique symbol = Symbol.for('pet-sandbox.router')

interface RoutedWorld {
  readonly [ROUTER]: WorldRouter
}

/** Gives a world its router, without showing it to those who list the world's properties. */
export function setRouter(world: object, router: WorldRouter): void {
  Object.defineProperty(world, ROUTER, { value: router })
}

/** The router of a world. Throws a UsageError for a value that is not a world of pet-sandbox, such as a copy of one. */
export function routerOf(world: unknown): WorldRouter {
  if (isRouted(world)) return world[ROUTER]
  throw new UsageError({
    code: 'no_sandbox',
    task: 'use the sandbox',
    reason: 'the value is not a sandbox',
    help: 'Give what createSandbox() returns.',
  })
}

function isRouted(world: unknown): world is RoutedWorld {
  return typeof world === 'object' && world !== null && ROUTER in world
}

/** What answers the requests to a world. */
interface AnsweringWorld {
  answer(request: CoreRequest): Promise<CoreResponse>
  /** As in {@link WorldRouter}. */
  readonly rejectUnparsed: WorldRouter['rejectUnparsed']
}

/** Answers the requests to a world in memory. */
export function answeringIn(stateOf: () => WorldState): AnsweringWorld {
  return {
    answer: (request) => answer(request, stateOf()),
    rejectUnparsed: (problem, pageOrigin) => rejectUnparsed(problem, stateOf(), pageOrigin),
  }
}

/** A router that leads to one world. */
export function createWorldRouter(serviceOf: () => Service, world: AnsweringWorld): WorldRouter {
  return {
    resolveMount: (pathname, _header, basePath) => {
      const { router, settings } = serviceOf()
      const endpoint =
        basePath === undefined
          ? getOwn(settings.contract.signIn?.endpoints ?? {}, pathname)
          : undefined
      if (endpoint) return endpointMount(endpoint, pathname, world)
      const location =
        basePath === undefined ? router.locate(pathname) : locationBelow(basePath, pathname)
      return (
        location && {
          ...location,
          exists: () => router.hasPath(location.path, location.serverPath),
          answer: world.answer,
        }
      )
    },
    endpointPath: (origin, pathname) => {
      const { addresses = [] } = serviceOf().settings.contract.signIn ?? {}
      const own = addresses.filter(({ url }) => url.startsWith(`${origin}/`))
      if (own.length === 0) return undefined
      return own.find(({ url }) => url === origin + pathname)?.path ?? pathname
    },
    notFoundOutsideApi: (origin, pathname, pageOrigin) =>
      notFoundOutsideApi(serviceOf(), { origin, pathname, pageOrigin }),
    rejectUnparsed: world.rejectUnparsed,
  }
}

/** Where a path of sign-in leads, beside the base path. */
function endpointMount(endpoint: string, path: string, world: AnsweringWorld): Mount {
  return {
    basePath: '',
    path,
    endpoint,
    exists: () => true,
    answer: (request) => world.answer({ ...request, endpoint }),
  }
}

function locationBelow(basePath: string, pathname: string): Location | undefined {
  const path = pathBelow(basePath, pathname)
  return path === undefined ? undefined : { basePath, path }
}

/** The start of a path that a world's could be taken for. */
const WORLDS_OR_ANY = /^\/(worlds(\/|$)|\{)/

/** Whether a path of the sandbox's own world may begin as the path of another world does. */
type RootTest = (mount: Mount) => boolean

/** An API may have the word "worlds" in its base path or, at the root, as a collection. */
function createRootTest(contract: Contract): RootTest {
  const hasOneBasePath = allBasePaths(contract).length === 1
  const hasWorldsAtRoot = contract.operations.some(({ path }) => WORLDS_OR_ANY.test(path))

  return ({ basePath, exists }) =>
    basePath === '' ? hasWorldsAtRoot && (hasOneBasePath || exists()) : WORLDS_OR_ANY.test(basePath)
}

/** A router that leads to the worlds of a sandbox: to its own world, unless the request names another one. */
export function createSandboxRouter(
  serviceOf: () => Service,
  own: WorldRouter,
  answerIn: (world: string, request: CoreRequest) => Promise<CoreResponse>,
): WorldRouter {
  let roots: { readonly contract: Contract; readonly test: RootTest } | undefined
  const rootTest = (): RootTest => {
    const { contract } = serviceOf().settings
    if (roots?.contract !== contract) roots = { contract, test: createRootTest(contract) }
    return roots.test
  }

  return {
    resolveMount: (pathname, header, basePath) => {
      const ownMount = own.resolveMount(pathname, header, basePath)
      const isOwnPath = ownMount !== undefined && rootTest()(ownMount)
      const { name, nameError, prefix, rest } = chooseWorld(pathname, header, { isOwnPath })
      const mount = prefix === '' ? ownMount : own.resolveMount(rest, header, basePath)
      if (!mount || (name === undefined && nameError === undefined)) return mount

      return {
        ...mount,
        basePath: prefix + mount.basePath,
        ...(nameError && { nameError }),
        answer: async (request) =>
          name === undefined
            ? own.rejectUnparsed(
                problems.invalidRequest(nameError?.message ?? ''),
                request.header('origin'),
              )
            : answerIn(name, mount.endpoint ? { ...request, endpoint: mount.endpoint } : request),
      }
    },
    notFoundOutsideApi: async (origin, pathname, pageOrigin) => {
      const service = serviceOf()
      const prefix = worldPrefixOf(service.settings.contract, pathname)
      return notFoundOutsideApi(service, { origin, pathname, pageOrigin, prefix })
    },
    rejectUnparsed: own.rejectUnparsed,
    endpointPath: own.endpointPath,
  }
}

/** What is served: `routerOf` has its router. */
export interface ServedSandbox {
  readonly contract: Contract
}
