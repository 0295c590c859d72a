import type { DocumentedApi } from './documented-api.ts'
import { listOf, objectOf } from './operation-on.ts'

const NUMBER = { type: 'integer' }
const TEXT = { type: 'string' }
const TEXTS = { type: 'array', items: TEXT }
const DEPOT = {
  ...objectOf({ id: NUMBER, name: TEXT, vehicle_count: NUMBER }),
  required: ['id', 'name', 'vehicle_count'],
}
const VEHICLE = {
  ...objectOf({ id: NUMBER, plate: TEXT, depot_id: NUMBER }),
  required: ['id', 'plate', 'depot_id'],
}
const CLUB = {
  ...objectOf({ id: NUMBER, name: TEXT, members: TEXTS, member_count: NUMBER }),
  required: ['id', 'name', 'members', 'member_count'],
}
const ID = { path: { id: NUMBER } }

/** Depots that count their vehicles, and clubs that count their list of members. */
export const DEPOTS: DocumentedApi = {
  'GET /depots': { shown: listOf(DEPOT) },
  'POST /depots': { sent: objectOf(['name']), shown: DEPOT, status: [201] },
  'GET /depots/{id}': { shown: DEPOT, ...ID },
  'GET /vehicles': { shown: listOf(VEHICLE) },
  'POST /vehicles': {
    ...{ sent: objectOf({ plate: TEXT, depot_id: NUMBER }), shown: VEHICLE, status: [201] },
  },
  'PATCH /vehicles/{id}': { sent: objectOf({ depot_id: NUMBER }), shown: VEHICLE, ...ID },
  'GET /clubs': { shown: listOf(CLUB) },
  'POST /clubs': {
    ...{ sent: objectOf({ name: TEXT, members: TEXTS }), shown: CLUB, status: [201] },
  },
  'PATCH /clubs/{id}': { sent: objectOf({ members: TEXTS }), shown: CLUB, ...ID },
}
