import type { JsonObject } from '../../document/json-value.ts'
import { isObject } from '../../validation/objects.ts'
import { documentOf, inPath, json } from './document-parts.ts'
import type { FaultyService } from './faulty-service.ts'

/** The faults of the box office, each with a check that sees it. */
const FAULTS: Readonly<Record<string, string>> = {
  'keeps no note': 'readBooking/values/unusual',
  'shows bookings to everybody': 'readBooking/other-key',
  'finds bookings of others': 'listBookings/other-key-filter',
  'reads the bookings of others': 'readBooking/foreign',
  'cancels twice': 'cancelBooking/stated/status=cancelled',
  'ignores the guest with a status': 'listBookings/guest&status/both',
  'moves nobody': 'createMove/full/values',
  'rates bookings of others': 'createRating/foreign/bookingId',
  'moves to the same kind': 'createMove/stated/toSeatKindId=fromSeatKindId',
  'books a kind in two lines': 'createBooking/stated/lines/twice',
  'takes the status of a new booking': 'createBooking/read-only/status',
}

const text = { type: 'string', minLength: 1, maxLength: 120 }
const id = { type: 'string', format: 'uuid' }
const given = (...names: readonly (readonly [string, object])[]): object => ({
  type: 'object',
  required: names.flatMap(([name, schema]) => ('nullable' in schema ? [] : [name])),
  properties: Object.fromEntries(
    names.map(([name, schema]) => [
      name,
      'nullable' in schema ? { ...schema, type: ['string', 'null'] } : schema,
    ]),
  ),
})
const shown = (sent: object, ...names: readonly (readonly [string, object])[]): JsonObject => ({
  allOf: [
    sent,
    given(['id', { ...id, readOnly: true }], ...names.map(([name, one]) => [name, one] as const)),
  ],
})
const show = given(['title', text], ['places', { type: 'integer', minimum: 1, maximum: 100_000 }])
const kind = given(['name', text], ['quantity', { type: 'integer', minimum: 1 }])
const voucher = given(['code', { type: 'string', pattern: '^[A-Z]{8}$' }])
const line = given(['seatKindId', id], ['quantity', { type: 'integer', minimum: 1, maximum: 30 }])
const booking = given(
  ['showId', id],
  ['guest', text],
  ['note', { maxLength: 200, nullable: true }],
  ['voucherCode', { maxLength: 20, nullable: true }],
  ['lines', { type: 'array', minItems: 1, maxItems: 5, items: line }],
)
const move = given(
  ['fromSeatKindId', id],
  ['toSeatKindId', id],
  ['reason', text],
  ['people', { type: 'integer', minimum: 1, examples: [5] }],
)
const rating = given(
  ['bookingId', { ...id, description: 'A booking of your account; otherwise the answer is 422.' }],
  ['text', text],
)
const status = [
  'status',
  { type: 'string', enum: ['booked', 'cancelled'], readOnly: true },
] as const

const problem = { type: 'object', required: ['message'], properties: { message: text } }
const answers = (code: number, schema: object | undefined, ...errors: number[]): object => ({
  responses: {
    [code]: { description: 'Done.', ...(schema && json(schema)) },
    ...Object.fromEntries(errors.map((one) => [one, { description: 'No.', ...json(problem) }])),
  },
})
const creation = (operationId: string, sent: object, made: object, description = ''): object => ({
  post: {
    ...{ operationId, description, requestBody: { required: true, ...json(sent) } },
    ...answers(201, made, 401, 404, 409, 422),
  },
})
const reading = (operationId: string, read: object): object => ({
  get: { operationId, ...answers(200, read, 401, 404) },
})
const ofBooking = shown(booking, status)

