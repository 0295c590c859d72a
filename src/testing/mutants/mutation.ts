import type { Sandbox } from '../../index.ts'
import type { JsonObject } from '../responses.ts'

type Handler = (request: Request) => Promise<Response>

/** A bug in a service. It is called for each request, and `handle` sends a request to the correct service. */
export type Mutation = (request: Request, handle: Handler, sandbox: Sandbox) => Promise<Response>

/** Changes the responses for which `when` is true. */
export function changeResponse(
  when: (request: Request, response: Response) => boolean,
  change: (response: Response, request: Request) => Response | Promise<Response>,
): Mutation {
  return async (request, handle) => {
    const response = await handle(request.clone())
    return when(request, response) ? change(response, request) : response
  }
}

/** Replaces a status, in the responses to the requests for which `when` is true. */
export function changeStatus(
  from: number,
  to: number,
  when: (request: Request) => boolean = () => true,
): Mutation {
  return changeResponse(
    (request, { status }) => status === from && when(request),
    (response) => withStatus(response, to),
  )
}

/** Changes the URL of every request. */
export function changeUrl(change: (url: URL, request: Request) => void): Mutation {
  return async (request, handle) => {
    const url = new URL(request.url)
    change(url, request)
    return handle(
      new Request(url, {
        method: request.method,
        headers: request.headers,
        ...(request.body && { body: await request.text() }),
      }),
    )
  }
}

/** Replaces the requests for which `when` is true, for example by one with a valid key. */
export function changeRequest(
  when: (request: Request, body: string) => boolean,
  change: (request: Request, body: string) => Request,
): Mutation {
  return async (request, handle) => {
    const body = await request.clone().text()
    return handle(when(request, body) ? change(request, body) : request)
  }
}

/** Returns the response with these headers. `undefined` removes a header. */
export function withHeaders(
  response: Response,
  headers: Readonly<Record<string, string | undefined>>,
): Response {
  const result = new Headers(response.headers)
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) result.delete(name)
    else result.set(name, value)
  }
  const { status } = response
  return new Response(response.body, { status, headers: result })
}

/** Returns the response with a changed JSON body. */
export async function withJson<Body = JsonObject>(
  response: Response,
  change: (value: Body) => unknown,
): Promise<Response> {
  const { status, headers } = response
  return new Response(JSON.stringify(change(await response.json())), { status, headers })
}

export function withStatus({ body, headers }: Response, status: number): Response {
  return new Response(body, { status, headers })
}

export function numericHeader(response: Response, name: string): number {
  return Number(response.headers.get(name))
}

export function isList({ method, url }: Request): boolean {
  return method === 'GET' && new URL(url).pathname === '/v1/pets'
}

export function isRead({ method, url }: Request): boolean {
  return method === 'GET' && /\/pets\/[^/]+$/.test(new URL(url).pathname)
}

export function isCreate({ method }: Request): boolean {
  return method === 'POST'
}

export function queryOf({ url }: Request): URLSearchParams {
  return new URL(url).searchParams
}
