const KEY = 'secret'
const LIMIT = 200
const MINUTE = 60_000
const STATUSES = ['available', 'pending', 'sold']

/** The first id, which a JavaScript number cannot represent exactly. */
const FIRST = 7_000_000_000_000_000_001n

interface Animal {
  readonly id: bigint
  readonly name: string
  readonly categoryId: bigint
  readonly status?: string
}

/**
 * A second implementation of the Pet Adoption Store, written from its specification only. Where the specification is silent,
 * it differs from the sandbox: newest animals first, no pages, no defaults, 64-bit ids, clamped limits, ignored invalid
 * filters, counted refused requests, and a 429 in plain text.
 */
export class HandWrittenStore {
  readonly key: string = KEY
  now: number = Date.parse('2027-03-01T12:00:10Z')
  readonly #animals: Animal[] = []
  readonly #counts = new Map<string, number>()

  constructor(animals: number) {
    for (let index = 0; index < animals; index += 1) {
      const status = index % 4 === 3 ? undefined : STATUSES[index % 4]
      this.#add({
        name: `Animal ${index}`,
        categoryId: BigInt(index % 5),
        ...(status && { status }),
      })
    }
  }

  async fetch(request: Request): Promise<Response> {
    const isAuthenticated = request.headers.get('Authorization') === `Bearer ${KEY}`
    const account = `${isAuthenticated} ${Math.floor(this.now / MINUTE)}`
    const count = (this.#counts.get(account) ?? 0) + 1
    this.#counts.set(account, count)
    const response = await this.#answer(request, isAuthenticated, count > LIMIT)
    const end = (Math.floor(this.now / MINUTE) + 1) * MINUTE
    response.headers.set('X-RateLimit-Limit', String(LIMIT))
    response.headers.set('X-RateLimit-Remaining', String(Math.max(0, LIMIT - count)))
    response.headers.set('X-RateLimit-Reset', String(end / 1000))
    response.headers.set('Date', new Date(this.now).toUTCString())
    if (response.status === 429) response.headers.set('Retry-After', new Date(end).toUTCString())

    return response
  }

  async #answer(
    request: Request,
    isAuthenticated: boolean,
    isOverLimit: boolean,
  ): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    if (!isAuthenticated) return errorResponse(401, 'nope')
    if (isOverLimit) return new Response('Slow down.', { status: 429 })
    const [, id] = /^\/v1\/pets\/([^/]+)$/.exec(pathname) ?? []
    if (request.method === 'GET' && id !== undefined) {
      const animal = this.#animals.find((one) => String(one.id) === id)
      return animal
        ? new Response(print(animal), { headers: JSON_TYPE })
        : errorResponse(404, 'gone')
    }
    if (pathname !== '/v1/pets') return errorResponse(404, 'no-route')
    if (request.method === 'POST') return this.#create(await request.text())
    return request.method === 'GET' ? this.#list(searchParams) : errorResponse(400, 'no-method')
  }

  #list(query: URLSearchParams): Response {
    const limit = Math.min(100, Math.max(1, Number(query.get('limit') ?? 20) || 20))
    const status = query.get('status') ?? ''
    const matching = this.#animals.filter(
      (one) => !STATUSES.includes(status) || one.status === status,
    )
    return new Response(`[${matching.slice(0, Math.floor(limit)).map(print)}]`, {
      headers: JSON_TYPE,
    })
  }

  #create(text: string): Response {
    const [, digits = ''] = /"categoryId":\s*(-?\d+)\s*[,}]/.exec(text) ?? []
    const isInt64 = digits !== '' && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits)
    try {
      const { name, status } = JSON.parse(text)
      const isValid = status === undefined || STATUSES.includes(status)
      if (typeof name !== 'string' || !isInt64 || !isValid || text.startsWith('[')) {
        return errorResponse(400, 'invalid')
      }
      const animal = this.#add({ name, categoryId: BigInt(digits), ...(status && { status }) })
      return new Response(print(animal), { status: 201, headers: JSON_TYPE })
    } catch {
      return errorResponse(400, 'no-json')
    }
  }

  #add(animal: Omit<Animal, 'id'>): Animal {
    const added = { ...animal, id: FIRST + BigInt(this.#animals.length) }
    this.#animals.unshift(added)
    return added
  }
}

const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' }

function errorResponse(status: number, code: string): Response {
  const body = JSON.stringify({ code, message: 'That is not possible.', status, trace: 'a1' })
  return new Response(body, { status, headers: JSON_TYPE })
}

function print({ id, name, categoryId, status }: Animal): string {
  const rest = status === undefined ? '' : `,"status":"${status}"`
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${rest}}`
}
