import type { JsonObject } from '../../document/json-value.ts'
import {
  answer,
  body,
  documentOf,
  errors,
  inPath,
  inQuery,
  objectOf,
  readOnly,
  text,
} from './document-parts.ts'

const gone = { 204: { description: 'Gone.' } }
const listOf = (items: object): object => ({ type: 'array', items })
const number = (minimum: number, maximum: number, description = ''): object => ({
  ...{ type: 'integer', minimum, maximum, description },
})
const short = (maxLength: number, description = ''): object => ({
  ...{ type: 'string', minLength: 1, maxLength, description },
})
const time = { type: 'string', format: 'date-time' }
const conflict = (description: string): object => ({
  409: { ...answer({ type: 'object' }), description },
})

const shipSent = {
  name: short(40),
  phone: { type: 'string', pattern: '^[+0-9][0-9 -]{4,19}$', description: 'Kept exactly as sent.' },
  notes: {
    ...{ type: ['string', 'null'], maxLength: 200 },
    description: 'Null while there are none; an empty text is kept as such.',
  },
  water: { ...number(0, 100_000), default: 0 },
}
const ship = objectOf({ id: readOnly(text), ...shipSent, owner: readOnly(text) }, [
  ...['id', 'name', 'phone', 'notes', 'water'],
])
const member = objectOf({ id: readOnly(text), ship: readOnly(text), name: short(40) }, [
  'id',
  'name',
])
const tripSent = {
  code: short(20, 'Unique among the trips of one ship. Two ships may have the same.'),
  seal: short(20, 'Unique among the trips of all ships.'),
  departs_at: time,
  minutes: number(1, 600, 'How long the trip takes, in minutes.'),
  seats: number(1, 5000),
}
const integer = { type: 'integer' }
const trip = objectOf(
  {
    ...{ id: readOnly(text), ship: readOnly(text), ...tripSent },
    number: readOnly(
      integer,
      'Place among the trips of the ship. It stays when another one is removed.',
    ),
    rank: readOnly(integer, 'Place among the trips that there are, counted from 1 without gaps.'),
    ticket: readOnly(integer, 'Counted for all trips.'),
    state: readOnly({ type: 'string', enum: ['planned', 'open', 'over', 'cancelled'] }),
    started_at: readOnly(
      { type: ['string', 'null'], format: 'date-time' },
      'Null until the start.',
    ),
    arrives_at: readOnly(time, 'departs_at plus minutes.'),
    free_seats: readOnly(integer, 'Seats less the seats of all guests.'),
    fees: readOnly(integer, 'Sum of seats times fee of the guests.'),
    delays: readOnly(integer),
    guest_total: readOnly(integer),
    load: readOnly(integer),
  },
  ['id', 'code', 'seal', 'departs_at', 'minutes', 'seats', 'number', 'state', 'started_at', 'fees'],
)
const guestSent = { name: short(40), seats: number(2, 20), fee: number(0, 1000) }
const guest = objectOf({ id: readOnly(text), trip: readOnly(text), ...guestSent }, [
  ...['id', 'name', 'seats', 'fee'],
])
const act = (operationId: string, description: string, statuses: readonly number[]): object => ({
  ...{ operationId, description },
  responses: { 200: answer(trip), ...errors(401, 404, ...statuses) },
})

const key = {
  type: 'apiKey',
  in: 'header',
  name: 'X-Key',
  description:
    'Checked first: without a valid key, the answer is 401 before the body is read and before any record is looked for.',
}
const TRIP = inPath(text, 'ship', 'trip')
const paid = (name: string, which: string): object =>
  inQuery(name, time, `Only bookings with a paid_at at this instant or ${which} (inclusive).`)

