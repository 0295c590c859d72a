import type { JsonObject } from '../../document/json-value.ts'
import { isObject } from '../../validation/objects.ts'
import { answer, body, documentOf, errors, inPath, inQuery, objectOf } from './document-parts.ts'
import type { FaultyService } from './faulty-service.ts'

/** The faults of the boathouse, each with a check that sees it. */
const FAULTS: Readonly<Record<string, string>> = {
  'keeps the berths of a removed pier': 'readBerth/below/deletePier',
  'closes all berths': 'updateBerth/others',
  'has another status for a second pier of a name': 'createPier/stated/once/name',
  'takes the release codes of other boats': 'leaveBerth/stated/other-releaseCode',
  'moors boats in berths of any size': 'moorBoat/stated/fits/size',
  'leaves berths occupied': 'leaveBerth/given-back',
  'removes occupied berths': 'deleteBerth/stated/state=occupied',
  'does not move boats to other piers': 'updateBoat/moved/homePierId',
  'rents more than there is': 'rentSail/stated/pieces>left',
  'returns one piece': 'returnRental/told/left/pieces',
  'lists sails of which none is left': 'listSails/inStock=true/left',
  'lists six sails': 'listSails/lost',
  'refuses crew as guest': 'putCrew/other-key-allowed',
  'shows phones to guests': 'listPiers/other-key-role/phone',
  'lists rentals for guests': 'listRentals/other-key-role',
  'answers 200 for new crew': 'putCrew/created/status',
  'takes crew on cancelled trips': 'putCrew/stated/status=cancelled',
  'starts trips without stops': 'startTrip/stated/without-stop',
  'lets trips overlap': 'createTrip/stated/once/startsAt+endsAt+area',
}

const id = { type: 'string', format: 'uuid' }
const name = { type: 'string', minLength: 1, maxLength: 60 }
const time = { type: 'string', format: 'date-time' }
const size = { type: 'string', enum: ['small', 'medium', 'large'] }
const phone = { type: ['string', 'null'], minLength: 3, maxLength: 20, default: null }
const pieces = { type: 'integer', minimum: 1, maximum: 20, default: 1 }
const count = { type: 'integer', minimum: 0 }
const shown = (properties: object): object => objectOf(properties, Object.keys(properties))
const PIER = shown({ id, name, phone: { ...phone, description: 'Always null for a guest.' } })
const BERTH = shown({
  ...{ id, pierId: id, label: name, size },
  state: { type: 'string', enum: ['free', 'occupied', 'closed'] },
})
const BOAT = shown({
  ...{ id, name, size, homePierId: id, number: { type: ['string', 'null'], maxLength: 40 } },
  status: { type: 'string', enum: ['ashore', 'moored'] },
  ...{ berthId: { type: ['string', 'null'], format: 'uuid' } },
  releaseCode: { type: ['string', 'null'], pattern: '^[0-9]{6}$' },
})
const SAIL = shown({ id, name, pieces: { ...pieces, maximum: 500 }, left: count })
const RENTAL = shown({ id, sailId: id, pieces, returned: { type: 'boolean' } })
const STOP = shown({ id, name })
const TRIP = shown({
  ...{ id, startsAt: time, endsAt: time, area: name },
  status: { type: 'string', enum: ['planned', 'started', 'cancelled'] },
  stops: { type: 'array', items: STOP },
})
const CREW = shown({ tripId: id, boatId: id, duty: name })

const responses = (status: number, schema: object | undefined, ...more: number[]): object => ({
  responses: {
    [status]: schema ? answer(schema) : { description: 'Done.' },
    ...errors(400, 401, ...more.filter((one) => one !== 403)),
    ...(more.includes(403) && {
      403: {
        ...answer({ type: 'object' }),
        description: 'The role of the key does not allow this.',
      },
    }),
  },
})
const listOf = (items: object, ...more: number[]): object =>
  responses(200, { type: 'array', items }, ...more)
const sent = (properties: object, ...required: string[]): object =>
  body(objectOf(properties, required))
const action = (
  operationId: string,
  description: string,
  given: object,
  schema: object,
): object => ({
  post: { operationId, description, ...given, ...responses(200, schema, 403, 404, 409) },
})

