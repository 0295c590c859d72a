import { describe, expect, test } from 'vitest'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { isObject } from '../validation/objects.ts'
import type { VerifyOptions } from './session/options.ts'
import type { CheckResult, Verification } from './verification.ts'
import { verify } from './verify.ts'

const json = (schema: object): object => ({ content: { 'application/json': { schema } } })
const note = {
  type: 'object',
  required: ['text'],
  properties: {
    text: { type: 'string', maxLength: 50 },
    stars: { type: 'integer', minimum: 0, maximum: 5 },
  },
}
const shown = { type: 'object', properties: { id: { type: 'integer' }, ...note.properties } }
const error = { description: 'An error.', ...json({ type: 'object' }) }
const ok = (schema: object): object => ({ description: 'OK', ...json(schema) })

const PATHS = {
  '/notes': {
    get: {
      operationId: 'listNotes',
      parameters: [
        { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 1000 } },
      ],
      responses: { 200: ok({ type: 'array', items: shown }), 400: error },
    },
    post: {
      operationId: 'createNote',
      requestBody: { required: true, ...json(note) },
      responses: { 201: ok(shown), 422: error },
    },
  },
  '/notes/{id}': {
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
    get: { operationId: 'getNote', responses: { 200: ok(shown), 404: error } },
    patch: {
      operationId: 'changeNote',
      requestBody: { required: true, ...json({ ...note, required: [] }) },
      responses: { 200: ok(shown), 404: error, 422: error },
    },
    delete: {
      operationId: 'removeNote',
      responses: { 204: { description: 'Removed.' }, 404: error },
    },
  },
}

type Note = Readonly<Record<string, unknown>>

/** A service of notes, with one that it has from the start. */
class Notes {
  readonly #fault: string
  readonly notes = new Map<string, Note>([['1', { id: 1, text: 'Buy milk' }]])
  /** What reads return, where the service keeps it. */
  readonly #kept = new Map<string, Note>()
  readonly writes: string[] = []
  #read: Note | undefined
  #isBroken = false
  #last = 1

