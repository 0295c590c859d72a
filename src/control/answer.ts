import {
  chooseContent,
  contentOfBody,
  mediaTypeProblem,
  parseContentType,
} from '../contract/body-content.ts'
import type { Operation } from '../contract/contract.ts'
import { read } from '../contract/read.ts'
import { Router } from '../contract/router.ts'
import { optionsResponse, preflightProblem } from '../engine/preflight.ts'
import { contract } from '../generated/control.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import { WORLD_HEADER } from '../http/paths.ts'
import { asProblem, describeInputErrors, Problem, problems } from '../http/problem.ts'
import { CONTENT_SECURITY_POLICY, preflightOf } from '../http/response-headers.ts'
import { StoreUnavailableError } from '../records/stored-records.ts'
import { toCoreRequest, toResponse } from '../sandbox/fetch.ts'
import type { WorldHost } from '../sandbox/world-host.ts'
import { OWN_WORLD } from '../sandbox/worlds.ts'
import { UsageError } from '../validation/usage-error.ts'
import { type ActionListener, isRead, OpenAction } from './action.ts'
import {
  AfterChanges,
  type Forwarded,
  type ServedDocument,
  type Streams,
  toContent,
} from './call.ts'
import {
  bodyLimitOf,
  parseControlPath,
  refuseNestedWorlds,
  refuseUnknownParameters,
  targetOf,
  withBodyLimit,
  withCollectionPath,
} from './control-target.ts'
import { withSuggestions } from './errors.ts'
import { guard, isAllowedOrigin, type Permission, type RequestSource } from './guard.ts'
import { handlerOf, worldsHandlerOf } from './handlers.ts'

/** The parts of a control interface. */
interface ControlParts {
  readonly host: WorldHost
  readonly permission: Permission
  readonly streams: Streams
  readonly forwarded: Forwarded
  readonly onAction: ActionListener
  readonly document: ServedDocument
  /** Saves what a request changed. When it rejects, the changes are undone. */
  readonly saveChanges: (() => Promise<void>) | undefined
}

// A path with a slash that the document does not have is no path of the control interface.
const routes = new Router(
  { ...withSuggestions(contract), sandbox: { unknownProperties: 'drop' } },
  `GET ${contract.basePath}/`,
)

/** Answers one control request. Read it top to bottom: this is the whole life of a control request. */
export async function answer(
  request: Request,
  address: string | undefined,
  parts: ControlParts,
): Promise<Response> {
  const url = new URL(request.url)
  const source = { url, header: (name: string) => request.headers.get(name) ?? undefined, address }
  const { method } = request
  const action = new OpenAction(method, url.pathname, preflightOf({ method, ...source }))
  const served = await serve(request, source, parts, action).catch(toProblem)
  const problem = served instanceof Problem ? served : action.preflightProblem
  const content = served instanceof Problem ? toErrorResponse(served) : served
  const response = content instanceof Response ? content : await toResponse(content, request)
  const location = response.headers.get('Location') ?? undefined
  action.close(parts.onAction, { status: response.status, location }, problem)

  return withCommonHeaders(response, source, parts.permission)
}

/** How requests are read: records may have integers that JavaScript does not hold exactly. */
const READ_OPTIONS = { maxNotes: 0, takesLargeIntegers: true }