const PATHS = {
  '/piers': {
    get: { operationId: 'listPiers', ...listOf(PIER) },
    post: {
      ...{ operationId: 'createPier', description: 'Two piers cannot have the same name (409).' },
      ...sent({ name, phone }, 'name'),
      ...responses(201, PIER, 403, 409),
    },
  },
  '/piers/{pierId}': {
    ...inPath(id, 'pierId'),
    get: { operationId: 'readPier', ...responses(200, PIER, 404) },
    delete: {
      ...{ operationId: 'deletePier', description: 'Deleting a pier deletes its berths.' },
      ...responses(204, undefined, 403, 404, 409),
    },
  },
  '/piers/{pierId}/berths': {
    ...inPath(id, 'pierId'),
    get: { operationId: 'listBerths', ...listOf(BERTH, 404) },
    post: {
      operationId: 'createBerth',
      ...sent({ label: name, size, closed: { type: 'boolean', default: false } }, 'label', 'size'),
      ...responses(201, BERTH, 403, 404),
    },
  },
  '/berths/{berthId}': {
    ...inPath(id, 'berthId'),
    get: { operationId: 'readBerth', ...responses(200, BERTH, 404) },
    patch: {
      ...{ operationId: 'updateBerth', description: 'Changes this berth and nothing else.' },
      ...sent({ label: name, closed: { type: 'boolean' } }),
      ...responses(200, BERTH, 403, 404, 409),
    },
    delete: {
      ...{ operationId: 'deleteBerth', description: 'An occupied berth cannot be removed (409).' },
      ...responses(204, undefined, 403, 404, 409),
    },
  },
  '/boats': {
    get: { operationId: 'listBoats', ...listOf(BOAT) },
    post: {
      ...{
        operationId: 'createBoat',
        description: 'The `number`, if there is one, is unique (409).',
      },
      ...sent(
        {
          name,
          size,
          homePierId: id,
          number: { type: ['string', 'null'], maxLength: 40, default: null },
        },
        'name',
        'homePierId',
        'size',
      ),
      ...responses(201, BOAT, 403, 409),
    },
  },
  '/boats/{boatId}': {
    ...inPath(id, 'boatId'),
    get: { operationId: 'readBoat', ...responses(200, BOAT, 404) },
    patch: {
      operationId: 'updateBoat',
      ...sent({ name, homePierId: id }),
      ...responses(200, BOAT, 403, 404),
    },
  },
  '/boats/{boatId}/moor': {
    ...inPath(id, 'boatId'),
    ...action(
      'moorBoat',
      'The boat becomes `moored` and gets a `releaseCode`; the berth becomes `occupied`. 409 if the boat is moored already, if the berth is not free, or if it is too small for the boat.',
      sent({ berthId: id }, 'berthId'),
      BOAT,
    ),
  },
  '/boats/{boatId}/leave': {
    ...inPath(id, 'boatId'),
    ...action(
      'leaveBerth',
      'The boat is `ashore` again, and its berth becomes `free`. 409 unless it is `moored`. With the wrong `releaseCode` the answer is 409, too.',
      sent({ releaseCode: { type: 'string', pattern: '^[0-9]{6}$' } }, 'releaseCode'),
      BOAT,
    ),
  },
  '/sails': {
    get: {
      operationId: 'listSails',
      parameters: [
        inQuery(
          'inStock',
          { type: 'boolean', default: false },
          'With true, only sails with at least one piece left.',
        ),
      ],
      ...listOf(SAIL),
    },
    post: {
      operationId: 'createSail',
      ...sent({ name, pieces: { ...pieces, maximum: 500 } }, 'name', 'pieces'),
      ...responses(201, SAIL, 403),
    },
  },
  '/rentals': {
    get: { operationId: 'listRentals', description: 'Only for crew.', ...listOf(RENTAL, 403) },
    post: {
      operationId: 'rentSail',
      description:
        '`left` of the sail falls by `pieces`. It is refused with 409 when there are fewer pieces left.',
      ...sent({ sailId: id, pieces }, 'sailId'),
      ...responses(201, RENTAL, 403, 409),
    },
  },
  '/rentals/{rentalId}/return': {
    ...inPath(id, 'rentalId'),
    ...action(
      'returnRental',
      '`left` of the sail rises by the pieces. A rental that is returned already is answered with 409.',
      {},
      RENTAL,
    ),
  },
  '/trips': {
    get: { operationId: 'listTrips', ...listOf(TRIP) },
    post: {
      operationId: 'createTrip',
      description:
        '`endsAt` must be after `startsAt` (400). Two trips in the same area must not overlap (409).',
      ...sent({ startsAt: time, endsAt: time, area: name }, 'startsAt', 'endsAt', 'area'),
      ...responses(201, TRIP, 403, 409),
    },
  },
  '/trips/{tripId}': {
    ...inPath(id, 'tripId'),
    get: { operationId: 'readTrip', ...responses(200, TRIP, 404) },
  },
  '/trips/{tripId}/start': {
    ...inPath(id, 'tripId'),
    ...action(
      'startTrip',
      'The trip becomes `started`. A trip without stops cannot be started (409).',
      {},
      TRIP,
    ),
  },
  '/trips/{tripId}/cancel': {
    ...inPath(id, 'tripId'),
    ...action('cancelTrip', 'The trip becomes `cancelled`.', {}, TRIP),
  },
  '/trips/{tripId}/stops': {
    ...inPath(id, 'tripId'),
    post: { operationId: 'addStop', ...sent({ name }, 'name'), ...responses(201, STOP, 403, 404) },
  },
  '/trips/{tripId}/stops/{stopId}': {
    ...inPath(id, 'tripId', 'stopId'),
    delete: { operationId: 'removeStop', ...responses(204, undefined, 403, 404) },
  },
  '/trips/{tripId}/crew': {
    ...inPath(id, 'tripId'),
    get: { operationId: 'listCrew', ...listOf(CREW, 404) },
  },
  '/trips/{tripId}/crew/{boatId}': {
    ...inPath(id, 'tripId', 'boatId'),
    put: {
      operationId: 'putCrew',
      description:
        'Adds the boat (201), or replaces its duty (200). Both roles may do this. It is a conflict (409) if the trip is cancelled.',
      ...sent({ duty: name }, 'duty'),
      responses: { 200: answer(CREW), 201: answer(CREW), ...errors(400, 401, 404, 409) },
    },
  },
}

