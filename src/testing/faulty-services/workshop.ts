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
  text,
} from './document-parts.ts'
import type { FaultyService } from './faulty-service.ts'

/** The faults of the workshop, each with a check that sees it. */
const FAULTS: Readonly<Record<string, string>> = {
  'rounds weights': 'createTool/values/smallest/shown',
  'refuses shelf zero': 'createTool/values/unusual',
  'takes words for switches': 'createTool/electric-as-a-text',
  'takes a text for a number in a change': 'changeTool/weight-as-a-text',
  'takes unknown properties in a change': 'changeTool/an-unknown-property',
  'has a Location without its base': 'createTool/location',
  'has keys in any capitals': 'listToolTags/wrong-case',
  'creates tools without a key': 'createTool/refused',
  'takes unknown parameters': 'listTools/an-unknown-parameter',
  'keeps the borrower of a returned tool': 'returnTool/cleared',
  'finds the repairs of all tools': 'listRepairs/parents',
  'lists repairs in descending order': 'listRepairs/order/order',
  'adds tags with a 200': 'addTag/added',
  'removes all tags': 'removeTag/others',
}

const BASE = 'https://workshop.example/v1'
const SHELVES = 8

const name = { type: 'string', minLength: 1, maxLength: 60 }
const sent = {
  name,
  weight: { type: 'number', minimum: 0.5, maximum: 500, multipleOf: 0.5 },
  electric: { type: 'boolean', default: false },
  shelf: {
    ...{ type: 'integer', minimum: 0, maximum: 59, example: 3 },
    description: 'It must be lower than the number of shelves, which is 8.',
  },
}
const id = readOnly({ type: 'integer', minimum: 1 })
const TOOL = objectOf(
  {
    ...{ id, ...sent, status: readOnly({ type: 'string', enum: ['free', 'lent'] }) },
    borrower: readOnly({ type: ['string', 'null'] }),
  },
  ['id', 'name', 'weight', 'electric', 'shelf', 'status', 'borrower'],
)
const repair = { note: name, day: { type: 'string', format: 'date' }, done: { type: 'boolean' } }
const REPAIR = objectOf({ id, tool_id: id, ...repair }, ['id', 'tool_id', 'note', 'day', 'done'])
const TAG = objectOf({ id, word: name }, ['id', 'word'])
const closed = (properties: object, required?: readonly string[]): object => ({
  ...objectOf(properties, required),
  additionalProperties: false,
})
const listOf = (items: object): object => ({ type: 'array', items })
const number = { type: 'integer', minimum: 1 }
const empty = { 204: { description: 'Done.' } }

/** The document of the workshop. */
const DOCUMENT: JsonObject = documentOf('Workshop', BASE, {
  '/tags': {
    get: { operationId: 'listTags', responses: { 200: answer(listOf(TAG)), ...errors(401) } },
    post: {
      operationId: 'createTag',
      ...body(closed({ word: name }, ['word'])),
      responses: { 201: answer(TAG), ...errors(401, 422) },
    },
  },
  '/tags/{tag_id}': {
    ...inPath(number, 'tag_id'),
    delete: { operationId: 'deleteTag', responses: { ...empty, ...errors(401, 404) } },
  },
  '/tools': {
    get: {
      operationId: 'listTools',
      description: 'Unknown query parameters are answered with 422.',
      responses: { 200: answer(listOf(TOOL)), ...errors(401, 422) },
    },
    post: {
      operationId: 'createTool',
      ...body(closed(sent, ['name', 'weight', 'shelf'])),
      responses: {
        201: answer(TOOL, { Location: { required: true, schema: text } }),
        ...errors(401, 422),
      },
    },
  },
  '/tools/{tool_id}': {
    ...inPath(number, 'tool_id'),
    get: { operationId: 'readTool', responses: { 200: answer(TOOL), ...errors(401, 404) } },
    patch: {
      operationId: 'changeTool',
      ...body(closed(sent)),
      responses: { 200: answer(TOOL), ...errors(401, 404, 422) },
    },
    delete: { operationId: 'deleteTool', responses: { ...empty, ...errors(401, 404) } },
  },
  '/tools/{tool_id}/lend': {
    ...inPath(number, 'tool_id'),
    post: {
      operationId: 'lendTool',
      description:
        'Sets `status` to `lent` and `borrower` to the name. 409 if the tool is already lent.',
      ...body(closed({ borrower: name }, ['borrower'])),
      responses: { 200: answer(TOOL), ...errors(401, 404, 409, 422) },
    },
  },
  '/tools/{tool_id}/return': {
    ...inPath(number, 'tool_id'),
    post: {
      operationId: 'returnTool',
      description: 'Sets `status` to `free`; `borrower` becomes null. 409 if the tool is not lent.',
      responses: { 200: answer(TOOL), ...errors(401, 404, 409) },
    },
  },
  '/tools/{tool_id}/repairs': {
    ...inPath(number, 'tool_id'),
    get: {
      operationId: 'listRepairs',
      description: 'Only the repairs of this tool, by `note`, ascending.',
      parameters: [inQuery('done', { type: 'boolean' }, 'Repairs that are done, or not.')],
      responses: { 200: answer(listOf(REPAIR)), ...errors(401, 404, 422) },
    },
    post: {
      operationId: 'createRepair',
      ...body(closed(repair, ['note', 'day', 'done'])),
      responses: { 201: answer(REPAIR), ...errors(401, 404, 422) },
    },
  },
  '/tools/{tool_id}/tags': {
    ...inPath(number, 'tool_id'),
    get: {
      operationId: 'listToolTags',
      responses: { 200: answer(listOf(TAG)), ...errors(401, 404) },
    },
  },
  '/tools/{tool_id}/tags/{tag_id}': {
    ...inPath(number, 'tool_id', 'tag_id'),
    put: { operationId: 'addTag', responses: { ...empty, ...errors(401, 404) } },
    delete: { operationId: 'removeTag', responses: { ...empty, ...errors(401, 404) } },
  },
})

