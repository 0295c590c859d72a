import type { JsonObject } from '../../document/json-value.ts'
import { isObject } from '../../validation/objects.ts'
import type { FaultyService } from './faulty-service.ts'
import { HARBOUR_DOCUMENT } from './harbour-document.ts'

/** The faults of the harbour, each with a check that sees it. */
const FAULTS: Readonly<Record<string, string>> = {
  'takes an empty key': 'listShips/empty-key',
  'takes the beginning of the key': 'removeShip/short-key',
  'reads the body before the key': 'createShip/no-key/body',
  'looks for a ship before the key': 'removeShip/no-key/absent',
  'needs no phone in a replacement': 'replaceShip/a-missing-phone',
  'strips the phone of a new ship': 'createShip/values/exact/shown',
  'strips the phone in a replacement': 'replaceShip/exact',
  'cuts the notes in a replacement': 'replaceShip/largest',
  'takes the name of another ship': 'createShip/stated/once/name',
  'sets the water instead of adding to it': 'fillShip/told/water',
  'keeps the crew of a removed ship': 'readMember/below/removeShip',
  'refuses the code of a trip of another ship': 'addTrip/stated/once/code/elsewhere',
  'takes the seal of a trip of another ship': 'addTrip/stated/once/seal/elsewhere',
  'lists the trips of a removed ship': 'listTrips/removed-parent',
  'lists five trips only': 'listTrips/many',
  'renumbers trips': 'removeTrip/others/values',
  'leaves gaps in the ranks': 'removeTrip/rank/gaps',
  'gives the ticket of the last trip again': 'addTrip/new-ticket',
  'cancels the trips of a ship': 'cancelTrip/others',
  'keeps the load of a removed guest': 'removeGuest/told/load',
  'has null for empty notes': 'createShip/values/exact/shown',
  'does not move the arrival': 'delayTrip/told/arrives_at',
  'arrives when it departs': 'readTrip/derived',
  'has no time of the start': 'startTrip/told/started_at',
  'cancels a trip that is over': 'cancelTrip/stated/state=over',
  'is not found by its own key only': 'cancelTrip/other-key',
  'frees all seats': 'readTrip/free_seats/listGuests',
  'adds up the fees wrongly': 'readTrip/fees/listGuests',
  'does not raise the number of guests': 'addGuest/told/guest_total',
  'takes one end of a range': 'listBookings/paid_from&paid_to=…/fits',
  'leaves out the end of a range': 'listBookings/paid_to=…/fits',
}

const KEYS: Readonly<Record<string, string>> = { 'key-of-ann': 'ann', 'key-of-bob': 'bob' }

const START = Date.UTC(2026, 2, 1, 8)

/** Ships with a crew and trips with guests, of whoever made them. Numbers and times follow from what was done. */
class Harbour {
  readonly #fault: string
  #ships: JsonObject[] = []
  #crew: JsonObject[] = []
  #trips: JsonObject[] = []
  #guests: JsonObject[] = []
  readonly #bookings: JsonObject[] = []
  #count = 0
  #tickets = 0