const DOCUMENT: JsonObject = documentOf('Boathouse', 'https://boathouse.example', PATHS)
const DESCRIBED: JsonObject = {
  ...DOCUMENT,
  info: {
    ...(isObject(DOCUMENT.info) ? DOCUMENT.info : {}),
    description:
      'A key has a role:\n\n* **crew**: may do everything.\n* **guest**: may read everything but the rentals.\n\nAll keys work on the same records.',
  },
}

type Entry = Record<string, unknown>

/** Boats in berths, sails that are rented, and trips with crews, for two roles. */
class Boathouse {
  readonly #fault: string
  readonly #stored: Record<string, Entry[]> = {}
  #lastId = 0

  constructor(fault = 'none') {
    this.#fault = fault
    const [pier] = [this.#add('piers', { name: 'North', phone: '555 1' })]
    this.#add('berths', { pierId: pier.id, label: 'N1', size: 'small', state: 'free' })
    this.#add('sails', { name: 'Spinnaker', pieces: 4, left: 4 })
  }

  get records(): readonly unknown[] {
    return Object.values(this.#stored).flat()
  }

  #has(fault: string): boolean {
    return this.#fault === fault
  }

  #all(kind: string): Entry[] {
    this.#stored[kind] ??= []
    return this.#stored[kind]
  }

  #add(kind: string, values: Entry): Entry {
    this.#lastId += 1
    const number = String(this.#lastId).padStart(12, '0')
    const entry = { id: `6f1c2ab0-0d3e-4b5f-8a17-${number}`, ...values }
    this.#all(kind).push(entry)
    return entry
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const key = request.headers.get('Authorization')
    const role = { 'Bearer key-of-crew': 'crew', 'Bearer key-of-guest': 'guest' }[key ?? '']
    if (role === undefined) return Response.json({}, { status: 401 })
    const given: unknown = await request.json().catch(() => undefined)
    const hasBody = /^(POST|PUT|PATCH)$/.test(request.method) && !BODILESS.test(pathname)
    const isBody = isObject(given) && !Array.isArray(given)
    if (hasBody && !isBody && role === 'crew') return Response.json({}, { status: 400 })
    const sent: Entry = isBody ? { ...given } : {}
    const words = pathname.split('/').slice(1)
    const [status, json] = this.#answer(request.method, words, { sent, role, searchParams })
    return status === 204 ? new Response(null, { status }) : Response.json(json ?? {}, { status })
  }