/** Runs guard, route, input and handler in this order. A world is created only for a valid request that is no read. */
async function serve(
  request: Request,
  source: RequestSource,
  parts: ControlParts,
  action: OpenAction,
): Promise<CoreResponse | Response> {
  const { host, permission, streams, forwarded, saveChanges, document } = parts
  const { signal } = request
  const isOptions = request.method === 'OPTIONS'
  // A browser sends its preflight without the token (Fetch, CORS-preflight).
  if (!(isOptions && isAllowedOrigin(source, permission))) guard(source, permission)
  const requested = withCollectionPath(
    parseControlPath(source.url.pathname, source.header),
    host.contract,
  )
  const coreRequest = toCoreRequest(request, requested)
  if (isOptions) {
    action.preflightProblem = preflightProblem(coreRequest, routes)
    return optionsResponse(coreRequest, routes, SENT_HEADERS)
  }

  const match = routes.match(coreRequest.method, requested.path)
  const { operation } = match
  const target = targetOf(operation, requested)
  action.setOperation(operation, target)
  if (target.nameError) throw problems.invalidUsage(target.nameError)
  refuseNestedWorlds(operation, target)
  refuseUnknownParameters(operation, coreRequest)
  refuseOtherMediaTypes(operation, coreRequest)
  const bodyLimit = bodyLimitOf(operation)
  const { input, problem } = await read(match, withBodyLimit(coreRequest, bodyLimit), {
    ...READ_OPTIONS,
    bodyLimit,
  })
  if (problem) throw problem
  action.setInput(input)
  const worldsHandler = worldsHandlerOf(operation)
  if (worldsHandler) {
    return contentOf(
      await host.useWorlds({ saveChanges }, (worlds) => worldsHandler(worlds, input)),
    )
  }
  const mustExist = target.world !== undefined && source.header('if-match') === '*'
  const { basePath: base } = target
  const call = {
    host,
    base,
    request: coreRequest,
    input,
    streams,
    forwarded,
    document,
    signal,
  }

  const content = await host.use(
    target.world ?? OWN_WORLD,
    { mustExist, isRead: isRead(operation), saveChanges },
    (used) => handlerOf(operation)({ ...call, ...used }),
  )
  return contentOf(content)
}

/** The response of a handler, also of one that waits for what follows from its changes. */
async function contentOf(
  content: CoreResponse | Response | AfterChanges,
): Promise<CoreResponse | Response> {
  return content instanceof AfterChanges ? contentOf(toContent(await content.answer())) : content
}

/** Any other error than these is a bug. It is thrown to the transport. */
function toProblem(error: unknown): Problem {
  if (error instanceof StoreUnavailableError) {
    return problems.unavailable(error.message, error.retryAfter)
  }
  return error instanceof UsageError ? problems.invalidUsage(error) : asProblem(error)
}

/** The response of a problem, with its details as members of the body. */
function toErrorResponse(problem: Problem): CoreResponse {
  const { usageError, errors, members } = problem
  if (usageError) {
    const { task, reason, help, location, suggestion, allowed, errors: list } = usageError
    return problem.toResponse({ task, reason, help, location, suggestion, allowed, errors: list })
  }
  const [first] = errors
  if (!first) return problem.toResponse(members)
  const { location, suggestion, allowed } = first
  const reason = describeInputErrors(errors)
  return problem.toResponse({ task: 'read the request', reason, location, suggestion, allowed })
}

/** Adds the headers of every response. Caches must not store it, browsers must not guess its type, and no other page can read it. */
function withCommonHeaders(
  response: Response,
  source: RequestSource,
  permission: Permission,
): Response {
  response.headers.set('Cache-Control', 'no-store')
  response.headers.set('Content-Security-Policy', CONTENT_SECURITY_POLICY)
  response.headers.set('X-Content-Type-Options', 'nosniff')
  if (!isAllowedOrigin(source, permission)) return response
  response.headers.set('Access-Control-Allow-Origin', source.header('origin') ?? '')
  response.headers.set('Access-Control-Expose-Headers', 'Location, WWW-Authenticate')
  response.headers.set('Vary', 'Origin')
  return response
}

/** The request headers that a page of an allowed origin may send. */
const SENT_HEADERS: string = `Authorization, Content-Type, Last-Event-ID, ${WORLD_HEADER}`

/** Throws a 415 for a body of another type than JSON, also for an empty one: a page may send those without a preflight. */
function refuseOtherMediaTypes({ body }: Operation, request: CoreRequest): void {
  const sent = request.header('content-type')
  if (!body || sent === undefined) return
  const type = parseContentType(sent)
  const content = chooseContent(contentOfBody(body), type)
  const problem = mediaTypeProblem(body, request, type, content)
  if (problem) throw problem
}