  constructor(fault: string) {
    this.#fault = fault
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const { method } = request
    if (this.#isBroken) throw Object.assign(new Error(), { code: 'ECONNRESET' })
    if (method !== 'GET') this.writes.push(`${method} ${pathname}`)
    const id = pathname.split('/')[2]
    if (id === undefined) return method === 'GET' ? this.#list(searchParams) : this.#create(request)
    const found = this.notes.get(id)
    if (!found) return Response.json({}, { status: 404 })
    if (method === 'DELETE') return this.#remove(id)
    if (method === 'PATCH') return await this.#change(id, found, request)
    const kept = this.#kept.get(id)
    if (this.#fault === 'keeps what was read twice' && kept) return Response.json(kept)
    if (this.#read === found) this.#kept.set(id, found)
    this.#read = found

    return Response.json(found)
  }

  #list(query: URLSearchParams): Response {
    const limit = Number(query.get('limit') ?? 100)
    const isValid = Number.isInteger(limit) && limit >= 1 && limit <= 1000
    if (!isValid) return Response.json({}, { status: 400 })
    return Response.json([...this.notes.values()].slice(0, limit))
  }

  async #create(request: Request): Promise<Response> {
    const sent: unknown = await request.json().catch(() => undefined)
    if (!isNote(sent) || sent.text === undefined) return Response.json({}, { status: 422 })
    if (this.#fault === 'no three stars' && sent.stars === 3)
      return Response.json({}, { status: 500 })
    this.#isBroken ||= this.#fault === 'breaks after 90 notes' && this.#last > 90
    this.#last += 1
    const made = { ...sent, id: this.#last }
    this.notes.set(String(this.#last), made)
    return Response.json(made, { status: 201 })
  }

  async #change(id: string, found: Note, request: Request): Promise<Response> {
    const sent: unknown = await request.json().catch(() => undefined)
    if (!isNote(sent)) return Response.json({}, { status: 422 })
    const changed = { ...found, ...sent, id: Number(id) }
    this.notes.set(id, changed)
    return Response.json(changed)
  }

  #remove(id: string): Response {
    this.notes.delete(id)
    return new Response(null, { status: 204 })
  }
}

function isNote(value: unknown): value is Note {
  if (!isObject(value) || Array.isArray(value)) return false
  const { text = '', stars = 0 } = value
  const isText = typeof text === 'string' && [...text].length <= 50
  return isText && Number.isInteger(stars) && Number(stars) >= 0 && Number(stars) <= 5
}

async function run(
  fault: string,
  options: VerifyOptions,
): Promise<{ readonly verification: Verification; readonly service: Notes }> {
  const contract = await loadDocumentOf(PATHS)
  const service = new Notes(fault)
  const verification = await verify('http://api.test', contract, {
    writes: true,
    seed: 7,
    ...options,
    fetch: (request) => service.fetch(request),
  })
  return { verification, service }
}

function failed({ checks }: Verification): readonly CheckResult[] {
  return checks.filter(({ status }) => status === 'failed')
}

function methodsOf({ sequence = [] }: Partial<CheckResult> = {}): readonly string[] {
  return sequence.map((command) => /-X (\w+)/.exec(command)?.[1] ?? 'GET')
}

describe('random requests', () => {
  test('find the shortest sequence for a fault that no other check sees', async () => {
    const fault = 'keeps what was read twice'
    const { verification: plain } = await run(fault, {})
    const { verification, service } = await run(fault, { fuzz: 800 })

    expect(failed(plain)).toEqual([])
    expect(failed(verification).map(({ id }) => id)).toEqual(['getNote/fuzz/state'])
    const [finding] = failed(verification)
    expect(methodsOf(finding)).toEqual(['POST', 'GET', 'GET', 'PATCH', 'GET'])
    expect(finding?.sequence?.at(-1)).toMatch(/notes\/\{id\}' # id: response 1$/)
    expect([...service.notes.keys()]).toEqual(['1'])
    expect(verification.left).toEqual([])
  })

  test('find the only value for which a service fails', async () => {
    const { verification } = await run('no three stars', { fuzz: 400 })

    const finding = failed(verification).find(({ id }) => id === 'createNote/fuzz/server-error')
    expect(finding?.sequence).toHaveLength(1)
    expect(finding?.exchange?.request.body).toMatch(/"stars":3/)
  })

  test('find nothing in a service without a fault', async () => {
    const { verification, service } = await run('none', { fuzz: 600 })

    expect(failed(verification)).toEqual([])
    expect(verification.fuzz).toEqual({ seed: 7, sequences: expect.any(Number), requests: 600 })
    expect(service.writes.filter((one) => /\/1$/.test(one))).toEqual([])
  })

  test('are the same with the same seed', async () => {
    const fault = 'keeps what was read twice'
    const runs = await Promise.all([1, 2].map(() => run(fault, { fuzz: 200, seed: 3 })))

    // The ids of unknown records are those that nobody could guess.
    const [one, other] = runs.map(({ service }) =>
      service.writes.map((write) => write.replace(/\d{7,}/, 'unknown')),
    )
    expect(one).toEqual(other)
  })

  test('only read without writes', async () => {
    const { verification, service } = await run('none', { fuzz: 50, writes: false })

    expect(service.writes).toEqual([])
    expect(verification.fuzz?.requests).toBe(50)
  })

  test('end when the service does not answer any more', async () => {
    const { verification, service } = await run('breaks after 90 notes', { fuzz: 400 })

    const finding = failed(verification).find(({ id }) => id === 'createNote/fuzz/no-response')
    expect(finding?.received).toMatch(/closed the connection/)
    expect(verification.fuzz?.requests).toBeLessThan(400)
    expect([...service.notes.keys()]).toContain('1')
  })

  test.each([
    [{ fuzz: 0 }, /fuzz/],
    [{ fuzz: 10, seed: -1 }, /seed/],
  ])('need a valid number: %j', async (options, message) => {
    await expect(run('none', options)).rejects.toThrow(message)
  })
})
