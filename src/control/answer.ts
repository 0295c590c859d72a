import { Routes } from '../contract/match.ts'
import { read } from '../contract/read.ts'
import { contract } from '../generated/control.ts'
import type { Reply } from '../message.ts'
import { Problem, problems } from '../problem.ts'
import { options } from '../sandbox/cross-origin.ts'
import { toAsk, toResponse } from '../sandbox/fetch.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { UsageError } from '../usage-error.ts'
import type { Streams } from './call.ts'
import { corsHeaders, SENT_HEADERS } from './cross-origin.ts'
import { guard, isInvited, type Permission, type Visit } from './guard.ts'
import { handlerOf } from './handlers.ts'
import { bounded, refuseNestedWorlds, refuseUnknownParameters, spotOf } from './spot.ts'
import { teaching } from './teach.ts'

/** What a control interface is made of. */
export interface ControlParts {
  readonly sandbox: Sandbox
  readonly permission: Permission
  readonly streams: Streams
}

const routes = new Routes(teaching(contract))

/** Answers one control request. Read it top to bottom: this is the whole life of one. */
export async function answer(
  request: Request,
  address: string | undefined,
  parts: ControlParts,
): Promise<Response> {
  const url = new URL(request.url)
  const visit = { url, header: (name: string) => request.headers.get(name) ?? undefined, address }
  const answered = await serve(request, visit, parts).catch(asReply)
  const response = answered instanceof Response ? answered : await toResponse(answered, request)

  return withCommonHeaders(response, visit, parts.permission)
}

/** Guard, route, input, handler: the first that objects throws. Only then a world comes into being. */
async function serve(
  request: Request,
  visit: Visit,
  parts: ControlParts,
): Promise<Reply | Response> {
  const { sandbox, permission, streams } = parts
  const { signal } = request
  const isOptions = request.method === 'OPTIONS'
  // A browser sends its preflight without the token (Fetch, CORS-preflight).
  if (!(isOptions && isInvited(visit, permission))) guard(visit, permission)
  const spot = spotOf(visit.url.pathname)
  const ask = toAsk(request, spot)
  if (isOptions) return options(ask, routes, SENT_HEADERS)

  const match = routes.match(ask.method, spot.path)
  const { operation } = match
  refuseNestedWorlds(operation, spot)
  refuseUnknownParameters(operation, ask)
  const input = await read(match, bounded(ask, operation), { note: () => undefined })
  const world = spot.world === undefined ? sandbox : sandbox.world(spot.world)
  const call = { sandbox, world, base: spot.basePath, ask, input, streams, signal }

  return handlerOf(operation)(call)
}

/** Anything but a Problem and a UsageError is a bug, and goes on to the transport. */
function asReply(error: unknown): Reply {
  if (error instanceof UsageError)
    return problems.invalidRequest(error.message, error.code).toReply()
  if (error instanceof Problem) return error.toReply()
  throw error
}

/** What is told of a sandbox is true now: nothing may keep it, nor take it for what it is not. */
function withCommonHeaders(response: Response, visit: Visit, permission: Permission): Response {
  response.headers.set('Cache-Control', 'no-store')
  response.headers.set('X-Content-Type-Options', 'nosniff')
  if (!isInvited(visit, permission)) return response
  for (const [name, value] of Object.entries(corsHeaders(visit.header('origin') ?? ''))) {
    response.headers.set(name, value)
  }
  return response
}
