/** An animal, as the service returns it. */
export interface Pet {
  readonly id: number
  readonly name: string
  readonly categoryId: number
  readonly status?: 'available' | 'pending' | 'sold'
}

/** The body of an error response. */
export interface ErrorBody {
  readonly code: string
  readonly message: string
  readonly status: number
}

/** A JSON object; a test that reads what is inside its properties names its type. */
export type JsonObject = Readonly<Record<string, unknown>>

/** A response with its JSON as a value. A test names the type of the body, when it is another one than an object. */
export interface JsonResponse<Body = JsonObject> {
  readonly status: number
  readonly headers: Headers
  /** `undefined` without content. */
  readonly body: Body
}

export async function readJson<Body>(response: Response): Promise<JsonResponse<Body>> {
  const { status, headers } = response
  const text = await response.text()

  return { status, headers, body: text === '' ? undefined : JSON.parse(text) }
}

export function petOf(response: Response): Promise<Pet> {
  return response.json()
}

export function petsOf(response: Response): Promise<Pet[]> {
  return response.json()
}

export async function idsOf(response: Response): Promise<number[]> {
  return (await petsOf(response)).map(({ id }) => id)
}

export function errorOf(response: Response): Promise<ErrorBody> {
  return response.json()
}

/** The values of the `X-RateLimit-*` headers; `NaN` for a missing header. */
export function quotaOf({ headers }: Response): {
  limit: number
  remaining: number
  reset: number
} {
  const number = (name: string): number => Number(headers.get(`X-RateLimit-${name}`) ?? Number.NaN)
  return { limit: number('Limit'), remaining: number('Remaining'), reset: number('Reset') }
}

/** The value of `Retry-After` in seconds; `NaN` without the header. */
export function retryAfterOf({ headers }: Response): number {
  return Number(headers.get('Retry-After') ?? Number.NaN)
}

/** The target of the link with this relation (RFC 8288). */
export function linkOf({ headers }: Response, relation: string): string | undefined {
  const links = (headers.get('Link') ?? '').matchAll(/<([^>]*)>; rel="([^"]*)"/g)
  return [...links].find(([, , rel]) => rel === relation)?.[1]
}

/** Runs an action `count` times in sequence and returns the results. */
export async function repeat<T>(count: number, action: () => Promise<T>): Promise<T[]> {
  const results: T[] = []
  while (results.length < count) results.push(await action())
  return results
}

/** An instant in Unix seconds, the unit of `X-RateLimit-Reset`. */
export function unixSeconds(instant: string): number {
  return Date.parse(instant) / 1000
}

/** Converts the rejection of `fetch` on a broken connection to the network error that `sandbox.fetch` returns. */
export function toNetworkError(error: unknown): Response {
  if (error instanceof TypeError) return Response.error()
  throw error
}
