import { parseJsonText } from '../../contract/json.ts'
import type { JsonObject } from '../../document/json-value.ts'
import { isObject } from '../../validation/objects.ts'
import {
  answer,
  body,
  documentOf,
  errors,
  inPath,
  inQuery,
  objectOf,
  readOnly,
} from './document-parts.ts'
import type { FaultyService } from './faulty-service.ts'

/** The faults of the car park, each with a check that sees it. */
const FAULTS: Readonly<Record<string, string>> = {
  'shows the rate of an electric space as a text': 'listSpaces/200/body',
  'refuses a number of another level': 'addSpace/stated/once/number/elsewhere',
  'lists locked levels as open, too': 'listLevels/locked/both',
  'sorts rates as texts': 'listLevels/sort=-rate/order',
  'keeps the colour that a replacement does not name': 'replaceCar/replaced',
  'leaves the time of the last change when it locks': 'lockLevel/updated',
  'takes more spaces than there is room': 'addSpace/stated/room=1',
  'parks a car twice': 'park/stated/once/car_id',
  'keeps the space when the car leaves': 'leave/given-back',
}

const count = { type: 'integer', minimum: 1, maximum: 100_000 }
const id = readOnly(count)
const time = readOnly({ type: 'string', format: 'date-time' }, 'When it was last changed.')
const levelSent = {
  name: { type: 'string', minLength: 1, maxLength: 60 },
  room: count,
  rate: count,
}
const level = objectOf({
  ...{ id, ...levelSent, updated_at: time },
  state: readOnly({ type: 'string', enum: ['open', 'locked'] }),
})
const spaceSent = {
  number: count,
  kind: { type: 'string', enum: ['small', 'wide', 'electric', 'covered'], default: 'small' },
}
const space = objectOf({
  ...{ id, level_id: id, ...spaceSent, rate: readOnly(count) },
  occupied: readOnly({ type: 'boolean' }),
})
const carSent = {
  plate: { type: 'string', minLength: 1, maxLength: 60 },
  color: { type: ['string', 'null'], minLength: 1, maxLength: 30, default: null },
}
const car = objectOf({ id, ...carSent })
const staySent = { car_id: count, space_id: count }
const stay = objectOf({
  id,
  ...staySent,
  state: readOnly({ type: 'string', enum: ['open', 'ended'] }),
})
const listOf = (items: object): object => ({ type: 'array', items })
const refused = { ...answer({ type: 'object' }), description: 'The input breaks the schema.' }
const LEVEL = inPath(count, 'level_id')
const SPACE = inPath(count, 'space_id')
const CAR = inPath(count, 'car_id')
const STAY = inPath(count, 'stay_id')

const DOCUMENT: JsonObject = documentOf('Car park', 'https://parking.example/v1', {
  '/levels': {
    get: {
      operationId: 'listLevels',
      parameters: [
        inQuery('sort', { type: 'string', enum: ['rate', '-rate'] }),
        inQuery('locked', { type: 'boolean' }, 'true: only locked ones; false: only open ones.'),
      ],
      responses: { 200: answer(listOf(level)), ...errors(401), 422: refused },
    },
    post: {
      operationId: 'addLevel',
      ...body(objectOf(levelSent, Object.keys(levelSent))),
      responses: { 201: answer(level), ...errors(401), 422: refused },
    },
  },
  '/levels/{level_id}': {
    ...LEVEL,
    get: { operationId: 'readLevel', responses: { 200: answer(level), ...errors(401, 404) } },
  },
  '/levels/{level_id}/lock': {
    ...LEVEL,
    post: {
      operationId: 'lockLevel',
      description: 'The `state` becomes `locked`. 409 when it is locked.',
      responses: { 200: answer(level), ...errors(401, 404, 409) },
    },
  },
  '/levels/{level_id}/spaces': {
    ...LEVEL,
    get: {
      operationId: 'listSpaces',
      responses: { 200: answer(listOf(space)), ...errors(401, 404) },
    },
    post: {
      operationId: 'addSpace',
      description:
        '409 for a number that another space of the level has, and when it has as many spaces as its `room`.',
      ...body(objectOf(spaceSent, ['number'])),
      responses: { 201: answer(space), ...errors(401, 404, 409), 422: refused },
    },
  },
  '/spaces/{space_id}': {
    ...SPACE,
    get: { operationId: 'readSpace', responses: { 200: answer(space), ...errors(401, 404) } },
  },
  '/cars': {
    get: { operationId: 'listCars', responses: { 200: answer(listOf(car)), ...errors(401) } },
    post: {
      operationId: 'addCar',
      ...body(objectOf(carSent, ['plate'])),
      responses: { 201: answer(car), ...errors(401), 422: refused },
    },
  },
  '/cars/{car_id}': {
    ...CAR,
    get: { operationId: 'readCar', responses: { 200: answer(car), ...errors(401, 404) } },
    put: {
      operationId: 'replaceCar',
      ...body(objectOf(carSent, ['plate'])),
      responses: { 200: answer(car), ...errors(401, 404), 422: refused },
    },
  },
  '/stays': {
    post: {
      operationId: 'park',
      description:
        'Occupies the space. A conflict when the car has an open stay, or when the space is occupied.',
      ...body(objectOf(staySent, Object.keys(staySent))),
      responses: { 201: answer(stay), ...errors(401, 409), 422: refused },
    },
  },
  '/stays/{stay_id}': {
    ...STAY,
    get: { operationId: 'readStay', responses: { 200: answer(stay), ...errors(401, 404) } },
  },
  '/stays/{stay_id}/leave': {
    ...STAY,
    post: {
      operationId: 'leave',
      description:
        'The `state` becomes `ended`, and its space is free again. 409 when it is ended.',
      responses: { 200: answer(stay), ...errors(401, 404, 409) },
    },
  },
})

