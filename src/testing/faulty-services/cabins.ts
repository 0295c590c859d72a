import type { JsonObject } from '../../document/json-value.ts'
import { isObject } from '../../validation/objects.ts'
import { answer, body, documentOf, errors, inQuery, objectOf, text } from './document-parts.ts'
import { startsWithDay } from './faults.ts'
import type { FaultyService } from './faulty-service.ts'

/** The faults of the cabins, each with a check that sees it. */
const FAULTS: Readonly<Record<string, string>> = {
  'has no cursor although there are more': 'listCabins/walk/more',
  'has a cursor after the last page': 'listCabins/walk/more',
  'counts the cabins of the page': 'listCabins/walk/total',
  'ignores the least number of beds': 'listCabins/min_beds=…/fits',
  'lists only cabins with more beds': 'listCabins/min_beds=…/fits',
  'keeps what a PUT does not name': 'replaceCabin/replaced',
  'removes the oldest new cabin, too': 'removeCabin/others/listed',
  'others see the figures': 'cabinFigures/other-key',
  'others replace cabins': 'replaceCabin/other-key',
  'figures for everybody': 'cabinFigures/no-key',
  'ignores the first day': 'listBookings/from=…/fits',
  'ignores the last day': 'listBookings/to=…/fits',
  'lists the bookings of the day, too': 'listBookings/before=…/fits',
  'accepts any text as a day of the query': 'listBookings/from=no-date',
  'accepts any text as a day': 'createBooking/starts_on="1-no-date"',
  'cuts guests': 'createBooking/values/largest/shown',
  'cancels twice': 'cancelBooking/twice',
  'creates only the first of several bookings': 'readBooking/each/createBookings',
  'creates any number of bookings': 'createBookings/21-bookings',
  'creates several bookings without guests': 'createBookings/a-missing-bookings[].guest',
}

const KEYS: Readonly<Record<string, string>> = { 'key-of-ann': 'ann', 'key-of-bob': 'bob' }

const date = { type: 'string', format: 'date' }
const inPath = (name: string): object => ({ name, in: 'path', required: true, schema: text })
const readOnly = { ...text, readOnly: true }
const beds = { type: 'integer', minimum: 1, maximum: 9 }
const sentCabin = {
  ...{ name: { type: 'string', minLength: 1, maxLength: 60 }, beds },
  view: { type: ['string', 'null'], maxLength: 60 },
}
const newCabin = objectOf(sentCabin, ['name', 'beds'])
const cabin = objectOf({ id: readOnly, ...sentCabin }, ['id', 'name', 'beds'])
const sentBooking = {
  ...{ guest: { type: 'string', minLength: 1, maxLength: 60 }, starts_on: date, ends_on: date },
}
const newBooking = objectOf(sentBooking, ['guest', 'starts_on', 'ends_on'])
const status = { type: 'string', enum: ['confirmed', 'cancelled'], readOnly: true }
const booking = objectOf({ id: readOnly, ...sentBooking, status }, ['id', 'guest', 'status'])
const several = { type: 'array', items: newBooking, minItems: 1, maxItems: 20 }
const CABIN = { parameters: [inPath('cabinId')] }
const BOOKING = { parameters: [inPath('cabinId'), inPath('bookingId')] }