  constructor(fault = 'none') {
    this.#fault = fault
    for (let at = 0; at < 8; at += 1)
      this.#bookings.push({
        id: `k_${at}`,
        paid_at: new Date(START + at * 3_600_000).toISOString(),
      })
    const ship = { name: 'Anna', phone: '+49 40-1234', notes: null, water: 100 }
    this.#ships.push({ ...ship, id: 's_0', owner: 'ann' })
  }

  /** What is stored. */
  get records(): readonly unknown[] {
    return [...this.#ships, ...this.#crew, ...this.#trips, ...this.#guests]
  }

  #has(fault: string): boolean {
    return this.#fault === fault
  }

  #nextId(prefix: string): string {
    this.#count += 1
    return `${prefix}_${this.#count}`
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const [, , name = '', id, ...path] = pathname.split('/').map(decodeURIComponent)
    const given: unknown = await request.json().catch(() => undefined)
    const { method } = request
    const owner = this.#ownerOf(request.headers.get('X-Key'), method, name)
    if (owner === undefined) return this.#refuseNobody(id, given)
    if (name === 'bookings') return this.#listBookings(searchParams)
    if (name === 'crew') return this.#answerMember(id, method)
    if (name !== 'ships') return refusal(404)
    if (id === undefined) return this.#answerShips(method, given, owner)
    const call = { method, given, path }
    const ship = this.#ships.find((one) => one.id === id && one.owner === owner)
    return ship ? this.#answerBelow(ship, call) : this.#refuseOther(id, call)
  }

  #refuseNobody(id: string | undefined, given: unknown): Response {
    const isShip = this.#ships.some((one) => one.id === id)
    if (this.#has('looks for a ship before the key') && id && !isShip) return refusal(404)
    const isRead = this.#has('reads the body before the key') && Array.isArray(given)
    return refusal(isRead ? 422 : 401)
  }

  #answerBelow(ship: JsonObject, { method, given, path }: Call): Response {
    const [part, item, action, below] = path
    if (part === undefined) return this.#answerShip(ship, method, given)
    if (part === 'water') return this.#fill(ship, given)
    if (part === 'crew') return this.#answerCrew(ship, method, given)
    if (item === undefined) return this.#answerTrips(ship, method, given)
    const trip = this.#trips.find((one) => one.id === item && one.ship === ship.id)
    if (!trip) return refusal(404)
    if (below !== undefined) return this.#removeGuest(trip, below)
    return action === undefined
      ? this.#answerTrip(trip, method)
      : this.#act(trip, action, method, given)
  }

  #ownerOf(key: string | null, method: string, name: string): string | undefined {
    if (key === '' && method === 'GET' && this.#has('takes an empty key')) return 'ann'
    const isCut = method === 'DELETE' && name === 'ships' && key !== null && key.length > 4
    if (isCut && this.#has('takes the beginning of the key'))
      return Object.entries(KEYS).find(([one]) => one.startsWith(key))?.[1]
    return KEYS[key ?? '']
  }

  #refuseOther(id: string, { method, path: [part, item, action] }: Call): Response {
    const isList = part === 'trips' && item === undefined && method === 'GET'
    if (isList && this.#has('lists the trips of a removed ship')) return Response.json([])
    const isShown = action === 'cancel' && this.#has('is not found by its own key only')
    return refusal(isShown && this.#ships.some((one) => one.id === id) ? 403 : 404)
  }

  #listBookings(query: URLSearchParams): Response {
    const [from, to] = ['paid_from', 'paid_to'].map((name) => query.get(name))
    if ([from, to].some((one) => one && Number.isNaN(Date.parse(one)))) return refusal(422)
    const isOpen = from !== null && this.#has('takes one end of a range')
    const isCut = this.#has('leaves out the end of a range')
    const end = Date.parse(to ?? '')
    return Response.json(
      this.#bookings.filter(({ paid_at }) => {
        const time = Date.parse(String(paid_at))
        const isBefore = isCut ? time < end : time <= end
        return (!from || time >= Date.parse(from)) && (!to || isOpen || isBefore)
      }),
    )
  }

  #answerShips(method: string, given: unknown, owner: string): Response {
    if (method === 'GET') return Response.json(this.#ships.filter((one) => one.owner === owner))
    const values = this.#shipIn(given)
    if (!values) return refusal(422)
    const isTaken = this.#ships.some(({ name }) => name === values.name)
    if (isTaken && !this.#has('takes the name of another ship')) return refusal(409)
    const phone = this.#has('strips the phone of a new ship')
      ? { phone: stripped(values.phone) }
      : {}
    const notes = this.#has('has null for empty notes') ? { notes: values.notes || null } : {}
    const ship = {
      notes: null,
      water: 0,
      ...values,
      ...phone,
      ...notes,
      id: this.#nextId('s'),
      owner,
    }
    this.#ships.push(ship)
    return Response.json(ship, { status: 201 })
  }

  #answerShip(ship: JsonObject, method: string, given: unknown): Response {
    const { id } = ship
    if (method === 'GET') return Response.json(ship)
    if (method === 'DELETE') {
      if (this.#trips.some((one) => one.ship === id && one.state === 'open')) return refusal(409)
      this.#ships = this.#ships.filter((one) => one !== ship)
      this.#trips = this.#trips.filter((one) => one.ship !== id)
      if (!this.#has('keeps the crew of a removed ship'))
        this.#crew = this.#crew.filter((one) => one.ship !== id)
      return new Response(null, { status: 204 })
    }
    const isWithout =
      this.#has('needs no phone in a replacement') && isObject(given) && !given.phone
    const values = this.#shipIn(isWithout ? { ...given, phone: ship.phone } : given)
    if (!values) return refusal(422)
    if (this.#ships.some((one) => one !== ship && one.name === values.name)) return refusal(409)
    const isStripped = this.#has('strips the phone in a replacement')
    const isCut = typeof values.notes === 'string' && this.#has('cuts the notes in a replacement')
    Object.assign(
      ship,
      { notes: null, water: 0, ...values },
      isStripped && { phone: stripped(values.phone) },
      isCut && { notes: String(values.notes).slice(0, 50) },
    )
    return Response.json(ship)
  }

  #shipIn(given: unknown): JsonObject | undefined {
    if (!isObject(given) || Array.isArray(given)) return undefined
    const { name, phone, notes, water } = given
    const isValid =
      isText(name, 40) &&
      typeof phone === 'string' &&
      /^[+0-9][0-9 -]{4,19}$/.test(phone) &&
      (notes === undefined || notes === null || notes === '' || isText(notes, 200)) &&
      (water === undefined || isNumber(water, 0, 100_000))
    const all = Object.entries({ name, phone, notes, water })
    return isValid ? Object.fromEntries(all.filter(([, one]) => one !== undefined)) : undefined
  }

  #fill(ship: JsonObject, given: unknown): Response {
    const litres = isObject(given) ? given.litres : undefined
    if (!isNumber(litres, 1, 500)) return refusal(422)
    const isSet = this.#has('sets the water instead of adding to it')
    return Response.json(
      Object.assign(ship, { water: isSet ? litres : Number(ship.water) + litres }),
    )
  }

  #answerCrew({ id }: JsonObject, method: string, given: unknown): Response {
    if (method === 'GET') return Response.json(this.#crew.filter((one) => one.ship === id))
    const name = isObject(given) ? given.name : undefined
    if (!isText(name, 40)) return refusal(422)
    const member = { id: this.#nextId('m'), ship: id, name }
    this.#crew.push(member)
    return Response.json(member, { status: 201 })
  }

  #answerMember(id: string | undefined, method: string): Response {
    const member = this.#crew.find((one) => one.id === id)
    if (!member) return refusal(404)
    if (method === 'GET') return Response.json(member)
    this.#crew = this.#crew.filter((one) => one !== member)
    return new Response(null, { status: 204 })
  }

  #answerTrips({ id }: JsonObject, method: string, given: unknown): Response {
    const own = this.#trips.filter((one) => one.ship === id)
    const shown = this.#has('lists five trips only') ? own.slice(0, 5) : own
    if (method === 'GET') return Response.json(shown.map((one) => this.#shown(one)))
    const values = tripIn(given)
    if (!values) return refusal(422)
    const isWide = this.#has('refuses the code of a trip of another ship')
    const isNarrow = this.#has('takes the seal of a trip of another ship')
    const isTaken =
      (isWide ? this.#trips : own).some(({ code }) => code === values.code) ||
      (isNarrow ? own : this.#trips).some(({ seal }) => seal === values.seal)
    if (isTaken) return refusal(409)
    const number = Math.max(0, ...own.map((one) => Number(one.number))) + 1
    const isAgain = this.#has('gives the ticket of the last trip again')
    this.#tickets = isAgain ? this.#trips.length + 1 : this.#tickets + 1
    const rank = own.length + 1
    const counted = { delays: 0, guest_total: 0, load: 0, number, rank, ticket: this.#tickets }
    const state = { state: 'planned', started_at: null, ...counted }
    const trip = { ...values, ...state, id: this.#nextId('t'), ship: id }
    this.#trips.push(trip)
    return Response.json(this.#shown(trip), { status: 201 })
  }

  #shown(trip: JsonObject): JsonObject {
    const { departs_at, minutes, id, seats, arrival } = trip
    const length = this.#has('arrives when it departs') ? 0 : Number(minutes) * 60_000
    const arrives = arrival ?? new Date(Date.parse(String(departs_at)) + length).toISOString()
    const guests = this.#guests.filter((one) => one.trip === id)
    const sum = (name: string): number => guests.reduce((all, one) => all + Number(one[name]), 0)
    const taken = this.#has('frees all seats') ? 0 : sum('seats')
    const each = guests.reduce((all, one) => all + Number(one.seats) * Number(one.fee), 0)
    const { arrival: _, ...shown } = trip
    return {
      ...shown,
      arrives_at: arrives,
      free_seats: Number(seats) - taken,
      fees: this.#has('adds up the fees wrongly') ? sum('fee') : each,
    }
  }

  #answerTrip(trip: JsonObject, method: string): Response {
    if (method === 'GET') return Response.json(this.#shown(trip))
    this.#trips = this.#trips.filter((one) => one !== trip)
    const own = this.#trips.filter(({ ship }) => ship === trip.ship)
    if (!this.#has('leaves gaps in the ranks'))
      for (const [at, one] of own.entries()) Object.assign(one, { rank: at + 1 })
    if (this.#has('renumbers trips'))
      for (const one of this.#trips)
        if (one.ship === trip.ship && Number(one.number) > Number(trip.number))
          Object.assign(one, { number: Number(one.number) - 1 })
    return new Response(null, { status: 204 })
  }

  #act(trip: JsonObject, action: string, method: string, given: unknown): Response {
    const { state } = trip
    const move = (allowed: readonly string[], next: JsonObject): Response =>
      allowed.includes(String(state))
        ? Response.json(this.#shown(Object.assign(trip, next)))
        : refusal(409)
    switch (action) {
      case 'guests':
        return method === 'GET' ? this.#listGuests(trip) : this.#addGuest(trip, given)
      case 'delay':
        return this.#delay(trip, given)
      case 'start': {
        const started_at = this.#has('has no time of the start')
          ? null
          : new Date(START).toISOString()
        return move(['planned'], { state: 'open', started_at })
      }
      case 'finish':
        return move(['open'], { state: 'over' })
      case 'cancel':
        if (this.#has('cancels the trips of a ship')) this.#cancelAll(trip.ship)
        return move(
          ['planned', 'open', ...(this.#has('cancels a trip that is over') ? ['over'] : [])],
          { state: 'cancelled' },
        )
      default:
        return refusal(404)
    }
  }

  #cancelAll(ship: unknown): void {
    for (const one of this.#trips)
      if (one.ship === ship && one.state === 'planned') Object.assign(one, { state: 'cancelled' })
  }

  #delay(trip: JsonObject, given: unknown): Response {
    const minutes = isObject(given) ? given.minutes : undefined
    if (!isNumber(minutes, 1, 600)) return refusal(422)
    const { arrives_at } = this.#shown(trip)
    const departs_at = new Date(
      Date.parse(String(trip.departs_at)) + minutes * 60_000,
    ).toISOString()
    const isKept = this.#has('does not move the arrival')
    return Response.json(
      this.#shown(
        Object.assign(
          trip,
          { departs_at, delays: Number(trip.delays) + 1 },
          isKept ? { arrival: arrives_at } : {},
        ),
      ),
    )
  }

  #listGuests({ id }: JsonObject): Response {
    return Response.json(this.#guests.filter((one) => one.trip === id))
  }

  #addGuest(trip: JsonObject, given: unknown): Response {
    const { name, seats, fee } = isObject(given) ? given : {}
    if (!isText(name, 40) || !isNumber(seats, 2, 20) || !isNumber(fee, 0, 1000)) return refusal(422)
    const guest = { id: this.#nextId('g'), trip: trip.id, name, seats, fee }
    this.#guests.push(guest)
    if (!this.#has('does not raise the number of guests'))
      Object.assign(trip, { guest_total: Number(trip.guest_total) + 1 })
    Object.assign(trip, { load: Number(trip.load) + 80 * seats })
    return Response.json(guest, { status: 201 })
  }

  #removeGuest(trip: JsonObject, id: string): Response {
    const guest = this.#guests.find((one) => one.id === id && one.trip === trip.id)
    if (!guest) return refusal(404)
    this.#guests = this.#guests.filter((one) => one !== guest)
    if (!this.#has('keeps the load of a removed guest'))
      Object.assign(trip, { load: Number(trip.load) - 80 * Number(guest.seats) })
    return new Response(null, { status: 204 })
  }
}

/** A request on a ship or on what is below it. */
interface Call {
  readonly method: string
  readonly given: unknown
  readonly path: readonly string[]
}

function tripIn(given: unknown): JsonObject | undefined {
  if (!isObject(given) || Array.isArray(given)) return undefined
  const { code, seal, departs_at, minutes, seats } = given
  const isTime = typeof departs_at === 'string' && isDay(departs_at)
  const isValid =
    isText(code, 20) && isText(seal, 20) && isNumber(minutes, 1, 600) && isNumber(seats, 1, 5000)
  return isValid && isTime ? { code, seal, departs_at, minutes, seats } : undefined
}

/** Whether a time is of a day that there is. */
function isDay(text: string): boolean {
  const time = Date.parse(`${text.slice(0, 10)}T00:00:00Z`)
  const isSame = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text.slice(0, 10))
  return isSame && /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text))
}

function stripped(value: unknown): string {
  return String(value).replace(/[ -]/g, '')
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value !== '' && [...value].length <= most
}

function isNumber(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most
}

function refusal(status: number): Response {
  return Response.json({ title: 'Refused.' }, { status })
}

export const HARBOUR: FaultyService = {
  what: 'a service whose numbers and times follow from what is done, as its descriptions say',
  base: 'https://harbour.example/v1',
  options: { key: 'key-of-ann', otherKey: 'key-of-bob', writes: true },
  document: HARBOUR_DOCUMENT,
  faults: FAULTS,
  create: (fault) => new Harbour(fault),
}
