import type { Caller } from '../access/callers.ts'
import { allBasePaths } from '../contract/base-paths.ts'
import type { Operation } from '../contract/contract.ts'
import { chooseResponse } from '../contract/documented-response.ts'
import { endpointOperation, type Match } from '../contract/router.ts'
import { SIGN_IN_ENDPOINTS, type SignInEndpoint } from '../contract/sign-in.ts'
import { type Forced, force } from '../forcing/force.ts'
import type { HandledResponse } from '../handlers/run-handlers.ts'
import { type CoreRequest, type CoreResponse, withKeptBody } from '../http/message.ts'
import { asProblem } from '../http/problem.ts'
import { behave } from '../resources/behaviour/behave.ts'
import { answerEndpoint, type EndpointAnswer } from '../sign-in/answer-endpoint.ts'
import { issuedCaller } from '../sign-in/issued-caller.ts'
import { signInBy, signOutBy } from '../sign-in/login-operation.ts'
import { maskedBody, maskedRequest, maskedResponse } from '../sign-in/mask-secrets.ts'
import { MAX_BODY } from '../sign-in/request-parameters.ts'
import type { SignInHost } from '../sign-in/sign-in-state.ts'
import { type SandboxSignIn, steer } from '../sign-in/steer.ts'
import { isObject } from '../validation/objects.ts'
import { type Arrival, commitOrUndo, refuse, respond, type Served } from './served.ts'
import type { WorldState } from './world-state.ts'

/** The caller with a credential that may be a token of the sandbox. */
export function callerWithToken(caller: Caller, host: SignInHost): Promise<Caller> {
  return issuedCaller(caller, host)
}

/** The sign-in of a world, as tests and the control interface steer it. */
export function steeringOf(host: SignInHost): SandboxSignIn {
  return steer(host)
}

/** Answers a request to an endpoint of sign-in, with what is forced on it. */
export async function serveEndpoint(
  { request, now, ...arrival }: Arrival,
  caller: Caller,
  state: WorldState,
): Promise<Served> {
  const endpoint = SIGN_IN_ENDPOINTS.find((one) => one === request.endpoint)
  if (!endpoint) throw new TypeError(`There is no endpoint ${request.endpoint}`)
  const operation = endpointOperation(request)
  const { rules: access } = state.service.access
  const forced = force({ request, operation, caller, access, now }, state.rules)

  return serveBy(endpoint, { ...arrival, request, now }, forced, state)
}

/** Answers a request to an operation of the document that is an endpoint: by own code, if there is any, else as the endpoint. */
export async function serveOperation(
  arrival: Arrival,
  { operation }: Match,
  forced: Forced,
  state: WorldState,
  own: () => Promise<Served>,
): Promise<Served> {
  if (hasHandlers(operation, state)) return own()
  const endpoint = SIGN_IN_ENDPOINTS.find((one) => one === operation.signIn)
  if (!endpoint) throw new TypeError(`There is no endpoint ${operation.signIn}`)
  return serveBy(endpoint, arrival, forced, state, operation)
}

/** Whether a developer may answer an operation. */
function hasHandlers({ id }: Operation, { service, used }: WorldState): boolean {
  const all = [service.settings.handlers?.selected, ...used]
  return all.some((one) => one?.own.some(({ operation }) => operation.id === id))
}

async function serveBy(
  endpoint: SignInEndpoint,
  arrival: Arrival,
  { effect, withFault, problem, notes }: Forced,
  state: WorldState,
  operation?: Operation,
): Promise<Served> {
  const { service } = state
  const { request, body } = await withBody(arrival.request)
  const known = { operation, effect, withFault, notes, body }
  if (problem) return withoutSecrets(await refuse(arrival, problem, service, known), request)
  try {
    const given = { request, root: rootOf(request, state), outcome: effect?.outcome }
    const answered = await answerEndpoint(endpoint, given, state)
    const { undo, notes: found } = answered
    const saveChanges = request.saveChanges ?? request.settle
    if (saveChanges) await commitOrUndo(saveChanges, undo)
    const response = operation
      ? await asDocumented(answered, operation, arrival, state)
      : answered.response
    return withoutSecrets(
      respond(request, response, { ...known, notes: [...found, ...notes] }),
      request,
    )
  } catch (error) {
    return withoutSecrets(await refuse(arrival, asProblem(error), service, known), request)
  }
}