/** The document of the cabins. */
const DOCUMENT: JsonObject = documentOf(
  'Cabins',
  'https://cabins.example/v1',
  {
    '/cabins': {
      get: {
        operationId: 'listCabins',
        parameters: [
          inQuery('limit', { type: 'integer', minimum: 1, maximum: 50, default: 6 }),
          inQuery('cursor', text, 'The X-Next-Cursor of the page before.'),
          inQuery('min_beds', beds, 'Only cabins with at least so many beds.'),
        ],
        responses: {
          200: answer(
            { type: 'array', items: cabin },
            {
              'X-Next-Cursor': { schema: text },
              'X-Total-Count': { required: true, schema: { type: 'integer' } },
            },
          ),
          ...errors(400, 401),
        },
      },
      post: {
        operationId: 'createCabin',
        ...body(newCabin),
        responses: { 201: answer(cabin), ...errors(400, 401, 409) },
      },
    },
    '/cabins/{cabinId}': {
      ...CABIN,
      get: { operationId: 'readCabin', responses: { 200: answer(cabin), ...errors(401, 404) } },
      put: {
        operationId: 'replaceCabin',
        ...body(newCabin),
        responses: { 200: answer(cabin), ...errors(400, 401, 404, 409) },
      },
      delete: {
        operationId: 'removeCabin',
        responses: { 204: { description: 'Gone.' }, ...errors(401, 404) },
      },
    },
    '/cabins/{cabinId}/figures': {
      ...CABIN,
      get: {
        operationId: 'cabinFigures',
        responses: {
          200: answer(objectOf({ nights: { type: 'integer' } }, ['nights'])),
          ...errors(401, 404),
        },
      },
    },
    '/cabins/{cabinId}/bookings': {
      ...CABIN,
      get: {
        operationId: 'listBookings',
        parameters: [
          inQuery('from', date, 'Only bookings that start on this day or later.'),
          inQuery('to', date, 'Only bookings that start on this day or earlier.'),
          inQuery('before', date, 'Only bookings that start before this day.'),
        ],
        responses: {
          200: answer({ type: 'array', items: booking }),
          ...errors(400, 401, 404),
        },
      },
      post: {
        operationId: 'createBooking',
        ...body(newBooking),
        responses: { 201: answer(booking), ...errors(400, 401, 404, 409) },
      },
    },
    '/cabins/{cabinId}/bookings/{bookingId}': {
      ...BOOKING,
      get: {
        operationId: 'readBooking',
        responses: { 200: answer(booking), ...errors(401, 404) },
      },
    },
    '/cabins/{cabinId}/bookings/{bookingId}/cancel': {
      ...BOOKING,
      post: {
        operationId: 'cancelBooking',
        description:
          'Sets the status to `cancelled`. A cancelled booking cannot be cancelled again.',
        responses: { 200: answer(booking), ...errors(401, 404, 409) },
      },
    },
    '/cabins/{cabinId}/bookings/bulk': {
      ...CABIN,
      post: {
        operationId: 'createBookings',
        ...body(objectOf({ bookings: several }, ['bookings'])),
        responses: {
          201: answer(objectOf({ bookings: { type: 'array', items: booking } }, ['bookings'])),
          ...errors(400, 401, 404),
        },
      },
    },
  },
  { type: 'apiKey', in: 'header', name: 'X-Key' },
)

interface Cabin {
  readonly owner: string
  value: JsonObject
}

interface Booking {
  readonly cabin: unknown
  value: JsonObject
}

/** Thrown to answer with an error. */
class Refusal {
  readonly status: number

  constructor(status: number) {
    this.status = status
  }
}

/** Cabins with bookings for days: cursors in headers, ranges, several records at once, and PUT that replaces. */
class Cabins {
  readonly #fault: string
  #cabins: Cabin[] = []
  #bookings: Booking[] = []
  #lastId = 0

  constructor(fault = 'none') {
    this.#fault = fault
    for (let at = 0; at < 9; at += 1) {
      const owner = at % 4 === 3 ? 'bob' : 'ann'
      const { value } = this.#add(owner, { name: `Cabin ${at}`, beds: (at % 3) + 1 })
      const days = { starts_on: '2025-03-01', ends_on: '2025-03-04' }
      this.#book(value.id, { guest: `Guest ${at}`, ...days })
    }
  }

  /** What is stored. */
  get records(): readonly JsonObject[] {
    return [...this.#cabins, ...this.#bookings].map(({ value }) => value)
  }

  async fetch(request: Request): Promise<Response> {
    try {
      return this.#answer(request, await request.text())
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return Response.json({ title: 'Refused.' }, { status: error.status })
    }
  }

  #has(fault: string): boolean {
    return this.#fault === fault
  }

