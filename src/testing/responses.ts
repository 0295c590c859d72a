/** An animal, as the service gives it. */
export interface Pet {
  readonly id: number
  readonly name: string
  readonly categoryId: number
  readonly status?: 'available' | 'pending' | 'sold'
}

/** The Error body. */
export interface ErrorBody {
  readonly code: string
  readonly message: string
  readonly status: number
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

/** What the `X-RateLimit-*` headers tell, as numbers. */
export function quotaOf({ headers }: Response): {
  limit: number
  remaining: number
  reset: number
} {
  const number = (name: string): number => Number(headers.get(`X-RateLimit-${name}`) ?? Number.NaN)
  return { limit: number('Limit'), remaining: number('Remaining'), reset: number('Reset') }
}

/** The wait that `Retry-After` asks for, in seconds. */
export function retryAfterOf({ headers }: Response): number {
  return Number(headers.get('Retry-After') ?? Number.NaN)
}

/** The target of the link with this relation (RFC 8288). */
export function linkOf({ headers }: Response, relation: string): string | undefined {
  const links = (headers.get('Link') ?? '').matchAll(/<([^>]*)>; rel="([^"]*)"/g)
  return [...links].find(([, , rel]) => rel === relation)?.[1]
}

/** Does something again and again, one after the other, and gives what came of each. */
export async function repeat<T>(count: number, deed: () => Promise<T>): Promise<T[]> {
  const results: T[] = []
  while (results.length < count) results.push(await deed())
  return results
}

/** Moments in Unix seconds, as `X-RateLimit-Reset` tells them. */
export function unixSeconds(moment: string): number {
  return Date.parse(moment) / 1000
}