type Call = { readonly method: string; readonly query: URLSearchParams; readonly sent: unknown }

/** Levels with spaces, each of which one car has at a time. */
class Parking {
  readonly #fault: string
  readonly #levels: JsonObject[] = []
  readonly #spaces: JsonObject[] = []
  readonly #cars: JsonObject[] = []
  readonly #stays: JsonObject[] = []
  #ticks = 0

  constructor(fault = 'none') {
    this.#fault = fault
    for (const rate of [120, 90, 300])
      this.#add(this.#levels, newLevel({ name: `Level ${rate}`, room: 9, rate }))
    this.#add(this.#levels, { ...newLevel({ name: 'Roof', room: 9, rate: 50 }), state: 'locked' })
  }

  /** What is stored. */
  get records(): readonly unknown[] {
    return [...this.#levels, ...this.#spaces, ...this.#cars, ...this.#stays]
  }

  #has(fault: string): boolean {
    return this.#fault === fault
  }

  #add(rows: JsonObject[], values: JsonObject): JsonObject {
    this.#ticks += 1
    const row = { ...values, id: this.#ticks }
    rows.push(row)
    return row
  }

  async fetch(request: Request): Promise<Response> {
    if (request.headers.get('Authorization') !== 'Bearer key-of-ann') return refusal(401)
    const { pathname, searchParams } = new URL(request.url)
    const [, , name = '', id, below] = pathname.split('/')
    const text = await request.text()
    const call = { method: request.method, query: searchParams, sent: parseJsonText(text) }
    const rows = {
      levels: this.#levels,
      spaces: this.#spaces,
      cars: this.#cars,
      stays: this.#stays,
    }
    const own = rows[name as keyof typeof rows]
    if (!own) return refusal(404)
    if (id === undefined) return this.#answerAll(name, own, call)
    const found = own.find((one) => String(one.id) === id)
    if (!found) return refusal(404)
    if (below === 'spaces') return this.#answerSpaces(found, call)
    if (below === 'lock') return this.#lock(found)
    if (below === 'leave') return this.#leave(found)
    return call.method === 'PUT' ? this.#replace(found, call) : json(found)
  }

