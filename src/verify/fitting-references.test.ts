import { expect, test } from 'vitest'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { isObject } from '../validation/objects.ts'
import { verify } from './verify.ts'

// Bodies with several references: the van of a tour is in the depot of the tour.

const text = { type: 'string' }
const json = (schema: object): object => ({ content: { 'application/json': { schema } } })
const no = { description: 'No.', ...json({ type: 'object' }) }

function record(properties: object): object {
  return { type: 'object', required: Object.keys(properties), properties }
}

function collection(name: string, sent: object): object {
  const shown = { description: 'OK', ...json(record({ id: text, ...sent })) }
  const all = {
    description: 'OK',
    ...json({ type: 'array', items: record({ id: text, ...sent }) }),
  }
  const requestBody = { required: true, ...json(record(sent)) }
  return {
    [`/${name}`]: {
      get: { operationId: `list ${name}`, responses: { 200: all } },
      post: { operationId: `create ${name}`, requestBody, responses: { 201: shown, 422: no } },
    },
    [`/${name}/{id}`]: {
      parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
      get: { operationId: `read ${name}`, responses: { 200: shown, 404: no } },
    },
  }
}

/** A service whose tours have the van and the driver of their depot. A depot has one tour. */
function service(): (request: Request) => Promise<Response> {
  const records = new Map<string, Readonly<Record<string, unknown>>>()
  const among = (path: string): readonly Readonly<Record<string, unknown>>[] =>
    [...records].filter(([key]) => key.startsWith(`${path}/`)).map(([, one]) => one)
  const isTour = (sent: Readonly<Record<string, unknown>>): boolean => {
    const isTaken = among('/tours').some((one) => one.depotId === sent.depotId)
    const used = [records.get(`/vans/${sent.vanId}`), records.get(`/drivers/${sent.driverId}`)]
    return !isTaken && used.every((one) => one?.depotId === sent.depotId)
  }
  return async (request) => {
    const { pathname } = new URL(request.url)
    const known = records.get(pathname)
    if (request.method === 'GET')
      return /^.\w+$/.test(pathname)
        ? Response.json(among(pathname))
        : Response.json(known ?? {}, { status: known ? 200 : 404 })
    const sent: unknown = await request.json().catch(() => undefined)
    if (!isObject(sent)) return Response.json({}, { status: 400 })
    if (pathname === '/tours' && !isTour(sent))
      return Response.json({ message: 'does not belong to the depot' }, { status: 422 })
    const created = { ...sent, id: crypto.randomUUID() }
    records.set(`${pathname}/${created.id}`, created)
    return Response.json(created, { status: 201 })
  }
}

test('what a new record refers to refers to the same records', async () => {
  const contract = await loadDocumentOf({
    ...collection('drivers', { depotId: text, name: text }),
    ...collection('tours', { driverId: text, vanId: text, depotId: text }),
    ...collection('vans', { depotId: text, name: text }),
    ...collection('depots', { name: text }),
  })

  const { operations } = await verify('http://api.test', contract, {
    writes: true,
    fetch: service(),
  })

  expect(operations.others).toEqual([])
})