type Row = Record<string, unknown> & { readonly id: number }

interface Call {
  readonly method: string
  readonly path: readonly string[]
  readonly query: URLSearchParams
  readonly given: JsonObject | undefined
}

/** Tools with repairs below them and tags of a collection of their own, which are lent and returned. */
class Workshop {
  readonly #fault: string
  #tools: Row[] = []
  #tags: Row[] = []
  #repairs: Row[] = []
  #links: { readonly tool: number; readonly tag: number }[] = []
  #lastId = 0

  constructor(fault = 'none') {
    this.#fault = fault
    for (const [at, called] of ['Saw', 'Drill', 'Plane'].entries()) {
      const tool = { name: called, weight: 2 + at, electric: at === 1, shelf: at }
      const { id: tool_id } = this.#add(this.#tools, { ...tool, status: 'free', borrower: null })
      for (const day of ['2026-02-03', '2026-01-02'])
        this.#add(this.#repairs, { tool_id, note: 'Sharpened', day, done: day < '2026-02' })
      this.#add(this.#tags, { word: called.toLowerCase() })
    }
  }

  get records(): readonly unknown[] {
    return [...this.#tools, ...this.#tags, ...this.#repairs]
  }

  #has(fault: string): boolean {
    return this.#fault === fault
  }

  #add(rows: Row[], values: JsonObject): Row {
    this.#lastId += 1
    const row = { id: this.#lastId, ...values }
    rows.push(row)
    return row
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams: query } = new URL(request.url)
    const key = request.headers.get('Authorization') ?? ''
    const isKnown = this.#has('has keys in any capitals')
      ? key.toLowerCase() === 'bearer key-of-ann'
      : key === 'Bearer key-of-ann'
    const [, , name, ...path] = pathname.split('/')
    const given = parseJsonText(await request.text())
    const call = { method: request.method, path, query, given: isObject(given) ? given : undefined }
    const isEarly = this.#has('creates tools without a key') && call.method === 'POST'
    if (!isKnown && isEarly && name === 'tools' && path.length === 0) this.#createTool(call.given)
    if (!isKnown) return refusal(401)
    return name === 'tools' ? this.#answerTools(call) : this.#answerTags(call)
  }

  #answerTags({ method, path: [id], given }: Call): Response {
    if (id === undefined && method === 'GET') return Response.json(this.#tags)
    if (id === undefined) {
      if (!isOnly(given, ['word']) || !isName(given.word)) return refusal(422)
      return Response.json(this.#add(this.#tags, given), { status: 201 })
    }
    const found = this.#tags.find((one) => String(one.id) === id)
    if (!found) return refusal(404)
    this.#tags = this.#tags.filter((one) => one !== found)
    return done()
  }

  #answerTools(call: Call): Response {
    const { method, path, query, given } = call
    const [id, below] = path
    if (id === undefined && method === 'GET')
      return query.size > 0 && !this.#has('takes unknown parameters')
        ? refusal(422)
        : Response.json(this.#tools)
    if (id === undefined) return this.#createTool(given)
    const tool = this.#tools.find((one) => String(one.id) === id)
    if (!tool) return refusal(404)
    if (below === 'repairs') return this.#answerRepairs(tool, call)
    if (below === 'tags') return this.#answerToolTags(tool, call)
    if (below !== undefined) return this.#act(tool, below, given)
    if (method === 'PATCH') return this.#changeTool(tool, given)
    if (method === 'GET') return Response.json(tool)
    this.#tools = this.#tools.filter((one) => one !== tool)
    return done()
  }

  #createTool(given: JsonObject | undefined): Response {
    const isWord = this.#has('takes words for switches') && typeof given?.electric === 'string'
    const values = { electric: false, ...given, ...(isWord && { electric: true }) }
    const isZero = this.#has('refuses shelf zero') && given?.shelf === 0
    if (isZero) return Response.json({ message: 'shelf is missing' }, { status: 422 })
    if (!given || !isTool(values)) return refusal(422)
    const weight = this.#has('rounds weights') ? Math.round(values.weight) : values.weight
    const made = { ...values, weight, status: 'free', borrower: null }
    const tool = this.#add(this.#tools, made)
    const base = this.#has('has a Location without its base') ? '' : '/v1'
    const headers = { Location: `${base}/tools/${tool.id}` }
    return Response.json(tool, { status: 201, headers })
  }

  #changeTool(tool: Row, given: JsonObject | undefined): Response {
    const { status, borrower, id: own, ...before } = tool
    const isText =
      this.#has('takes a text for a number in a change') && typeof given?.weight === 'string'
    const changed = { ...before, ...given, ...(isText && { weight: Number(given.weight) }) }
    const known = this.#has('takes unknown properties in a change')
      ? Object.fromEntries(Object.entries(changed).filter(([key]) => key in sent))
      : changed
    if (!given || !isTool(known)) return refusal(422)
    Object.assign(tool, known)
    return Response.json(tool)
  }

  #act(tool: Row, action: string, given: JsonObject | undefined): Response {
    const isLoan = action === 'lend'
    if (isLoan && (!isOnly(given, ['borrower']) || !isName(given.borrower))) return refusal(422)
    if ((tool.status === 'lent') === isLoan) return refusal(409)
    tool.status = isLoan ? 'lent' : 'free'
    if (isLoan) tool.borrower = given?.borrower
    else if (!this.#has('keeps the borrower of a returned tool')) tool.borrower = null
    return Response.json(tool)
  }

  #answerRepairs(tool: Row, { method, query, given }: Call): Response {
    if (method === 'POST') {
      const { note, day, done: isDone, ...more } = given ?? {}
      const isDay = typeof day === 'string' && !Number.isNaN(Date.parse(day)) && isReal(day)
      if (!isName(note) || !isDay || typeof isDone !== 'boolean' || Object.keys(more).length > 0)
        return refusal(422)
      const made = { tool_id: tool.id, note, day, done: isDone }
      return Response.json(this.#add(this.#repairs, made), { status: 201 })
    }
    const wanted = query.get('done')
    if (wanted !== null && !/^(true|false)$/.test(wanted)) return refusal(422)
    const isAny = this.#has('finds the repairs of all tools') && wanted !== null
    const found = this.#repairs
      .filter((one) => isAny || one.tool_id === tool.id)
      .filter((one) => wanted === null || String(one.done) === wanted)
      .sort((one, other) => (String(one.note) < String(other.note) ? -1 : 1))
    return Response.json(this.#has('lists repairs in descending order') ? found.reverse() : found)
  }

  #answerToolTags(tool: Row, { method, path: [, , id] }: Call): Response {
    const own = this.#links.filter((one) => one.tool === tool.id)
    if (id === undefined)
      return Response.json(own.flatMap((one) => this.#tags.find((tag) => tag.id === one.tag) ?? []))
    const tag = this.#tags.find((one) => String(one.id) === id)
    const link = own.find((one) => one.tag === tag?.id)
    if (!tag) return refusal(404)
    if (method === 'PUT') {
      if (!link) this.#links.push({ tool: tool.id, tag: tag.id })
      return this.#has('adds tags with a 200') ? Response.json(tag) : done()
    }
    if (!link) return refusal(404)
    const isGone = (one: (typeof own)[number]): boolean =>
      one === link || (this.#has('removes all tags') && one.tool === tool.id)
    this.#links = this.#links.filter((one) => !isGone(one))
    return done()
  }
}

function isOnly(given: JsonObject | undefined, names: readonly string[]): given is JsonObject {
  return given !== undefined && Object.keys(given).every((one) => names.includes(one))
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && [...value].length <= 60
}

function isTool(values: JsonObject): values is JsonObject & { readonly weight: number } {
  const { name: called, weight, electric, shelf } = values
  return (
    isOnly(values, Object.keys(sent)) &&
    isName(called) &&
    typeof weight === 'number' &&
    weight >= 0.5 &&
    weight <= 500 &&
    Number.isInteger(weight * 2) &&
    typeof electric === 'boolean' &&
    Number.isInteger(shelf) &&
    Number(shelf) >= 0 &&
    Number(shelf) < SHELVES
  )
}

function isReal(day: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(day) && new Date(day).toISOString().startsWith(day)
}

function refusal(status: number): Response {
  return Response.json({ message: 'shelf, or something else' }, { status })
}

function done(): Response {
  return new Response(null, { status: 204 })
}

export const WORKSHOP: FaultyService = {
  what: 'a service with loans, repairs of each tool, and tags in a collection of their own',
  base: BASE,
  options: { key: 'key-of-ann', writes: true },
  document: DOCUMENT,
  faults: FAULTS,
  seenElsewhere: ['creates tools without a key'],
  create: (fault) => new Workshop(fault),
}