  #answerAll(name: string, rows: JsonObject[], { method, query, sent }: Call): Response {
    if (method === 'GET') return name === 'levels' ? this.#listLevels(query) : json(rows)
    if (name === 'levels')
      return isLevel(sent) ? json(this.#add(rows, newLevel(sent)), 201) : refusal(422)
    if (name === 'cars')
      return isCar(sent) ? json(this.#add(rows, { color: null, ...sent }), 201) : refusal(422)
    return this.#park(sent)
  }

  #listLevels(query: URLSearchParams): Response {
    const sort = query.get('sort') ?? 'rate'
    if (!/^-?rate$/.test(sort)) return refusal(422)
    const locked = query.get('locked')
    if (locked !== null && !/^(true|false)$/.test(locked)) return refusal(422)
    const isOpen = locked === 'false' && this.#has('lists locked levels as open, too')
    const asked = locked === null || isOpen ? undefined : locked === 'true'
    const found = this.#levels.filter(
      (one) => asked === undefined || (one.state === 'locked') === asked,
    )
    const compare = this.#has('sorts rates as texts') ? compareTexts : compareNumbers
    const sign = sort.startsWith('-') ? -1 : 1
    return json(found.toSorted((one, other) => sign * compare(one.rate, other.rate)))
  }

  #lock(found: JsonObject): Response {
    if (found.state === 'locked') return refusal(409)
    const isStale = this.#has('leaves the time of the last change when it locks')
    Object.assign(found, { state: 'locked', ...(!isStale && { updated_at: now() }) })
    return json(found)
  }

  #answerSpaces(owner: JsonObject, { method, sent }: Call): Response {
    const own = this.#spaces.filter(({ level_id }) => level_id === owner.id)
    if (method === 'GET') return this.#listSpaces(own)
    if (!isSpace(sent)) return refusal(422)
    const isWide = this.#has('refuses a number of another level')
    const others = isWide ? this.#spaces : own
    const isFull =
      own.length >= Number(owner.room) && !this.#has('takes more spaces than there is room')
    if (isFull || others.some((one) => one.number === sent.number)) return refusal(409)
    const values = { level_id: owner.id, kind: 'small', ...sent, rate: owner.rate, occupied: false }
    return json(this.#add(this.#spaces, values), 201)
  }

  #listSpaces(own: readonly JsonObject[]): Response {
    const isText = this.#has('shows the rate of an electric space as a text')
    const shown = own.map((one) =>
      isText && one.kind === 'electric' ? { ...one, rate: String(one.rate) } : one,
    )
    return json(shown)
  }

  #replace(found: JsonObject, { sent }: Call): Response {
    if (!isCar(sent)) return refusal(422)
    const isKept = this.#has('keeps the colour that a replacement does not name')
    const color = isKept ? found.color : null
    return json(Object.assign(found, { color, plate: sent.plate, ...sent }))
  }

  #park(sent: unknown): Response {
    if (!isObject(sent)) return refusal(422)
    const [owner] = this.#cars.filter((one) => one.id === sent.car_id)
    const [place] = this.#spaces.filter((one) => one.id === sent.space_id)
    if (!owner || !place) return refusal(422)
    const isOpen = (one: JsonObject): boolean => one.car_id === owner.id && one.state === 'open'
    const isThere = this.#stays.some(isOpen) && !this.#has('parks a car twice')
    if (isThere || place.occupied === true) return refusal(409)
    Object.assign(place, { occupied: true })
    const values = { car_id: owner.id, space_id: place.id, state: 'open' }
    return json(this.#add(this.#stays, values), 201)
  }

  #leave(found: JsonObject): Response {
    if (found.state === 'ended') return refusal(409)
    const place = this.#spaces.find((one) => one.id === found.space_id)
    if (place && !this.#has('keeps the space when the car leaves'))
      Object.assign(place, { occupied: false })
    return json(Object.assign(found, { state: 'ended' }))
  }
}

function compareNumbers(one: unknown, other: unknown): number {
  return Number(one) - Number(other)
}

function compareTexts(one: unknown, other: unknown): number {
  return String(one) < String(other) ? -1 : 1
}

function now(): string {
  return new Date().toISOString()
}

function newLevel({ name, room, rate }: JsonObject): JsonObject {
  return { name, room, rate, state: 'open', updated_at: now() }
}

function isText(value: unknown, most: number): boolean {
  return typeof value === 'string' && value !== '' && [...value].length <= most
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 100_000
}

function isLevel(sent: unknown): sent is JsonObject {
  return isObject(sent) && isText(sent.name, 60) && isCount(sent.room) && isCount(sent.rate)
}

function isSpace(sent: unknown): sent is JsonObject {
  const kinds: readonly unknown[] = [undefined, ...spaceSent.kind.enum]
  return isObject(sent) && isCount(sent.number) && kinds.includes(sent.kind)
}

function isCar(sent: unknown): sent is JsonObject {
  if (!isObject(sent) || !isText(sent.plate, 60)) return false
  return sent.color === undefined || sent.color === null || isText(sent.color, 30)
}

function json(value: unknown, status = 200): Response {
  return Response.json(value, { status })
}

function refusal(status: number): Response {
  const headers = { ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }) }
  return Response.json({ message: `Refused with ${status}.` }, { status, headers })
}

export const PARKING: FaultyService = {
  what: 'spaces that one car has at a time, and that are free again',
  base: 'https://parking.example/v1',
  options: { writes: true, key: 'key-of-ann' },
  document: DOCUMENT,
  faults: FAULTS,
  seenElsewhere: ['shows the rate of an electric space as a text'],
  create: (fault) => new Parking(fault),
}