  #answer(request: Request, body: string): Response {
    const { pathname, searchParams } = new URL(request.url)
    const [, , , id, below, ...rest] = pathname.split('/')
    const { method } = request
    const key = KEYS[request.headers.get('X-Key') ?? '']
    const user = below === 'figures' && this.#has('figures for everybody') ? 'ann' : key
    if (user === undefined) throw new Refusal(401)
    if (id === undefined)
      return method === 'GET'
        ? this.#list(searchParams, user)
        : Response.json(this.#add(user, cabinIn(body)).value, { status: 201 })
    const found = this.#cabins.find(({ value }) => value.id === id)
    const isOpen =
      (below === 'figures' && this.#has('others see the figures')) ||
      (method === 'PUT' && this.#has('others replace cabins'))
    if (!found || (found.owner !== user && !isOpen)) throw new Refusal(404)
    if (below === undefined) return this.#answerCabin(found, method, body)
    if (below === 'figures') return Response.json({ nights: 3 })
    return this.#answerBookings(found, rest, { method, body, query: searchParams })
  }

  #add(owner: string, given: JsonObject): Cabin {
    this.#lastId += 1
    const added = { owner, value: { view: null, ...given, id: `c${this.#lastId}` } }
    this.#cabins.push(added)
    return added
  }

  #book(cabin: unknown, given: JsonObject): JsonObject {
    this.#lastId += 1
    const value = { ...given, id: `b${this.#lastId}`, status: 'confirmed' }
    this.#bookings.push({ cabin, value })
    return value
  }

  #list(query: URLSearchParams, user: string): Response {
    const [size, least] = [numberIn(query, 'limit', 6, 50), numberIn(query, 'min_beds', 0, 9)]
    const start = query.has('cursor') ? numberIn(query, 'cursor', 0, 10_000) : 0
    const isListed = ({ owner, value: { beds: own } }: Cabin): boolean => {
      const isMore = this.#has('lists only cabins with more beds') && least > 0
      const hasBeds = isMore ? Number(own) > least : Number(own) >= least
      return owner === user && (hasBeds || this.#has('ignores the least number of beds'))
    }
    const all = this.#cabins.filter(isListed).map(({ value }) => value)
    const page = all.slice(start, start + size)
    const hasMore = start + size < all.length
    const hasCursor = hasMore
      ? !this.#has('has no cursor although there are more')
      : this.#has('has a cursor after the last page') && page.length > 0
    const total = this.#has('counts the cabins of the page') ? page.length : all.length
    const headers = new Headers({ 'X-Total-Count': String(total) })
    if (hasCursor) headers.set('X-Next-Cursor', String(start + size))

    return Response.json(page, { headers })
  }

