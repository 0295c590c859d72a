import type { SignInEndpoint } from '../contract/sign-in.ts'
import { methodsOf } from '../contract/sign-in.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import { problems } from '../http/problem.ts'
import { preflightOf } from '../http/response-headers.ts'
import type { Note } from '../journal/exchange.ts'
import { answerAuthorize, answerDevicePage } from './authorize.ts'
import { answerDeviceAuthorization } from './device.ts'
import type { EndpointRequest } from './endpoint-request.ts'
import { answerKeySet, answerMetadata } from './metadata.ts'
import { errorResponse, OAuthError } from './oauth-error.ts'
import { messagePage, pageResponse } from './page.ts'
import { type SignInHost, SignInState } from './sign-in-state.ts'
import { answerLogout } from './sign-out.ts'
import { answerToken } from './token-endpoint.ts'
import { answerIntrospection, answerRevocation, answerUserinfo } from './token-info.ts'

/** The answer of an endpoint, with what the report has to know, and how to undo what it changed. */
export interface EndpointAnswer {
  readonly response: CoreResponse
  readonly notes: readonly Note[]
  readonly undo?: () => Promise<void>
}

/** The endpoints that people open in a browser: their errors are pages. */
const PAGES: readonly SignInEndpoint[] = ['authorize', 'device', 'logout']

const ANSWERS: Readonly<
  Record<SignInEndpoint, (asked: EndpointRequest) => CoreResponse | Promise<CoreResponse>>
> = {
  authorize: answerAuthorize,
  token: answerToken,
  revoke: answerRevocation,
  introspect: answerIntrospection,
  device_authorization: (asked) => {
    const { device = '' } = asked.state.host.service.settings.contract.signIn?.paths ?? {}
    return answerDeviceAuthorization({ ...asked, verificationUri: asked.root + device })
  },
  device: answerDevicePage,
  userinfo: answerUserinfo,
  jwks: answerKeySet,
  logout: answerLogout,
  'openid-configuration': answerMetadata,
  'authorization-server': answerMetadata,
}

/** Answers a request to an endpoint of sign-in. `root` is the address of the server, with the world. */
export async function answerEndpoint(
  endpoint: SignInEndpoint,
  {
    request,
    root,
    outcome,
  }: {
    readonly request: CoreRequest
    readonly root: string
    readonly outcome?: string | undefined
  },
  host: SignInHost,
): Promise<EndpointAnswer> {
  const methods = methodsOf(endpoint)
  if (request.method === 'OPTIONS')
    return { response: optionsResponse(request, methods), notes: [] }
  if (!methods.includes(request.method === 'HEAD' ? 'GET' : request.method)) {
    const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
    throw problems.methodNotAllowed(
      `The endpoint answers ${methods.join(' and ')}, not ${request.method}.`,
      allowed,
    )
  }
  const state = await SignInState.open(host)
  const notes: Note[] = []
  const note = (one: Note): void => {
    if (!notes.some(({ place }) => place === one.place)) notes.push(one)
  }
  const { issuerPath = '' } = host.service.settings.contract.signIn ?? {}
  const asked = { request, state, root, issuer: root + issuerPath, outcome, note }
  const response = await respond(endpoint, asked)

  return { response, notes, ...(state.isChanged && { undo: state.undo }) }
}

async function respond(endpoint: SignInEndpoint, asked: EndpointRequest): Promise<CoreResponse> {
  try {
    return await ANSWERS[endpoint](asked)
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    for (const note of error.notes) asked.note(note)
    if (!PAGES.includes(endpoint)) return errorResponse(error)
    return pageResponse(400, messagePage('This cannot go on', error.description))
  }
}

/** Pages of other origins may use every endpoint with the headers that they ask for. */
function optionsResponse(request: CoreRequest, methods: readonly string[]): CoreResponse {
  const allowed = [...methods, 'OPTIONS'].join(', ')
  const asked = preflightOf(request) ? request.header('access-control-request-headers') : undefined
  const isFromPublicPage = request.header('access-control-request-private-network') === 'true'
  return {
    status: 204,
    headers: {
      Allow: allowed,
      'Access-Control-Allow-Methods': allowed,
      'Access-Control-Allow-Headers': asked || 'Authorization, Content-Type',
      'Access-Control-Max-Age': '600',
      ...(isFromPublicPage && { 'Access-Control-Allow-Private-Network': 'true' }),
    },
    body: '',
  }
}
