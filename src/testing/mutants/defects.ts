import {
  changeRequest,
  changeResponse,
  isCreate,
  isList,
  isRead,
  type Mutation,
  numericHeader,
  queryOf,
  withHeaders,
  withJson,
  withStatus,
} from './mutation.ts'

/** The key that the mutated service accepts. */
export const KEY = 'sk_sandbox_pro'

export function isAny(): boolean {
  return true
}

export function isServed(_: Request, { ok }: Response): boolean {
  return ok
}

export function hasKey({ headers }: Request): boolean {
  return headers.has('Authorization')
}

export function withKey(request: Request): Request {
  const headers = new Headers(request.headers)
  headers.set('Authorization', `Bearer ${KEY}`)
  return new Request(request, { headers })
}

export function withBody(request: Request, body: string): Request {
  return new Request(request, { method: 'POST', headers: request.headers, body })
}

/** States two limits in turn. */
export function alternatingLimit(): Mutation {
  let count = 0
  return changeResponse(isAny, (one) => {
    count += 1
    return withHeaders(one, { 'X-RateLimit-Limit': String(300 + (count % 2)) })
  })
}

export function isListed(request: Request, response: Response): boolean {
  return isList(request) && response.status === 200 && request.method === 'GET'
}

export function isFiltered(request: Request, response: Response): boolean {
  return isListed(request, response) && queryOf(request).has('status')
}

export function isLaterPage(request: Request, response: Response): boolean {
  return isListed(request, response) && queryOf(request).has('cursor')
}

export function isCreated(request: Request, { status }: Response): boolean {
  return isCreate(request) && status === 201
}

export function isReadAndServed(request: Request, { status }: Response): boolean {
  return isRead(request) && status === 200
}

export function withLargerLimit(url: URL, by: number): void {
  const limit = url.searchParams.get('limit')
  if (limit === '1') url.searchParams.set('limit', String(Number(limit) + by))
}

export function withDefaultLimit(url: URL, limit: string): void {
  if (!url.searchParams.has('limit')) url.searchParams.set('limit', limit)
}

export function clampLimit(url: URL): void {
  if (Number(url.searchParams.get('limit')) > 100) url.searchParams.set('limit', '100')
}

export function replaceParameter(
  url: URL,
  name: string,
  value: string,
  other: string | undefined,
): void {
  if (url.searchParams.get(name) !== value) return
  if (other === undefined) url.searchParams.delete(name)
  else url.searchParams.set(name, other)
}

export function keepFirstParameter(url: URL, name: string): void {
  const [first] = url.searchParams.getAll(name)
  if (first !== undefined) url.searchParams.set(name, first)
}

export function replacePath(url: URL, path: RegExp, other: string): void {
  url.pathname = url.pathname.replace(path, other)
}

export function tooMany({ headers }: Response): Response {
  const rows = Array.from({ length: 101 }, (_, at) => ({ id: at + 1, name: 'Rex', categoryId: 1 }))
  return Response.json(rows, { status: 200, headers })
}

export function changeLink(response: Response, part: RegExp, other: string): Response {
  const link = response.headers.get('Link')?.replace(part, other).replace('?&', '?')
  return link === undefined ? response : withHeaders(response, { Link: link })
}

export function changeReset(response: Response, change: (at: number) => number): Response {
  return withHeaders(response, {
    'X-RateLimit-Reset': `${change(numericHeader(response, 'X-RateLimit-Reset'))}`,
  })
}

export function changeRemaining(response: Response, change: (left: number) => number): Response {
  const left = change(numericHeader(response, 'X-RateLimit-Remaining'))
  return withHeaders(response, { 'X-RateLimit-Remaining': `${left}` })
}

export function overlappingPages(): Mutation {
  let end: unknown
  return changeResponse(
    (request, response) => isListed(request, response) && queryOf(request).has('limit'),
    (response, request) =>
      withJson(response, (rows: unknown[]) => {
        const shown = queryOf(request).has('cursor') ? [end, ...rows.slice(1)] : rows
        end = rows.at(-1)
        return shown
      }),
  )
}

/** Both mutations. */
export function combine(inner: Mutation, outer: Mutation): Mutation {
  return (request, answer, sandbox) => outer(request, (one) => inner(one, answer, sandbox), sandbox)
}

/** `Retry-After` as a date (RFC 9110, section 10.2.3). */
export function retryAfterAsDate({ headers }: Response): string | undefined {
  const wait = headers.get('Retry-After')
  const now = Date.parse(headers.get('Date') ?? '')
  return wait === null ? undefined : new Date(now + Number(wait) * 1000).toUTCString()
}

/** Accepts an invalid body. */
export function acceptInvalidBody(when: (body: Record<string, unknown>) => boolean): Mutation {
  return changeRequest(
    (request, body) => isCreate(request) && hasKey(request) && when(objectOf(body)),
    (request) => withBody(request, JSON.stringify({ name: 'Rex', categoryId: 1 })),
  )
}

function objectOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? { ...value } : { name: '', categoryId: 1 }
  } catch {
    return { name: '', categoryId: 1 }
  }
}

export function roundLargeInteger(): Mutation {
  return async (request, answer) => {
    const text = await request.clone().text()
    if (!text.includes('9223372036854775807')) return answer(request)
    const response = await answer(withBody(request, text.replace('9223372036854775807', '1')))
    return withJson(response, (row) => ({ ...row, categoryId: 9223372036854776000 }))
  }
}

/** Returns 429 for ever after the first 429. */
export function refuseForEver(): Mutation {
  let isRefused = false
  return async (request, answer) => {
    const response = await answer(request)
    isRefused ||= response.status === 429
    return isRefused ? withStatus(response, 429) : response
  }
}

/** Accepts three requests more than the limit. */
export function refuseLate(): Mutation {
  let spare = 3
  return async (request, answer) => {
    const response = await answer(request)
    if (response.status !== 429 || spare-- <= 0) return response
    return withHeaders(Response.json([], { headers: response.headers }), {
      'Retry-After': undefined,
    })
  }
}

export function acceptClientId(): Mutation {
  return async (request, answer) => {
    const { id } = objectOf(await request.clone().text())
    const response = await answer(request)
    return id === undefined ? response : withJson(response, (row) => ({ ...row, id }))
  }
}
