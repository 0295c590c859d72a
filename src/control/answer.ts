import { read } from '../contract/read.ts'
import { Router } from '../contract/router.ts'
import { commitOrUndo } from '../engine/commit-or-undo.ts'
import { optionsResponse, preflightProblem } from '../engine/preflight.ts'
import { contract } from '../generated/control.ts'
import { preflightOf } from '../http/cross-origin.ts'
import type { CoreResponse } from '../http/message.ts'
import { describeInputErrors, Problem, problems } from '../http/problem.ts'
import { Changes } from '../sandbox/changes.ts'
import { toCoreRequest, toResponse } from '../sandbox/fetch.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { UsageError } from '../validation/usage-error.ts'
import { type ActionListener, OpenAction } from './action.ts'
import type { Streams } from './call.ts'
import {
  parseControlPath,
  refuseInvalidWorldName,
  refuseNestedWorlds,
  refuseUnknownParameters,
  targetOf,
  withBodyLimit,
} from './control-target.ts'
import { corsHeaders, SENT_HEADERS } from './cross-origin.ts'
import { guard, isAllowedOrigin, type Permission, type RequestSource } from './guard.ts'
import { handlerOf } from './handlers.ts'
import { withSuggestions } from './with-suggestions.ts'

/** What a control interface is made of. */
export interface ControlParts {
  readonly sandbox: Sandbox
  readonly permission: Permission
  readonly streams: Streams
  readonly onAction: ActionListener
  /** Saves what a request changed; when it rejects, that is undone. */
  readonly settle: (() => Promise<void>) | undefined
}

const routes = new Router(withSuggestions(contract))

/** Answers one control request. Read it top to bottom: this is the whole life of one. */
export async function answer(
  request: Request,
  address: string | undefined,
  parts: ControlParts,
): Promise<Response> {
  const url = new URL(request.url)
  const visit = { url, header: (name: string) => request.headers.get(name) ?? undefined, address }
  const { method } = request
  const action = new OpenAction(method, url.pathname, preflightOf({ method, ...visit }))
  const answered = await serve(request, visit, parts, action).catch(asProblem)
  const problem = answered instanceof Problem ? answered : action.refused
  const reply = answered instanceof Problem ? toErrorResponse(answered) : answered
  const response = reply instanceof Response ? reply : await toResponse(reply, request)
  const location = response.headers.get('Location') ?? undefined
  action.close(parts.onAction, { status: response.status, location }, problem)

  return withCommonHeaders(response, visit, parts.permission)
}

/** Guard, route, input, handler, saving: the first that objects throws. Only then a world comes into being. */
async function serve(
  request: Request,
  visit: RequestSource,
  parts: ControlParts,
  action: OpenAction,
): Promise<CoreResponse | Response> {
  const { sandbox, permission, streams, settle } = parts
  const { signal } = request
  const isOptions = request.method === 'OPTIONS'
  // A browser sends its preflight without the token (Fetch, CORS-preflight).
  if (!(isOptions && isAllowedOrigin(visit, permission))) guard(visit, permission)
  const asked = parseControlPath(visit.url.pathname, visit.header)
  const coreRequest = toCoreRequest(request, asked)
  if (isOptions) {
    action.refused = preflightProblem(coreRequest, routes)
    return optionsResponse(coreRequest, routes, SENT_HEADERS)
  }

  const match = routes.match(coreRequest.method, asked.path)
  const { operation } = match
  const target = targetOf(operation, asked)
  action.match(operation, target)
  refuseInvalidWorldName(target)
  refuseNestedWorlds(operation, target)
  refuseUnknownParameters(operation, coreRequest)
  const { input, problem } = await read(match, withBodyLimit(coreRequest, operation), 0)
  if (problem) throw problem
  action.read(input)
  const world = target.world === undefined ? sandbox : sandbox.world(target.world)
  const changes = settle && new Changes(sandbox, world)
  const note = changes?.note ?? (() => undefined)
  const call = {
    sandbox,
    world,
    base: target.basePath,
    request: coreRequest,
    input,
    streams,
    signal,
    note,
  }
  const answering = handlerOf(operation)(call)
  if (!(changes && settle)) return answering
  const answered = await changes.until(answering)
  await commitOrUndo(settle, changes.undo)

  return answered
}

/** Anything but a Problem and a UsageError is a bug, and goes on to the transport. */
function asProblem(error: unknown): Problem {
  if (error instanceof UsageError) return problems.invalidUsage(error)
  if (error instanceof Problem) return error
  throw error
}

/** A problem, with its details as members of the body. */
function toErrorResponse(problem: Problem): CoreResponse {
  const { usageError, errors, members } = problem
  if (usageError) {
    const { task, reason, help, location, suggestion, allowed } = usageError
    return problem.toResponse({ task, reason, help, location, suggestion, allowed })
  }
  const [first] = errors
  if (!first) return problem.toResponse(members)
  const { location, suggestion, allowed } = first
  const reason = describeInputErrors(errors)
  return problem.toResponse({ task: 'read the request', reason, location, suggestion, allowed })
}

/** What is told of a sandbox is true now: nothing may keep it, nor take it for what it is not. */
function withCommonHeaders(
  response: Response,
  visit: RequestSource,
  permission: Permission,
): Response {
  response.headers.set('Cache-Control', 'no-store')
  response.headers.set('X-Content-Type-Options', 'nosniff')
  if (!isAllowedOrigin(visit, permission)) return response
  for (const [name, value] of Object.entries(corsHeaders(visit.header('origin') ?? ''))) {
    response.headers.set(name, value)
  }
  return response
}