/** The document of the harbour. */
export const HARBOUR_DOCUMENT: JsonObject = documentOf(
  'Harbour',
  'https://harbour.example/v1',
  {
    '/ships': {
      get: {
        operationId: 'listShips',
        description: 'Only the ships of the caller.',
        responses: { 200: answer(listOf(ship)), ...errors(401) },
      },
      post: {
        operationId: 'createShip',
        description: 'The name must not be in use, else 409.',
        ...body(objectOf(shipSent, ['name', 'phone'])),
        responses: { 201: answer(ship), ...errors(401, 409, 422) },
      },
    },
    '/ships/{ship}': {
      ...inPath(text, 'ship'),
      get: { operationId: 'readShip', responses: { 200: answer(ship), ...errors(401, 404) } },
      put: {
        operationId: 'replaceShip',
        ...body(objectOf(shipSent, ['name', 'phone'])),
        responses: { 200: answer(ship), ...errors(401, 404, 409, 422) },
      },
      delete: {
        operationId: 'removeShip',
        description: 'Removes the ship, all of its crew. 409 while a trip is on its way.',
        responses: { ...gone, ...errors(401, 404, 409) },
      },
    },
    '/ships/{ship}/water': {
      ...inPath(text, 'ship'),
      post: {
        operationId: 'fillShip',
        description: 'Adds the litres to the water of the ship.',
        ...body(objectOf({ litres: number(1, 500) }, ['litres'])),
        responses: { 200: answer(ship), ...errors(401, 404, 422) },
      },
    },
    '/ships/{ship}/crew': {
      ...inPath(text, 'ship'),
      get: {
        operationId: 'listCrew',
        responses: { 200: answer(listOf(member)), ...errors(401, 404) },
      },
      post: {
        operationId: 'addMember',
        ...body(objectOf({ name: short(40) }, ['name'])),
        responses: { 201: answer(member), ...errors(401, 404, 422) },
      },
    },
    '/crew/{member}': {
      ...inPath(text, 'member'),
      get: { operationId: 'readMember', responses: { 200: answer(member), ...errors(401, 404) } },
      delete: { operationId: 'removeMember', responses: { ...gone, ...errors(401, 404) } },
    },
    '/ships/{ship}/trips': {
      ...inPath(text, 'ship'),
      get: {
        operationId: 'listTrips',
        responses: {
          200: answer(listOf(trip)),
          404: { ...answer({ type: 'object' }), description: 'There is no such ship.' },
          ...errors(401),
        },
      },
      post: {
        operationId: 'addTrip',
        ...body(objectOf(tripSent, Object.keys(tripSent))),
        responses: { 201: answer(trip), ...errors(401, 404, 409, 422) },
      },
    },
    '/ships/{ship}/trips/{trip}': {
      ...TRIP,
      get: { operationId: 'readTrip', responses: { 200: answer(trip), ...errors(401, 404) } },
      delete: {
        operationId: 'removeTrip',
        description: 'Later trips move up. A ticket is never given twice.',
        responses: { ...gone, ...errors(401, 404) },
      },
    },
    '/ships/{ship}/trips/{trip}/delay': {
      ...TRIP,
      post: {
        ...act(
          'delayTrip',
          'Moves departs_at and arrives_at later by this number of minutes, and adds one to delays.',
          [422],
        ),
        ...body(objectOf({ minutes: number(1, 600) }, ['minutes'])),
      },
    },
    '/ships/{ship}/trips/{trip}/start': {
      ...TRIP,
      post: act('startTrip', 'Sets the state to `open` and started_at to the present time.', [409]),
    },
    '/ships/{ship}/trips/{trip}/finish': {
      ...TRIP,
      post: act('finishTrip', 'Sets the state to `over`. Answers 409 unless it is `open`.', [409]),
    },
    '/ships/{ship}/trips/{trip}/cancel': {
      parameters: ['ship', 'trip'].map((name) => ({
        ...{ name, in: 'path', required: true, schema: text },
        description: 'A trip of somebody else is answered with 404.',
      })),
      post: {
        ...act('cancelTrip', 'Sets the state of this trip, and of no other, to `cancelled`.', []),
        responses: {
          200: answer(trip),
          ...conflict('The trip is over or cancelled already.'),
          ...errors(401, 403, 404),
        },
      },
    },
    '/ships/{ship}/trips/{trip}/guests': {
      ...TRIP,
      get: {
        operationId: 'listGuests',
        responses: { 200: answer(listOf(guest)), ...errors(401, 404) },
      },
      post: {
        operationId: 'addGuest',
        description: 'Adds a guest; the guest_total of the trip rises by one.',
        ...body(objectOf(guestSent, Object.keys(guestSent))),
        responses: { 201: answer(guest), ...errors(401, 404, 422) },
      },
    },
    '/ships/{ship}/trips/{trip}/guests/{guest}': {
      ...inPath(text, 'ship', 'trip', 'guest'),
      delete: {
        operationId: 'removeGuest',
        description: 'Takes back what the guest added to the load of the trip.',
        responses: { ...gone, ...errors(401, 404) },
      },
    },
    '/bookings': {
      get: {
        operationId: 'listBookings',
        description: 'The paid bookings, which all callers share.',
        parameters: [paid('paid_from', 'later'), paid('paid_to', 'earlier')],
        responses: {
          200: answer(listOf(objectOf({ id: text, paid_at: time }, ['id', 'paid_at']))),
          ...errors(401, 422),
        },
      },
    },
  },
  key,
)
