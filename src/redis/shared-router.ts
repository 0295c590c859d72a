import { documentedError } from '../engine/documented-error.ts'
import { isImplicitOptions, optionsResponse } from '../engine/preflight.ts'
import { attempt } from '../engine/served.ts'
import type { Service } from '../engine/service.ts'
import { SENDER_HEADER } from '../events/targets.ts'
import { type CoreRequest, type CoreResponse, withKeptBody } from '../http/message.ts'
import { Problem, problems } from '../http/problem.ts'
import { withCommonHeaders } from '../http/response-headers.ts'
import { StoreUnavailableError } from '../records/stored-records.ts'
import { createSandboxRouter, createWorldRouter, type WorldRouter } from '../sandbox/router.ts'
import { OWN_WORLD } from '../sandbox/worlds.ts'
import { MAX_BODY } from '../sign-in/request-parameters.ts'
import { Clock } from '../time/clock.ts'
import { KEY_WORLD, KeyWorlds, type KnownWorlds } from './world-choice.ts'

/** Called with a request that gets a 503 because of the store, and with the reason. */
export type UnavailableListener = (
  request: CoreRequest,
  response: CoreResponse,
  reason: string,
) => void

const SENDER = SENDER_HEADER.toLowerCase()

interface RouterOptions {
  readonly worldBy?: 'key' | undefined
  /** What the deliveries of the servers of this store have. */
  readonly mark?: string
  readonly onUnavailable?: UnavailableListener | undefined
}

/** A router to the worlds in a store. While the store is away, requests get a 503. */
export function createSharedRouter(
  worlds: KnownWorlds,
  service: Service,
  { worldBy, onUnavailable, mark }: RouterOptions = {},
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
  // A request may be decided more than once, also in another world.
  const most = Math.max(service.settings.bodyLimit, MAX_BODY)
  const keptOnce = (request: CoreRequest): CoreRequest => withKeptBody(request, most)
  const answerIn = async (name: string, request: CoreRequest): Promise<CoreResponse> => {
    const response = await worlds.use(name).answer(request)
    if (response) return response
    throw new TypeError('A world that was chosen by its name is never outdated')
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
  // An event must not be a request that causes the next event. Each server knows its own addresses only.
  const refuseDelivery = (request: CoreRequest): Promise<CoreResponse> | undefined => {
    if (mark === undefined || request.header(SENDER) !== mark) return undefined
    const problem = problems.forbidden('The servers of a store send no events to each other.')
    return rejectUnparsed(problem, request.header('origin'))
  }
  const own = createWorldRouter(() => service, {
    answer: (request) =>
      refuseDelivery(request) ??
      answerUnnamed(keptOnce(request)).catch((error) => unavailable(error, request)),
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
      return (
        refuseDelivery(request) ??
        answerIn(name, keptOnce(request)).catch((error) => unavailable(error, request))
      )
    },
  )
}

/**
 * The 503 of a request that failed because the store is away, in the form of the document, without the quota headers, which nobody can
 * know then. Rethrows any other error.
 */
async function unavailableResponse(
  error: unknown,
  request: CoreRequest,
  service: Service,
): Promise<CoreResponse> {
  if (!(error instanceof StoreUnavailableError)) throw error
  const match = service.router.find(request)
  const operation = match instanceof Problem ? undefined : match.operation
  const now = new Clock().now()
  const problem = problems.unavailable(sentence(error.message), error.retryAfter)
  const response = await documentedError(problem, { request, operation, now }, service)
  const crossOrigin = service.crossOrigin.headers(request.header('origin'), request.method)

  return withCommonHeaders(response, undefined, now, crossOrigin)
}

/**
 * The response to an OPTIONS that the sandbox answers itself, while the store is away: it depends on the document only, so that pages
 * of other origins can read the 503 of the request that follows. `undefined` for any other request.
 */
async function optionsWithoutStore(
  request: CoreRequest,
  service: Service,
): Promise<CoreResponse | undefined> {
  const { router, crossOrigin } = service
  if (!isImplicitOptions(request, router)) return undefined
  const result = attempt(() => optionsResponse(request, router))
  const now = new Clock().now()
  const response =
    result instanceof Problem ? await documentedError(result, { request, now }, service) : result

  return withCommonHeaders(
    response,
    undefined,
    now,
    crossOrigin.headers(request.header('origin'), request.method),
  )
}

/** The response to a request that could not be read, while the store is away: the problem without quota headers. */
async function rejectedWithoutStore(
  problem: Problem,
  service: Service,
  origin: string | undefined,
): Promise<CoreResponse> {
  const now = new Clock().now()
  const response = await documentedError(problem, { now }, service)

  return withCommonHeaders(response, undefined, now, service.crossOrigin.headers(origin))
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`
}