  #answer(method: string, words: readonly string[], asked: Asked): Answer {
    const [kind = '', own, ...below] = words
    if (!this.#mayDo(method, words, asked.role)) return [403]
    const found = own === undefined ? undefined : this.#all(kind).find((one) => one.id === own)
    if (own === undefined)
      return method === 'GET' ? this.#list(kind, asked) : this.#create(kind, asked.sent)
    if (!found) return [404]
    if (below.length > 0) return this.#below(method, found, below, asked.sent)
    if (method === 'DELETE') return this.#remove(kind, found)
    if (method !== 'PATCH') return [200, found]
    return kind === 'boats'
      ? this.#changeBoat(found, asked.sent)
      : this.#changeBerth(found, asked.sent)
  }

  #below(method: string, found: Entry, [word = '', last]: readonly string[], sent: Entry): Answer {
    if (word === 'crew') return this.#crew(method, found, last, sent)
    if (word === 'berths')
      return method === 'GET' ? [200, this.#berthsOf(found)] : this.#createBerth(found, sent)
    if (word !== 'stops') return this.#act(word, found, sent)
    return last === undefined ? this.#addStop(found, sent) : this.#removeStop(found, last)
  }

  #mayDo(method: string, [kind, , word]: readonly string[], role: string): boolean {
    if (role === 'crew') return true
    if (word === 'crew' && method === 'PUT') return !this.#has('refuses crew as guest')
    return method === 'GET' && (kind !== 'rentals' || this.#has('lists rentals for guests'))
  }

