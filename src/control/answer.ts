import { Routes } from '../contract/match.ts'
import { read } from '../contract/read.ts'
import { contract } from '../generated/control.ts'
import type { Reply } from '../message.ts'
import { Problem, problems } from '../problem.ts'
import { toAsk, toResponse } from '../sandbox/fetch.ts'
import { options } from '../sandbox/headers.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { UsageError } from '../usage-error.ts'
import type { Streams } from './call.ts'
import { corsHeaders, SENT_HEADERS } from './cross-origin.ts'
import { guard, isInvited, type Leave, type Visit } from './guard.ts'
import { handlerOf } from './handlers.ts'
import { bounded, refuseStrangers, spotOf } from './spot.ts'
import { teaching } from './teach.ts'

/** What a control interface is. */
export interface Desk {
  readonly sandbox: Sandbox
  readonly leave: Leave
  readonly streams: Streams
}

const routes = new Routes(teaching(contract))

/** Answers one control request. Read it top to bottom: this is the whole life of one. */
export async function answer(
  request: Request,
  address: string | undefined,
  desk: Desk,
): Promise<Response> {
  const url = new URL(request.url)
  const visit = { url, header: (name: string) => request.headers.get(name) ?? undefined, address }
  const answered = await serve(request, visit, desk).catch(asReply)
  const response = answered instanceof Response ? answered : await toResponse(answered, request)

  return withCommonHeaders(response, visit, desk.leave)
}

/** Guard, route, input, handler: the first that objects throws. Only then a world comes into being. */
async function serve(request: Request, visit: Visit, desk: Desk): Promise<Reply | Response> {
  const { sandbox, leave, streams } = desk
  const { signal } = request
  const isOptions = request.method === 'OPTIONS'
  // A browser asks for leave without the token (Fetch, CORS-preflight).
  if (!(isOptions && isInvited(visit, leave))) guard(visit, leave)
  const spot = spotOf(visit.url.pathname)
  const ask = toAsk(request, spot)
  if (isOptions) return options(ask, routes, SENT_HEADERS)

  const match = routes.match(ask.method, spot.path)
  const { operation } = match
  refuseStrangers(operation, spot, ask)
  const input = await read(match, bounded(ask, operation), { note: () => undefined })
  const world = spot.world === undefined ? sandbox : sandbox.world(spot.world)

  const base = spot.basePath

  return handlerOf(operation)({ sandbox, world, base, ask, input, streams, signal })
}

/** Anything but a Problem and a UsageError is a bug, and goes on to the transport. */
function asReply(error: unknown): Reply {
  if (error instanceof UsageError)
    return problems.invalidRequest(error.message, error.code).toReply()
  if (error instanceof Problem) return error.toReply()
  throw error
}

/** What is told of a sandbox is true now: nothing may keep it, nor take it for what it is not. */
function withCommonHeaders(response: Response, visit: Visit, leave: Leave): Response {
  response.headers.set('Cache-Control', 'no-store')
  response.headers.set('X-Content-Type-Options', 'nosniff')
  if (!isInvited(visit, leave)) return response
  for (const [name, value] of Object.entries(corsHeaders(visit.header('origin') ?? ''))) {
    response.headers.set(name, value)
  }
  return response
}
