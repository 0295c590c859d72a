import type { Service } from '../../engine/service.ts'
import type { CoreRequest, CoreResponse } from '../../http/message.ts'
import { problems } from '../../http/problem.ts'
import { StoreUnavailableError } from '../../state/store-unavailable-error.ts'
import { createSandboxRouter, createWorldRouter, type WorldRouter } from '../router.ts'
import { OWN_WORLD } from '../worlds.ts'
import { KEY_WORLD, KeyWorlds } from './key-worlds.ts'
import type { KnownWorlds } from './known-worlds.ts'
import { tooManyChanges } from './too-many-changes.ts'
import {
  optionsWithoutStore,
  rejectedWithoutStore,
  unavailableResponse,
} from './unavailable-response.ts'

/** Called with a request that gets a 503 because of the store, and with the reason. */
export type UnavailableListener = (
  request: CoreRequest,
  response: CoreResponse,
  reason: string,
) => void

interface RouterOptions {
  readonly worldBy?: 'key' | undefined
  readonly onUnavailable?: UnavailableListener | undefined
}

/** A router to the worlds in a store. While the store is away, requests get a 503. */
export function createSharedRouter(
  worlds: KnownWorlds,
  service: Service,
  { worldBy, onUnavailable }: RouterOptions = {},
): WorldRouter {
  const unavailable = async (error: unknown, request: CoreRequest): Promise<CoreResponse> => {
    if (error instanceof StoreUnavailableError) {
      const options = await optionsWithoutStore(request, service)
      if (options) return options
    }
    const response = await unavailableResponse(error, request, service)
    if (error instanceof Error) onUnavailable?.(request, response, error.message)
    return response
  }
  const answerIn = async (name: string, request: CoreRequest): Promise<CoreResponse> => {
    const response = await worlds.use(name).answer(request)
    if (response) return response
    throw tooManyChanges(name)
  }
  const keyWorlds = new KeyWorlds(worlds, service)
  const answerUnnamed = (request: CoreRequest): Promise<CoreResponse> =>
    worldBy === 'key' ? keyWorlds.answer(request) : answerIn(OWN_WORLD, request)
  const rejectUnparsed: WorldRouter['rejectUnparsed'] = async (problem, origin) => {
    try {
      return await worlds.use(OWN_WORLD).reject(problem, origin)
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error
      return rejectedWithoutStore(problem, service, origin)
    }
  }
  const own = createWorldRouter(() => service, {
    answer: (request) => answerUnnamed(request).catch((error) => unavailable(error, request)),
    rejectUnparsed,
  })

  return createSandboxRouter(
    () => service,
    own,
    async (name, request) => {
      if (worldBy === 'key' && name.startsWith(KEY_WORLD)) {
        const problem = problems.invalidRequest(
          `A request cannot choose a world whose name starts with "${KEY_WORLD}". Send the API key instead.`,
        )
        return rejectUnparsed(problem, request.header('origin'))
      }
      return answerIn(name, request).catch((error) => unavailable(error, request))
    },
  )
}