/** The document of the box office. */
const DOCUMENT: JsonObject = documentOf('Box office', 'https://tickets.example', {
  '/shows': creation('createShow', show, shown(show)),
  '/shows/{showId}': { ...inPath(id, 'showId'), ...reading('readShow', shown(show)) },
  '/shows/{showId}/open': {
    ...inPath(id, 'showId'),
    post: { operationId: 'openShow', ...answers(200, shown(show), 401, 404) },
  },
  '/shows/{showId}/seat-kinds': {
    ...inPath(id, 'showId'),
    ...creation('createSeatKind', kind, shown(kind)),
  },
  '/shows/{showId}/seat-kinds/{seatKindId}': {
    ...inPath(id, 'showId', 'seatKindId'),
    ...reading('readSeatKind', shown(kind)),
  },
  '/vouchers/{voucherId}': {
    ...inPath(id, 'voucherId'),
    ...reading('readVoucher', shown(voucher)),
  },
  '/moves/{moveId}': { ...inPath(id, 'moveId'), ...reading('readMove', shown(move)) },
  '/vouchers': creation('createVoucher', voucher, shown(voucher)),
  '/bookings': {
    get: {
      operationId: 'listBookings',
      parameters: [
        { name: 'guest', in: 'query', schema: text },
        { name: 'status', in: 'query', schema: status[1] },
      ],
      ...answers(200, { type: 'array', items: ofBooking }, 401),
    },
    ...creation(
      'createBooking',
      booking,
      ofBooking,
      'Books seats of one show. Each line must name a seat kind of that show, and no line may ask for more than 4 (422). A kind may be in one line only (422). A voucher code that nobody has is answered with 422.',
    ),
  },
  '/bookings/{bookingId}': {
    ...inPath(id, 'bookingId'),
    get: { operationId: 'readBooking', ...answers(200, ofBooking, 401, 404) },
    delete: {
      operationId: 'removeBooking',
      description: 'A booking must be cancelled first.',
      ...answers(204, undefined, 401, 404, 409),
    },
  },
  '/bookings/{bookingId}/cancel': {
    ...inPath(id, 'bookingId'),
    post: {
      operationId: 'cancelBooking',
      description: 'Answers 409 if the booking is cancelled.',
      ...answers(200, ofBooking, 401, 404, 409),
    },
  },
  '/ratings/{ratingId}': { ...inPath(id, 'ratingId'), ...reading('readRating', shown(rating)) },
  '/ratings': creation('createRating', rating, shown(rating)),
  '/moves': creation(
    'createMove',
    move,
    shown(move),
    'The two kinds must differ (422). Answers 409 where there are not so many people.',
  ),
})

/** How often a voucher can be used. */
const MAX_USES = 8

/** How many people move at once. */
const MOST_TOGETHER = 2

const SEEDED = { seatKindId: crypto.randomUUID(), quantity: 1 }

const OWNERS = { 'Bearer key-of-ann': 'ann', 'Bearer key-of-ben': 'ben' } as const

/** Bookings that refer to shows, to what is below the same show, and to vouchers by their codes. */
export class BoxOffice {
  readonly #fault: string
  readonly #collections = new Map<string, JsonObject[]>()
  readonly #uses = new Map<unknown, number>()
  #fewest = Number.POSITIVE_INFINITY

