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
  'takes the beginning of a key': 'createTag/short-key',
  'creates tools without a key': 'createTool/refused',
  'takes unknown parameters': 'listTools/an-unknown-parameter',
  'takes parameters twice': 'listRepairs/a-parameter-given-twice',
  'keeps the borrower of a returned tool': 'returnTool/cleared',
  'finds the repairs of all tools': 'listRepairs/parent/filtered',
  'lists repairs in descending order': 'listRepairs/order/order',
  'adds tags with a 200': 'addTag/added',
  'removes all tags': 'removeTag/others',
  'empties the extras in a change': 'changeTool/kept',
  'keeps removed loans': 'readLoan/after/deleteLoan',
  'moves no loan': 'moveLoan/kept',
  'keeps the phone in a replacement': 'replaceLoan/replaced',
  'lists the loans of no tool': 'listToolLoans/absent-parent',
  'lists the tags of no tool': 'listToolTags/absent-parent/alike',
}

const BASE = 'https://workshop.example/v1'
const SHELVES = 8

const name = { type: 'string', minLength: 1, maxLength: 60 }
const sent = {
  name,
  weight: { type: 'number', minimum: 0.5, maximum: 500, multipleOf: 0.5 },
  electric: { type: 'boolean', default: false },
  shelf: {
    ...{ type: 'integer', minimum: 0, maximum: 9, example: 3 },
    description: 'It must be lower than the number of shelves, which is 8.',
  },
}
const EXTRAS = ['case', 'blades']
const extras = { type: 'array', items: { type: 'string', enum: EXTRAS }, maxItems: 2, default: [] }
const id = readOnly({ type: 'integer', minimum: 1 })
const TOOL = objectOf(
  {
    ...{ id, ...sent, extras, status: readOnly({ type: 'string', enum: ['free', 'lent'] }) },
    borrower: readOnly({ type: ['string', 'null'] }),
    bought_on: readOnly({ type: 'string', format: 'date' }),
  },
  ['id', 'name', 'weight', 'electric', 'shelf', 'extras', 'status', 'borrower', 'bought_on'],
)
const day = { type: 'string', format: 'date' }
const repair = { note: name, day, done: { type: 'boolean' } }
const REPAIR = objectOf({ id, tool_id: id, ...repair }, ['id', 'tool_id', 'note', 'day', 'done'])
const PHONE = /^\+[0-9]{6,12}$/
const loan = {
  ...{ tool_id: { type: 'integer', minimum: 1 }, borrower: name },
  phone: { type: ['string', 'null'], pattern: PHONE.source, default: null },
}
const LOAN = objectOf(
  { id, ...loan, status: readOnly({ type: 'string', enum: ['open', 'closed'] }) },
  ['id', 'tool_id', 'borrower', 'phone', 'status'],
)
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
      ...body(closed({ ...sent, extras }, ['name', 'weight', 'shelf'])),
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
      ...body(closed({ ...sent, extras })),
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
      description:
        'Only the repairs of this tool, by `note`, ascending. A query parameter given twice is answered with 422, one that is unknown is ignored.',
      parameters: [inQuery('done', { type: 'boolean' }, 'Repairs that are done, or not.')],
      responses: { 200: answer(listOf(REPAIR)), ...errors(401, 404, 422) },
    },
    post: {
      operationId: 'createRepair',
      ...body(closed(repair, ['note', 'day', 'done'])),
      responses: { 201: answer(REPAIR), ...errors(401, 404, 422) },
    },
  },
  '/tools/{tool_id}/loans': {
    ...inPath(number, 'tool_id'),
    get: {
      operationId: 'listToolLoans',
      responses: {
        ...{ 200: answer(listOf(LOAN)), 404: { description: 'The tool does not exist.' } },
        ...errors(401),
      },
    },
  },
  '/loans': {
    get: { operationId: 'listLoans', responses: { 200: answer(listOf(LOAN)), ...errors(401) } },
    post: {
      operationId: 'createLoan',
      ...body(closed(loan, ['tool_id', 'borrower'])),
      responses: { 201: answer(LOAN), ...errors(401, 422) },
    },
  },
  '/loans/{loan_id}': {
    ...inPath(number, 'loan_id'),
    get: { operationId: 'readLoan', responses: { 200: answer(LOAN), ...errors(401, 404) } },
    put: {
      operationId: 'replaceLoan',
      summary: 'Replace a loan',
      ...body(closed(loan, ['tool_id', 'borrower'])),
      responses: { 200: answer(LOAN), ...errors(401, 404, 422) },
    },
    delete: {
      operationId: 'deleteLoan',
      description: '409 while the loan is open.',
      responses: { ...empty, ...errors(401, 404, 409) },
    },
  },
  '/loans/{loan_id}/close': {
    ...inPath(number, 'loan_id'),
    post: {
      operationId: 'closeLoan',
      ...body(closed({ reason: name }, ['reason'])),
      responses: { 200: answer(LOAN), ...errors(401, 404, 409, 422) },
    },
  },
  '/loans/{loan_id}/move': {
    ...inPath(number, 'loan_id'),
    post: {
      operationId: 'moveLoan',
      ...body(closed({ tool_id: loan.tool_id }, ['tool_id'])),
      responses: { 200: answer(LOAN), ...errors(401, 404, 422) },
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

/** The properties of a tool that clients send. */
const NAMES: readonly string[] = [...Object.keys(sent), 'extras']

/** Later than the dates that are made for requests. */
const BOUGHT_ON = '2031-05-01'

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
  #loans: Row[] = []
  #links: { readonly tool: number; readonly tag: number }[] = []
  #lastId = 0

  constructor(fault = 'none') {
    this.#fault = fault
    for (const [at, called] of ['Saw', 'Drill', 'Plane'].entries()) {
      const tool = { name: called, weight: 2 + at, electric: at === 1, shelf: at }
      const { id: tool_id } = this.#add(this.#tools, {
        ...{ ...tool, extras: [], status: 'free', borrower: null, bought_on: '2020-01-01' },
      })
      for (const day of ['2026-02-03', '2026-01-02'])
        this.#add(this.#repairs, { tool_id, note: 'Sharpened', day, done: day < '2026-02' })
      this.#add(this.#tags, { word: called.toLowerCase() })
    }
  }

  get records(): readonly unknown[] {
    return [...this.#tools, ...this.#tags, ...this.#repairs, ...this.#loans]
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
    const isKnown =
      key === 'Bearer key-of-ann' ||
      (this.#has('has keys in any capitals') && key.toLowerCase() === 'bearer key-of-ann') ||
      (this.#has('takes the beginning of a key') && /^Bearer key-of-an?$/.test(key))
    const [, , name, ...path] = pathname.split('/')
    const given = parseJsonText(await request.text())
    const call = { method: request.method, path, query, given: isObject(given) ? given : undefined }
    const isEarly = this.#has('creates tools without a key') && call.method === 'POST'
    if (!isKnown && isEarly && name === 'tools' && path.length === 0) this.#createTool(call.given)
    if (!isKnown) return refusal(401)
    if (name === 'loans') return this.#answerLoans(call)
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
    if (!tool) return this.#has(`lists the ${below} of no tool`) ? Response.json([]) : refusal(404)
    if (below === 'loans')
      return Response.json(this.#loans.filter((one) => String(one.tool_id) === id))
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
    const values = { electric: false, extras: [], ...given, ...(isWord && { electric: true }) }
    const isZero = this.#has('refuses shelf zero') && given?.shelf === 0
    if (isZero) return Response.json({ message: 'shelf is missing' }, { status: 422 })
    if (!given || !isTool(values)) return refusal(422)
    const weight = this.#has('rounds weights') ? Math.round(values.weight) : values.weight
    const made = { ...values, weight, status: 'free', borrower: null, bought_on: BOUGHT_ON }
    const tool = this.#add(this.#tools, made)
    const base = this.#has('has a Location without its base') ? '' : '/v1'
    const headers = { Location: `${base}/tools/${tool.id}` }
    return Response.json(tool, { status: 201, headers })
  }

  #changeTool(tool: Row, given: JsonObject | undefined): Response {
    const { status, borrower, id: own, bought_on: _, ...before } = tool
    const isEmptied = this.#has('empties the extras in a change')
    const isText =
      this.#has('takes a text for a number in a change') && typeof given?.weight === 'string'
    const changed = {
      ...before,
      ...(isEmptied && { extras: [] }),
      ...given,
      ...(isText && { weight: Number(given.weight) }),
    }
    const known = this.#has('takes unknown properties in a change')
      ? Object.fromEntries(Object.entries(changed).filter(([key]) => NAMES.includes(key)))
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
      if (isDay && day < String(tool.bought_on))
        return Response.json(
          { message: 'The day is before that of the purchase.' },
          { status: 422 },
        )
      if (!isName(note) || !isDay || typeof isDone !== 'boolean' || Object.keys(more).length > 0)
        return refusal(422)
      const made = { tool_id: tool.id, note, day, done: isDone }
      return Response.json(this.#add(this.#repairs, made), { status: 201 })
    }
    const all = query.getAll('done')
    const [wanted = null] = all
    if (all.length > 1 && !this.#has('takes parameters twice')) return refusal(422)
    if (!all.every((one) => /^(true|false)$/.test(one))) return refusal(422)
    const isAny = this.#has('finds the repairs of all tools') && wanted !== null
    const found = this.#repairs
      .filter((one) => isAny || one.tool_id === tool.id)
      .filter((one) => wanted === null || String(one.done) === wanted)
      .sort((one, other) => (String(one.note) < String(other.note) ? -1 : 1))
    return Response.json(this.#has('lists repairs in descending order') ? found.reverse() : found)
  }

  #answerLoans({ method, path: [id, action], given }: Call): Response {
    if (id === undefined && method === 'GET') return Response.json(this.#loans)
    if (id === undefined) {
      const values = { phone: null, ...given }
      if (!this.#isLoan(values)) return refusal(422)
      return Response.json(this.#add(this.#loans, { ...values, status: 'open' }), { status: 201 })
    }
    const found = this.#loans.find((one) => String(one.id) === id)
    if (!found) return refusal(404)
    if (method === 'POST') return this.#actOnLoan(found, action, given)
    if (method === 'PUT') return this.#replaceLoan(found, given)
    if (method === 'GET') return Response.json(found)
    if (found.status === 'open') return refusal(409)
    if (!this.#has('keeps removed loans')) this.#loans = this.#loans.filter((one) => one !== found)
    return done()
  }

  #actOnLoan(found: Row, action: string | undefined, given: JsonObject | undefined): Response {
    if (action === 'close') {
      if (!isOnly(given, ['reason']) || !isName(given.reason)) return refusal(422)
      if (found.status !== 'open') return refusal(409)
      found.status = 'closed'
      return Response.json(found)
    }
    if (!isOnly(given, ['tool_id']) || !this.#isTool(given.tool_id)) return refusal(422)
    if (!this.#has('moves no loan')) found.tool_id = given.tool_id
    return Response.json({ ...found, ...given })
  }

  #replaceLoan(found: Row, given: JsonObject | undefined): Response {
    const phone = this.#has('keeps the phone in a replacement') ? found.phone : null
    const values = { phone, ...given } as JsonObject
    if (!this.#isLoan(values)) return refusal(422)
    return Response.json(Object.assign(found, values))
  }

  #isTool(value: unknown): boolean {
    return this.#tools.some((one) => one.id === value)
  }

  #isLoan(values: JsonObject): boolean {
    const { tool_id, borrower, phone } = values
    return (
      isOnly(values, Object.keys(loan)) &&
      this.#isTool(tool_id) &&
      isName(borrower) &&
      (phone === null || PHONE.test(String(phone)))
    )
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
  const { name: called, weight, electric, shelf, extras: own } = values
  return (
    isOnly(values, NAMES) &&
    Array.isArray(own) &&
    own.length <= 2 &&
    own.every((one) => EXTRAS.includes(String(one))) &&
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
