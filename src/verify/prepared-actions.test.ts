import { expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { isObject } from '../validation/objects.ts'
import { verify } from './verify.ts'

// An action that asks for what has to be created first: below its record, and elsewhere for it.

type Values = Readonly<Record<string, unknown>>

const text = { type: 'string' }
const json = (schema: object): object => ({ content: { 'application/json': { schema } } })
const inPath = {
  parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
}

function record(properties: object): object {
  return { type: 'object', required: Object.keys(properties), properties }
}

function answers(status: number, schema: object): object {
  const no = { description: 'No.', ...json({ type: 'object' }) }
  return { responses: { [status]: { description: 'Done.', ...json(schema) }, 404: no, 409: no } }
}

function creation(operationId: string, properties: object): object {
  const requestBody = { required: true, ...json(record(properties)) }
  return {
    post: { operationId, requestBody, ...answers(201, record({ id: text, ...properties })) },
  }
}

const kind = { type: 'string', enum: ['routine', 'safety'] }
const status = { type: 'string', enum: ['planned', 'departed'] }
const TRIP = record({ id: text, name: text, status })
const PLACE = record({ id: text, boatId: text })
const BOAT = record({ id: text, name: text })
const CHECK = record({ id: text, kind, tripId: text, boatId: text })

/** Trips with a crew, which depart after a check. */
const contract: Contract = await loadDocumentOf({
  '/boats': creation('createBoat', { name: text }),
  '/boats/{id}': { ...inPath, get: { operationId: 'readBoat', ...answers(200, BOAT) } },
  '/trips': {
    get: { operationId: 'listTrips', ...answers(200, { type: 'array', items: TRIP }) },
    post: {
      operationId: 'createTrip',
      requestBody: { required: true, ...json(record({ name: text })) },
      ...answers(201, TRIP),
    },
  },
  '/trips/{id}': { ...inPath, get: { operationId: 'readTrip', ...answers(200, TRIP) } },
  '/trips/{id}/boats': {
    ...inPath,
    get: { operationId: 'listBoats', ...answers(200, { type: 'array', items: PLACE }) },
    ...creation('addBoat', { boatId: text }),
  },
  '/trips/{id}/depart': { ...inPath, post: { operationId: 'depart', ...answers(200, TRIP) } },
  '/checks': creation('createCheck', { kind, tripId: text, boatId: text }),
  '/checks/{id}': { ...inPath, get: { operationId: 'readCheck', ...answers(200, CHECK) } },
})

/** A service of the trips that says what a trip still needs. */
function tripService(): (request: Request) => Promise<Response> {
  const records = new Map<string, Values>()
  const among = (path: string): readonly Values[] =>
    [...records]
      .filter(([key]) => key.slice(0, key.lastIndexOf('/')) === path)
      .map(([, one]) => one)
  const missingFor = (trip: string): string | undefined => {
    const boats = among(`${trip}/boats`).map(({ boatId }) => boatId)
    const isChecked = among('/checks').some(
      (one) =>
        one.kind === 'safety' && `/trips/${one.tripId}` === trip && boats.includes(one.boatId),
    )
    if (boats.length === 0) return 'no boat'
    return isChecked ? undefined : 'no safety check for the trip'
  }
  const create = (path: string, sent: Values): Response => {
    const id = crypto.randomUUID()
    const created = { id, ...sent, ...(path === '/trips' && { status: 'planned' }) }
    records.set(`${path}/${id}`, created)
    return Response.json(created, { status: 201 })
  }
  const depart = (trip: string): Response => {
    const known = records.get(trip)
    const message = missingFor(trip)
    if (!known) return Response.json({}, { status: 404 })
    if (message !== undefined) return Response.json({ message }, { status: 409 })
    const departed = { ...known, status: 'departed' }
    records.set(trip, departed)
    return Response.json(departed)
  }
  return async (request) => {
    const { pathname } = new URL(request.url)
    const known = records.get(pathname)
    if (request.method === 'GET' && /(trips|boats)$/.test(pathname))
      return Response.json(among(pathname))
    if (request.method === 'GET') return Response.json(known ?? {}, { status: known ? 200 : 404 })
    if (pathname.endsWith('/depart')) return depart(pathname.replace(/\/depart$/, ''))
    const sent: unknown = await request.json().catch(() => undefined)
    return isObject(sent) ? create(pathname, sent) : Response.json({}, { status: 400 })
  }
}

test('an action is done after what it asks for was created below its record and elsewhere for it', async () => {
  const { checks } = await verify('http://api.test', contract, {
    writes: true,
    fetch: tripService(),
  })

  expect(checks.find(({ id }) => id === 'depart/effect')).toMatchObject({ status: 'passed' })
})
