import { beforeAll, describe, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { isObject } from '../validation/objects.ts'
import type { VerifyOptions } from './session/options.ts'
import type { Verification } from './verification.ts'
import { verify } from './verify.ts'

const json = (schema: object): object => ({ content: { 'application/json': { schema } } })
const answer = (schema: object): object => ({ description: 'An answer.', ...json(schema) })
const text = { type: 'string' }
const error = answer({ type: 'object' })
const inPath = (name: string): object => ({ name, in: 'path', required: true, schema: text })
const silence = {
  type: 'object',
  required: ['comment'],
  properties: { comment: { ...text, minLength: 1, maxLength: 100 } },
}
const trip = {
  type: 'object',
  required: ['goal', 'km'],
  additionalProperties: false,
  properties: {
    goal: { ...text, minLength: 2 },
    km: { type: 'number', exclusiveMinimum: 0 },
    stops: {
      type: 'array',
      items: {
        type: 'object',
        properties: { place: text, hours: { type: 'integer', minimum: 0 } },
      },
    },
  },
}
const withId = ({ properties }: { readonly properties: object }): object => ({
  type: 'object',
  properties: { id: text, ...properties },
})
const size = { name: 'size', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 50 } }

/** The paths of records are not below those where they are created. */
const PATHS = {
  '/silences': {
    get: { responses: { 200: answer({ type: 'array', items: withId(silence) }) } },
    post: {
      requestBody: { required: true, ...json(silence) },
      responses: { 200: answer({ type: 'object', properties: { id: text } }), 400: error },
    },
  },
  '/silence/{id}': {
    parameters: [inPath('id')],
    get: { responses: { 200: answer(withId(silence)), 404: error } },
    delete: { responses: { 200: { description: 'Removed.' }, 404: error } },
  },
  '/cars': {
    get: { responses: { 200: answer({ type: 'array', items: withId(silence) }) } },
    post: {
      requestBody: { required: true, ...json(silence) },
      // Nothing but its texts shows that a record is new.
      responses: { 200: answer(withId(silence)), 400: error },
    },
  },
  '/cars/{car}': {
    parameters: [inPath('car')],
    get: { responses: { 200: answer(withId(silence)), 404: error } },
    delete: { responses: { 204: { description: 'Removed.' }, 403: error, 404: error } },
  },
  '/cars/{car}/trips': {
    parameters: [inPath('car')],
    get: {
      operationId: 'listTrips',
      parameters: [size],
      responses: { 200: answer({ type: 'array', items: withId(trip) }), 400: error, 404: error },
    },
    post: {
      operationId: 'createTrip',
      requestBody: { required: true, ...json(trip) },
      responses: { 201: answer(withId(trip)), 400: error, 404: error },
    },
  },
  '/trips/{trip}': {
    parameters: [inPath('trip')],
    get: { responses: { 200: answer(withId(trip)), 404: error } },
    delete: { responses: { 204: { description: 'Removed.' }, 403: error, 404: error } },
  },
}
const SECURITY = {
  components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
  security: [{ key: [] }],
}

type Kept = Readonly<Record<string, unknown>>

/** A service in which every key reads, and the key of a reader does nothing else. */
class Service {
  readonly #fault: string
  readonly kept = new Map<string, Kept>([['silences 1', { id: '1', comment: 'Backup' }]])
  #last = 1

  constructor(fault: string) {
    this.#fault = fault
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const [, word = '', id, below] = pathname.split('/')
    const { method } = request
    const sent: unknown = method === 'POST' ? await request.json().catch(() => undefined) : {}
    const key = request.headers.get('X-Key')
    if (key !== 'owner' && key !== 'reader') return refusal(401)
    if (method !== 'GET' && key === 'reader') return refusal(403)
    const name = below ?? (word === 'silence' ? 'silences' : word)
    const isList = id === undefined || below !== undefined
    if (below !== undefined && !this.kept.has(`cars ${id}`)) return refusal(404)
    if (!isList) return this.#one(`${name} ${id}`, method)
    return method === 'GET'
      ? this.#list(`${name} `, id, searchParams)
      : this.#create(name, id, sent)
  }

