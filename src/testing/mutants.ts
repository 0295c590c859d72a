import type { Sandbox } from '../index.ts'

type Answer = (request: Request) => Promise<Response>

/** A service that is broken in one way: it stands between whoever asks and the sandbox. */
export type Mutation = (request: Request, answer: Answer, sandbox: Sandbox) => Promise<Response>

/** Changes the answers to some requests. */
export function changeResponse(
  when: (request: Request, response: Response) => boolean,
  change: (response: Response, request: Request) => Response | Promise<Response>,
): Mutation {
  return async (request, answer) => {
    const response = await answer(request.clone())
    return when(request, response) ? change(response, request) : response
  }
}

/** Changes what the service understands of a request. */
export function changeUrl(change: (url: URL, request: Request) => void): Mutation {
  return async (request, answer) => {
    const url = new URL(request.url)
    change(url, request)
    return answer(
      new Request(url, {
        method: request.method,
        headers: request.headers,
        ...(request.body && { body: await request.text() }),
      }),
    )
  }
}

/** Takes a request for another, with a key that is valid, for instance. */
export function changeRequest(
  when: (request: Request, body: string) => boolean,
  change: (request: Request, body: string) => Request,
): Mutation {
  return async (request, answer) => {
    const body = await request.clone().text()
    return answer(when(request, body) ? change(request, body) : request)
  }
}

/** The response with other headers; a header that is `undefined` goes. */
export function withHeaders(
  response: Response,
  headers: Readonly<Record<string, string | undefined>>,
): Response {
  const given = new Headers(response.headers)
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) given.delete(name)
    else given.set(name, value)
  }
  const { status } = response
  return new Response(response.body, { status, headers: given })
}

/** The response with another body. */
export async function withJson(
  response: Response,
  // biome-ignore lint/suspicious/noExplicitAny: a mutant knows what it breaks
  change: (value: any) => unknown,
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