  constructor(fault = 'none') {
    this.#fault = fault
    for (const [at, owner] of [...'abcd'].entries())
      this.#add('bookings', {
        ...{ owner: owner < 'c' ? 'ann' : 'ben', status: 'booked', showId: crypto.randomUUID() },
        ...{ guest: `Guest ${at}`, note: null, voucherCode: null, lines: [SEEDED] },
      })
  }

  get records(): readonly unknown[] {
    return [...this.#collections.values()].flat()
  }

  /** What is left of the bookings of a run. */
  get bookings(): readonly JsonObject[] {
    return this.#all('bookings').slice(4)
  }

  /** How often each voucher was used. */
  get uses(): readonly number[] {
    return [...this.#uses.values()]
  }

  /** The fewest seats that a kind had which somebody booked. */
  get fewest(): number {
    return this.#fewest
  }

  #has(fault: string): boolean {
    return this.#fault === fault
  }

  #all(name: string): JsonObject[] {
    const all = this.#collections.get(name) ?? []
    this.#collections.set(name, all)
    return all
  }

  #add(name: string, value: JsonObject): JsonObject {
    const record = { ...value, id: crypto.randomUUID() }
    this.#all(name).push(record)
    return record
  }

  #find(name: string, wanted: unknown): JsonObject | undefined {
    return this.#all(name).find((one) => one.id === wanted)
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const [, name = '', wanted, below, inner] = pathname.split('/')
    const owner = OWNERS[request.headers.get('Authorization') as keyof typeof OWNERS]
    if (!owner) return refusal(401)
    const body: unknown = await request.json().catch(() => undefined)
    const sent = isObject(body) && !Array.isArray(body) ? body : undefined
    if (name === 'bookings' && request.method === 'GET' && !wanted)
      return this.#list(owner, searchParams)
    if (name === 'bookings' && wanted) return this.#answerBooking(request, owner, wanted, below)
    if (request.method !== 'POST')
      return this.#read(below ?? name, owner, inner ?? wanted, inner && wanted)
    if (name === 'shows' && wanted)
      return this.#belowShow(this.#find('shows', wanted), owner, below, sent)
    return this.#create(name, owner, sent)
  }

  #list(owner: string, query: URLSearchParams): Response {
    const [guest, wanted] = [query.get('guest'), query.get('status')]
    const isOpen = guest !== null && this.#has('finds bookings of others')
    const isAnyGuest = wanted !== null && this.#has('ignores the guest with a status')
    const found = this.#all('bookings')
      .filter((one) => isOpen || one.owner === owner)
      .filter((one) => guest === null || one.guest === guest || isAnyGuest)
      .filter((one) => wanted === null || one.status === wanted)
    return Response.json(found.map(withoutOwner))
  }

  #read(name: string, owner: string, wanted: string | undefined, above?: string): Response {
    const found = this.#find(name, wanted)
    const isThere = found?.owner === owner && (above === undefined || found.showId === above)
    return isThere ? Response.json(withoutOwner(found)) : refusal(404)
  }

  #answerBooking(
    { method }: Request,
    owner: string,
    wanted: string,
    below: string | undefined,
  ): Response {
    const found = this.#find('bookings', wanted)
    const isRead = method === 'GET'
    const isOfRun = found !== undefined && this.bookings.includes(found)
    const isOpen =
      (isRead && this.#has('shows bookings to everybody') && isOfRun) ||
      (isRead && this.#has('reads the bookings of others') && !isOfRun)
    if (!found || (found.owner !== owner && !isOpen)) return refusal(404)
    if (isRead) return Response.json(withoutOwner(found))
    const isCancelled = found.status === 'cancelled'
    if (method === 'DELETE') {
      if (!isCancelled) return refusal(409)
      this.#collections.set(
        'bookings',
        this.#all('bookings').filter((one) => one !== found),
      )
      return new Response(null, { status: 204 })
    }
    if (below !== 'cancel' || (isCancelled && !this.#has('cancels twice'))) return refusal(409)
    Object.assign(found, { status: 'cancelled' })
    return Response.json(withoutOwner(found))
  }

  #belowShow(
    found: JsonObject | undefined,
    owner: string,
    below: string | undefined,
    sent: JsonObject | undefined,
  ): Response {
    if (found?.owner !== owner) return refusal(404)
    const wanted = found.id
    if (below === 'open') return Response.json(withoutOwner(Object.assign(found, { isOpen: true })))
    const { name, quantity } = sent ?? {}
    if (!isText(name) || !isCount(quantity)) return refusal(422)
    const kinds = this.#all('seat-kinds').filter((one) => one.showId === wanted)
    const taken = kinds.reduce((sum, one) => sum + Number(one.quantity), 0)
    if (taken + Number(quantity) > Number(found.places)) return refusal(409, 'So many places')
    const made = this.#add('seat-kinds', { owner, showId: wanted, name, quantity, seats: quantity })
    return Response.json(withoutOwner(made), { status: 201 })
  }

  #create(name: string, owner: string, sent: JsonObject | undefined): Response {
    const rules: Readonly<Record<string, (value: JsonObject) => number>> = {
      shows: ({ title, places }) =>
        isText(title) && isCount(places) && Number(places) <= 100_000 ? 201 : 422,
      vouchers: ({ code }) => {
        if (!/^[A-Z]{8}$/.test(String(code))) return 422
        return this.#all('vouchers').some((one) => one.code === code) ? 409 : 201
      },
      bookings: (value) => this.#ruleOfBooking(value),
      ratings: ({ bookingId, text: said }) => {
        const found = this.#find('bookings', bookingId)
        const isOpen = found?.owner === owner || this.#has('rates bookings of others')
        return found && isOpen && isText(said) ? 201 : 422
      },
      moves: ({ fromSeatKindId: from, toSeatKindId: to, reason, people }) => {
        const areKnown = [from, to].every((one) => this.#find('seat-kinds', one))
        const isSame = from === to && !this.#has('moves to the same kind')
        if (!areKnown || isSame || !isText(reason) || !isCount(people)) return 422
        return Number(people) > MOST_TOGETHER ? 409 : 201
      },
    }
    const rule = rules[name]
    if (!rule) return refusal(404)
    const code = sent ? rule(sent) : 422
    if (code !== 201) return refusal(code, this.#messageFor(sent))
    const isLost = this.#has('keeps no note') && name === 'bookings'
    const isStill = this.#has('moves nobody') && name === 'moves'
    const isOpen = this.#has('takes the status of a new booking')
    const made = this.#add(name, {
      ...{ owner, ...(name === 'bookings' && { status: 'booked', note: null, voucherCode: null }) },
      ...sent,
      ...(name === 'bookings' && !isOpen && { status: 'booked' }),
      ...(isLost && { note: null }),
      ...(isStill && { toSeatKindId: sent?.fromSeatKindId }),
    })
    return Response.json(withoutOwner(made), { status: 201 })
  }

  #messageFor({ voucherCode, lines }: JsonObject = {}): string {
    const isKnown = this.#all('vouchers').some((one) => one.code === voucherCode)
    if (isText(voucherCode) && !isKnown) return 'voucherCode: nobody has it'
    return Array.isArray(lines) ? 'lines: not these' : 'No'
  }

  #ruleOfVoucher(code: unknown): number {
    if (this.#all('vouchers').every((one) => one.code !== code)) return 422
    return (this.#uses.get(code) ?? 0) < MAX_USES ? 201 : 409
  }

  #ruleOfBooking({ showId, guest, note, voucherCode, lines }: JsonObject): number {
    const found = this.#find('shows', showId)
    const isPlain = isText(guest) && isTextOrNull(note, 200) && isTextOrNull(voucherCode, 20)
    if (!found || !isPlain || !Array.isArray(lines) || lines.length < 1 || lines.length > 5)
      return 422
    const ofVoucher = isText(voucherCode) ? this.#ruleOfVoucher(voucherCode) : 201
    if (ofVoucher !== 201) return ofVoucher
    const kinds = lines.map((one) => this.#find('seat-kinds', isObject(one) && one.seatKindId))
    const isTwice = new Set(kinds).size < kinds.length && !this.#has('books a kind in two lines')
    if (kinds.some((one) => one?.showId !== showId) || isTwice) return 422
    const counts = lines.map((one) => (isObject(one) ? one.quantity : 0))
    if (!counts.every((one) => isCount(one) && Number(one) <= 4)) return 422
    const isLeft = kinds.every((one, at) => Number(one?.quantity) >= Number(counts[at]))
    if (found.isOpen !== true || !isLeft) return 409
    if (isText(voucherCode)) this.#uses.set(voucherCode, (this.#uses.get(voucherCode) ?? 0) + 1)
    this.#book(kinds, counts)
    return 201
  }

  #book(kinds: readonly (JsonObject | undefined)[], counts: readonly unknown[]): void {
    for (const [at, one] of kinds.entries()) {
      if (!one) continue
      this.#fewest = Math.min(this.#fewest, Number(one.seats))
      Object.assign(one, { quantity: Number(one.quantity) - Number(counts[at]) })
    }
  }
}

function withoutOwner({
  owner: _owner,
  isOpen: _isOpen,
  seats: _seats,
  ...record
}: JsonObject): JsonObject {
  return record
}

function refusal(status: number, message = 'No'): Response {
  return Response.json({ message }, { status })
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && [...value].length <= 120
}

function isTextOrNull(value: unknown, length: number): boolean {
  if (value === undefined || value === null) return true
  return typeof value === 'string' && [...value].length <= length
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1
}

export const BOX_OFFICE: FaultyService = {
  what: 'a service whose records refer to records below others, to two that differ, and to codes',
  base: 'https://tickets.example',
  options: { key: 'key-of-ann', otherKey: 'key-of-ben', writes: true },
  document: DOCUMENT,
  faults: FAULTS,
  seenElsewhere: ['ignores the guest with a status'],
  create: (fault) => new BoxOffice(fault),
}