  #create(name: string, car: string | undefined, sent: unknown): Response {
    const isValid = isObject(sent) && (name === 'trips' ? this.#isTrip(sent) : isSilence(sent))
    if (!isValid) return refusal(400)
    this.#last += 1
    const made = { ...this.#stored(sent), id: String(this.#last) }
    this.kept.set(`${name} ${this.#last}`, car === undefined ? made : { ...made, car })
    if (name === 'trips') return Response.json(made, { status: 201 })
    return Response.json(name === 'silences' ? { id: made.id } : made)
  }

  #one(key: string, method: string): Response {
    const found = this.kept.get(key)
    if (!found) return refusal(404)
    if (method === 'DELETE') this.kept.delete(key)
    return method === 'DELETE' ? new Response(null, { status: 204 }) : Response.json(found)
  }

  #list(start: string, car: string | undefined, query: URLSearchParams): Response {
    const count = Number(query.get('size') ?? 50)
    const isRight = Number.isInteger(count) && count >= 1 && count <= 50
    if (!isRight && this.#fault !== 'any size') return refusal(400)
    const all = [...this.kept].flatMap(([key, one]) =>
      key.startsWith(start) && (car === undefined || one.car === car) ? [one] : [],
    )
    return Response.json(all.slice(0, Math.max(1, count || 50)))
  }

  #isTrip({ goal, km, stops = [], ...others }: Kept): boolean {
    const isKnown = Object.keys(others).length === 0 || this.#fault === 'any property'
    const isFar = typeof km === 'number' && (km > 0 || (km === 0 && this.#fault === 'no distance'))
    const isText = typeof goal === 'string' && goal.length >= 2
    return isKnown && isFar && isText && Array.isArray(stops) && stops.every(isStop)
  }

  #stored(sent: Kept): Kept {
    const isLost = this.#fault === 'loses hours' && Array.isArray(sent.stops)
    return isLost ? { ...sent, stops: [{ place: 'Ulm' }] } : sent
  }
}

function isStop(stop: unknown): boolean {
  if (!isObject(stop)) return false
  const { place = '', hours = 0 } = stop
  return typeof place === 'string' && Number.isInteger(hours) && Number(hours) >= 0
}

function isSilence({ comment }: Kept): boolean {
  return typeof comment === 'string' && comment.length >= 1 && [...comment].length <= 100
}

function refusal(status: number): Response {
  return Response.json({}, { status })
}

let contract: Contract

beforeAll(async () => {
  contract = await loadDocumentOf(PATHS, SECURITY)
})

async function run(
  fault: string,
  options: VerifyOptions = {},
): Promise<{ readonly verification: Verification; readonly service: Service }> {
  const service = new Service(fault)
  const verification = await verify('http://api.test', contract, {
    ...{ key: 'owner', writes: true, ...options },
    fetch: (request) => service.fetch(request),
  })
  return { verification, service }
}

function failed({ checks }: Verification): readonly string[] {
  return checks.filter(({ status }) => status === 'failed').map(({ id }) => id)
}

describe('records whose paths are not below those of their creation', () => {
  test('are read and removed, and nothing is left', async () => {
    const { verification, service } = await run('none')

    expect(failed(verification)).toEqual([])
    // Its creation shows only an id. The record is found in the list by its text, to be removed.
    expect(verification.operations.others.map(({ operation }) => operation)).toEqual([
      'DELETE /silence/{id}',
    ])
    expect(verification.changes.creations.map(({ isRemovable }) => isRemovable)).not.toContain(
      false,
    )
    expect(verification.left).toEqual([])
    expect([...service.kept.keys()]).toEqual(['silences 1'])
  })

  test('may be read by the key of somebody who must not change them', async () => {
    const { verification } = await run('none', { otherKey: 'reader' })

    expect(failed(verification)).toEqual([])
  })

  test.each([
    ['any size', /^listTrips\/size=/],
    ['any property', /^createTrip\/an-unknown-property/],
    ['no distance', /^createTrip\/km=0/],
    ['loses hours', /^createTrip\/values\/full\/shown/],
  ])('are checked: %s', async (fault, check) => {
    const { verification } = await run(fault)

    expect(failed(verification).some((id) => check.test(id))).toBe(true)
  })
})