  #answerCabin(found: Cabin, method: string, body: string): Response {
    if (method === 'GET') return Response.json(found.value)
    if (method === 'PUT') {
      const kept = this.#has('keeps what a PUT does not name') ? found.value : { view: null }
      found.value = { ...kept, ...cabinIn(body), id: found.value.id }
      return Response.json(found.value)
    }
    const oldest = this.#has('removes the oldest new cabin, too')
      ? this.#cabins.slice(9).find((one) => one !== found)
      : undefined
    this.#cabins = this.#cabins.filter((one) => one !== found && one !== oldest)
    this.#bookings = this.#bookings.filter(({ cabin }) => cabin !== found.value.id)
    return new Response(null, { status: 204 })
  }

  #answerBookings(
    { value: { id } }: Cabin,
    [name, action]: readonly string[],
    { method, body, query }: { method: string; body: string; query: URLSearchParams },
  ): Response {
    const own = this.#bookings.filter(({ cabin }) => cabin === id)
    if (name === undefined && method === 'GET') return this.#listBookings(own, query)
    if (name === undefined) return this.#createBooking(id, own, body)
    if (name === 'bulk') return this.#createBookings(id, body)
    const found = own.find(({ value }) => value.id === name)
    if (!found) throw new Refusal(404)
    if (action === undefined) return Response.json(found.value)
    if (found.value.status === 'cancelled' && !this.#has('cancels twice')) throw new Refusal(409)
    found.value = { ...found.value, status: 'cancelled' }
    return Response.json(found.value)
  }

  #listBookings(own: readonly Booking[], query: URLSearchParams): Response {
    const [from, to, end] = ['from', 'to', 'before'].map((name) => query.get(name) ?? undefined)
    const isRead = [from, to, end].every((day) => day === undefined || isDay(day))
    const isOfDay = this.#has('lists the bookings of the day, too')
    if (!isRead && !this.#has('accepts any text as a day of the query')) throw new Refusal(400)
    const isListed = ({ value: { starts_on: start } }: Booking): boolean => {
      const isLate =
        from === undefined || this.#has('ignores the first day') || String(start) >= from
      const isEarly = to === undefined || this.#has('ignores the last day') || String(start) <= to
      const isBefore = end === undefined || String(start) < end || (isOfDay && start === end)
      return isLate && isEarly && isBefore
    }
    return Response.json(own.filter(isListed).map(({ value }) => value))
  }

  #createBooking(id: unknown, own: readonly Booking[], body: string): Response {
    const given = this.#bookingIn(read(body))
    const isTaken = own.some(
      ({ value }) =>
        value.status === 'confirmed' &&
        String(given.starts_on) < String(value.ends_on) &&
        String(value.starts_on) < String(given.ends_on),
    )
    if (isTaken) throw new Refusal(409)
    return Response.json(this.#book(id, given), { status: 201 })
  }

  #createBookings(id: unknown, body: string): Response {
    const { bookings: given } = read(body)
    const isMany = Array.isArray(given) && given.length > 20
    if (!Array.isArray(given) || given.length === 0) throw new Refusal(400)
    if (isMany && !this.#has('creates any number of bookings')) throw new Refusal(400)
    const all = given.map((one) => this.#bookingIn(isObject(one) ? one : {}, true))
    const made = all.map((one) => this.#book(id, one))
    if (this.#has('creates only the first of several bookings'))
      this.#bookings = this.#bookings.filter(({ value }) => !made.slice(1).includes(value))
    return Response.json({ bookings: made }, { status: 201 })
  }

  #bookingIn(given: JsonObject, isOfSeveral = false): JsonObject {
    const isAny = isOfSeveral && this.#has('creates several bookings without guests')
    const { guest = isAny ? 'nobody' : undefined, starts_on: start, ends_on: end } = given
    const areDays =
      (isDay(start) || (this.#has('accepts any text as a day') && typeof start === 'string')) &&
      isDay(end)
    if (!isText(guest) || !areDays || String(end) <= String(start)) throw new Refusal(400)
    const kept = this.#has('cuts guests') ? guest.slice(0, 30) : guest
    return { guest: kept, starts_on: start, ends_on: end }
  }
}

function read(body: string): JsonObject {
  try {
    const given: unknown = JSON.parse(body)
    if (isObject(given) && !Array.isArray(given)) return given
  } catch {
    // Refused below.
  }
  throw new Refusal(400)
}

function cabinIn(body: string): JsonObject {
  const { name, beds: count, view } = read(body)
  const isCount = typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= 9
  const isView =
    view === undefined || view === null || (typeof view === 'string' && view.length <= 60)
  if (!isText(name) || !isCount || !isView) throw new Refusal(400)
  return { name, beds: count, ...(view !== undefined && { view }) }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && [...value].length <= 60
}

function isDay(value: unknown): boolean {
  return typeof value === 'string' && value.length === 10 && startsWithDay(value)
}

function numberIn(query: URLSearchParams, name: string, preset: number, most: number): number {
  const given = query.get(name)
  if (given === null) return preset
  if (/^\d+$/.test(given) && Number(given) >= 1 && Number(given) <= most) return Number(given)
  throw new Refusal(400)
}

export const CABINS: FaultyService = {
  what: 'a service with bookings for days, ranges and cursors in headers',
  base: 'https://cabins.example/v1',
  options: { key: 'key-of-ann', otherKey: 'key-of-bob', writes: true },
  document: DOCUMENT,
  faults: FAULTS,
  create: (fault) => new Cabins(fault),
}