  #list(kind: string, { role, searchParams }: Asked): Answer {
    const inStock = searchParams.get('inStock')
    if (inStock !== null && !/^(true|false)$/.test(inStock)) return [400]
    const isAny = inStock !== 'true' || this.#has('lists sails of which none is left')
    const all = this.#all(kind).filter((one) => kind !== 'sails' || isAny || one.left !== 0)
    const hides = kind === 'piers' && role === 'guest' && !this.#has('shows phones to guests')
    const isCut = kind === 'sails' && this.#has('lists six sails')
    const shown = isCut
      ? all.toSorted((one, other) => (String(one.name) < String(other.name) ? -1 : 1)).slice(0, 6)
      : all
    return [200, shown.map((one) => (hides ? { ...one, phone: null } : one))]
  }

  #create(kind: string, sent: Entry): Answer {
    const { name, pieces } = sent
    if (kind === 'trips') return this.#createTrip(sent)
    if (kind === 'rentals') return this.#rent(sent.sailId, pieces === undefined ? 1 : pieces)
    if (!isName(name)) return [400]
    if (kind === 'piers') return this.#createPier(name, sent.phone ?? null)
    if (kind === 'boats') return this.#createBoat(name, sent)
    return isWhole(pieces, 500) ? [201, this.#add('sails', { name, pieces, left: pieces })] : [400]
  }

  #createPier(name: string, phone: unknown): Answer {
    if (phone !== null && !isName(phone, 3, 20)) return [400]
    const isTaken = this.#all('piers').some((one) => one.name === name)
    const status = this.#has('has another status for a second pier of a name') ? 400 : 409
    return isTaken ? [status] : [201, this.#add('piers', { name, phone })]
  }

  #createBoat(name: string, { size, homePierId, number = null }: Entry): Answer {
    const isPier = this.#all('piers').some((one) => one.id === homePierId)
    if (!SIZES.includes(String(size)) || !isPier) return [400]
    if (number !== null && !isName(number, 0, 40)) return [400]
    if (number !== null && this.#all('boats').some((one) => one.number === number)) return [409]
    const state = { status: 'ashore', berthId: null, releaseCode: null }
    return [201, this.#add('boats', { name, size, homePierId, number, ...state })]
  }

  #berthsOf({ id }: Entry): Entry[] {
    return this.#all('berths').filter((one) => one.pierId === id)
  }

  #createBerth({ id: pierId }: Entry, { label, size, closed = false }: Entry): Answer {
    if (!isName(label) || !SIZES.includes(String(size)) || typeof closed !== 'boolean') return [400]
    return [201, this.#add('berths', { pierId, label, size, state: closed ? 'closed' : 'free' })]
  }

  #changeBoat(boat: Entry, { name, homePierId }: Entry): Answer {
    const isPier = this.#all('piers').some((one) => one.id === homePierId)
    if (name !== undefined && !isName(name)) return [400]
    if (homePierId !== undefined && !isPier) return [400]
    const isKept = homePierId === undefined || this.#has('does not move boats to other piers')
    return [200, Object.assign(boat, name !== undefined && { name }, !isKept && { homePierId })]
  }

  #changeBerth(berth: Entry, { label, closed }: Entry): Answer {
    if (label !== undefined && !isName(label)) return [400]
    if (closed !== undefined && typeof closed !== 'boolean') return [400]
    if (berth.state === 'occupied') return [409]
    Object.assign(berth, label !== undefined && { label })
    if (closed === undefined) return [200, berth]
    const others = this.#berthsOf({ id: berth.pierId }).filter((one) => one.state !== 'occupied')
    const changed = this.#has('closes all berths') ? others : [berth]
    for (const one of changed) one.state = closed ? 'closed' : 'free'
    return [200, berth]
  }

  #remove(kind: string, found: Entry): Answer {
    const isOccupied = (one: Entry): boolean =>
      one.state === 'occupied' && !this.#has('removes occupied berths')
    const berths = kind === 'piers' ? this.#berthsOf(found) : [found]
    const isHome = this.#all('boats').some((one) => one.homePierId === found.id)
    if (berths.some(isOccupied) || isHome) return [409]
    const keeps = this.#has('keeps the berths of a removed pier')
    const removed = [found, ...(kind === 'piers' && !keeps ? berths : [])]
    for (const all of [this.#all('piers'), this.#all('berths')])
      for (const one of removed) if (all.includes(one)) all.splice(all.indexOf(one), 1)
    return [204]
  }

  #act(word: string, found: Entry, sent: Entry): Answer {
    if (word === 'moor') return this.#moor(found, sent.berthId)
    if (word === 'leave') return this.#leave(found, sent.releaseCode)
    if (word === 'return') return this.#return(found)
    const stops = Array.isArray(found.stops) ? found.stops.length : 0
    if (word === 'start' && stops === 0 && !this.#has('starts trips without stops')) return [409]
    found.status = word === 'start' ? 'started' : 'cancelled'
    return [200, found]
  }

  #moor(boat: Entry, berthId: unknown): Answer {
    const berth = this.#all('berths').find((one) => one.id === berthId)
    if (!berth) return [400]
    const [room, needed] = [berth, boat].map((one) => SIZES.indexOf(String(one.size)))
    const isSmall = Number(room) < Number(needed) && !this.#has('moors boats in berths of any size')
    if (boat.status === 'moored' || berth.state !== 'free' || isSmall) return [409]
    this.#lastId += 1
    const releaseCode = String(100_000 + ((this.#lastId * 7919) % 900_000))
    berth.state = 'occupied'
    return [200, Object.assign(boat, { status: 'moored', berthId, releaseCode })]
  }

  #leave(boat: Entry, code: unknown): Answer {
    if (typeof code !== 'string' || !/^[0-9]{6}$/.test(code)) return [400]
    const isAny = this.#has('takes the release codes of other boats')
    if (boat.status !== 'moored' || (boat.releaseCode !== code && !isAny)) return [409]
    const berth = this.#all('berths').find((one) => one.id === boat.berthId)
    if (berth && !this.#has('leaves berths occupied')) berth.state = 'free'
    return [200, Object.assign(boat, { status: 'ashore', berthId: null, releaseCode: null })]
  }

  #rent(sailId: unknown, pieces: unknown): Answer {
    const sail = this.#all('sails').find((one) => one.id === sailId)
    if (!sail || !isWhole(pieces, 20)) return [400]
    const least = this.#has('rents more than there is') ? 1 : Number(pieces)
    if (Number(sail.left) < least) return [409]
    sail.left = Math.max(0, Number(sail.left) - Number(pieces))
    return [201, this.#add('rentals', { sailId, pieces, returned: false })]
  }

  #return(rental: Entry): Answer {
    if (rental.returned === true) return [409]
    const sail = this.#all('sails').find((one) => one.id === rental.sailId)
    const back = this.#has('returns one piece') ? 1 : Number(rental.pieces)
    if (sail) sail.left = Number(sail.left) + back
    return [200, Object.assign(rental, { returned: true })]
  }

  #createTrip({ startsAt, endsAt, area }: Entry): Answer {
    const [start, end] = [startsAt, endsAt].map(timeOf)
    if (start === undefined || end === undefined || !isName(area) || end <= start) return [400]
    const isTaken = this.#all('trips').some(
      (one) =>
        one.area === area &&
        one.status !== 'cancelled' &&
        start < Number(timeOf(one.endsAt)) &&
        end > Number(timeOf(one.startsAt)),
    )
    if (isTaken && !this.#has('lets trips overlap')) return [409]
    return [201, this.#add('trips', { startsAt, endsAt, area, status: 'planned', stops: [] })]
  }

  #addStop(trip: Entry, { name }: Entry): Answer {
    if (!isName(name)) return [400]
    this.#lastId += 1
    const stop = { id: `6f1c2ab0-0d3e-4b5f-8a17-${String(this.#lastId).padStart(12, '0')}`, name }
    trip.stops = [...(Array.isArray(trip.stops) ? trip.stops : []), stop]
    return [201, stop]
  }

  #removeStop(trip: Entry, stopId: string): Answer {
    const stops: unknown[] = Array.isArray(trip.stops) ? trip.stops : []
    const kept = stops.filter((one) => !isObject(one) || one.id !== stopId)
    if (kept.length === stops.length) return [404]
    trip.stops = kept
    return [204]
  }

  #crew(method: string, trip: Entry, boatId: string | undefined, { duty }: Entry): Answer {
    const all = this.#all('crew').filter((one) => one.tripId === trip.id)
    if (method === 'GET') return [200, all]
    if (!this.#all('boats').some((one) => one.id === boatId)) return [404]
    if (!isName(duty)) return [400]
    if (trip.status === 'cancelled' && !this.#has('takes crew on cancelled trips')) return [409]
    const known = all.find((one) => one.boatId === boatId)
    if (known) return [200, Object.assign(known, { duty })]
    const entry = { tripId: trip.id, boatId, duty }
    this.#all('crew').push(entry)
    return [this.#has('answers 200 for new crew') ? 200 : 201, entry]
  }
}

type Answer = readonly [status: number, json?: unknown]

interface Asked {
  readonly sent: Entry
  readonly role: string
  readonly searchParams: URLSearchParams
}

const BODILESS = /\/(start|cancel|return)$/
const SIZES: readonly string[] = ['small', 'medium', 'large']

function isName(value: unknown, least = 1, most = 60): value is string {
  return typeof value === 'string' && [...value].length >= least && [...value].length <= most
}

function isWhole(value: unknown, most: number): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most
}

function timeOf(value: unknown): number | undefined {
  const isTime = typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value)
  const time = isTime ? Date.parse(value) : Number.NaN
  const isDay = isTime && !Number.isNaN(Date.parse(value.slice(0, 10)))
  const day = isDay ? new Date(value.slice(0, 10)).toISOString().slice(0, 10) : ''
  return Number.isNaN(time) || !String(value).startsWith(day) ? undefined : time
}

export const BOATHOUSE: FaultyService = {
  what: 'a service with boats in berths, sails that are rented, and trips, for two roles',
  base: 'https://boathouse.example',
  options: { key: 'key-of-crew', otherKey: 'key-of-guest', writes: true },
  document: DESCRIBED,
  faults: FAULTS,
  seenElsewhere: [
    'lists six sails',
    'shows phones to guests',
    'lists rentals for guests',
    'leaves berths occupied',
    'does not move boats to other piers',
  ],
  create: (fault) => new Boathouse(fault),
}