/** A request whose body was read. */
async function withBody(
  request: CoreRequest,
): Promise<{ readonly request: CoreRequest; readonly body: Uint8Array | undefined }> {
  if (request.method !== 'POST') return { request, body: undefined }
  const kept = withKeptBody(request, MAX_BODY)

  return { request: kept, body: await kept.body(MAX_BODY) }
}

/** The address of the server, with the world: what comes before the base path of the API. */
function rootOf({ base, endpoint, serverPath }: CoreRequest, { service }: WorldState): string {
  if (endpoint) return base
  const { contract } = service.settings
  const paths = [...(serverPath === undefined ? [] : [serverPath]), ...allBasePaths(contract)]
  const own = paths.find((path) => path !== '' && base.endsWith(path))

  return own === undefined ? base : base.slice(0, -own.length)
}

/** The tokens with what else the document requires of the response, generated. */
async function asDocumented(
  { response }: EndpointAnswer,
  operation: Operation,
  { request, now }: Arrival,
  { service, openStore }: WorldState,
): Promise<CoreResponse> {
  const { status, documented } = chooseResponse(operation)
  if (response.status !== 200 || status >= 300) return response
  const settled = { ...response, status }
  if (!documented?.validate || typeof response.body !== 'string') return settled
  const tokens: unknown = JSON.parse(response.body || 'null')
  if (!isObject(tokens) || documented.validate(tokens)) return settled
  const binding = { operation, action: 'stateless', reason: 'no-action' } as const
  const admitted = { request, input: { path: {}, query: {} }, now, binding, service }
  const { response: made } = await behave(admitted, await openStore())
  const generated: unknown = /json/.test(made.headers['Content-Type'] ?? '')
    ? JSON.parse(String(made.body))
    : undefined
  const complete = isObject(generated) ? { ...generated, ...tokens } : tokens

  return documented.validate(complete) ? { ...settled, body: JSON.stringify(complete) } : settled
}

/** A request for an operation that signs a user in or out. */
export interface SignInOperation {
  readonly operation: Operation
  readonly request: CoreRequest
  /** The value of its body. */
  readonly body: unknown
  readonly caller: Caller
}

/** What an operation answers that signs a user in or out: with issued tokens, or after the end of those of the request. */
export async function withSignIn(
  answered: HandledResponse,
  { operation, request, body, caller }: SignInOperation,
  state: WorldState,
): Promise<HandledResponse> {
  const { response, problem, undo } = answered
  const isLogin = operation.signIn === 'login'
  if (problem || response.status >= 300) return answered
  if (!isLogin) {
    const { credential } = caller
    if (!caller.refuse || credential === undefined) return answered
    return { ...answered, undo: both(undo, await signOutBy(credential, state)) }
  }
  const { issuerPath = '' } = state.service.settings.contract.signIn ?? {}
  const issuer = rootOf(request, state) + issuerPath
  const signedIn = await signInBy({ operation, body, response }, { issuer }, state)

  return { ...answered, response: signedIn.response, undo: both(undo, signedIn.undo) }
}

/** What the journal keeps of a login: no password, and no token. */
export function withoutSecrets(served: Served, request: CoreRequest): Served {
  const { response, body } = served
  return {
    ...served,
    body: maskedBody(body),
    recorded: { request: maskedRequest(request), response: maskedResponse(response) },
  }
}

function both(
  one: (() => Promise<void>) | undefined,
  other: (() => Promise<void>) | undefined,
): () => Promise<void> {
  return async () => {
    await other?.()
    await one?.()
  }
}
