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
} from './document-parts.ts'
import type { FaultyService } from './faulty-service.ts'

/** The faults of the laboratory, each with a check that sees it. */
const FAULTS: Readonly<Record<string, string>> = {
  'keeps the orders of a removed sample': 'getOrder/below/deleteSample',
  'lists the orders of a removed sample': 'listOrders/after/deleteSample',
  'removes a sample with an open order': 'deleteSample/stated/used-by-order',
  'removes a rack with samples': 'deleteRack/stated/used-by-sample',
  'lists the labels of a removed rack': 'deleteRack/stated/removes-label',
  'takes a second open order': 'orderTest/stated/once/one',
  'takes no order after a cancelled one': 'orderTest/stated/once/one/again',
  'keeps the place of a retrieved sample': 'retrieveSample/given-back/storeSample',
  'keeps the rack of a retrieved sample': 'retrieveSample/undone/storeSample',
  'keeps the technician of a device': 'unassignDevice/undone/assignDevice',
  'assigns a device twice': 'assignDevice/stated/1-times',
  'lists all racks as those without room': 'listRacks/has_room/both',
  'takes a rack in a change': 'changeSample/read-only/state',
  'takes a seal in a change': 'changeSample/read-only/state',
  'leaves out samples of the first day': 'listSamples/received_from=…/fits',
  'tells capitals in names apart': 'listDevices/title/case',
}

const BASE = 'https://laboratory.example/v1'
const id = readOnly({ type: 'integer', minimum: 1 })
const number = { type: 'integer', minimum: 1 }
const name = { type: 'string', minLength: 1, maxLength: 60 }
const day = { type: 'string', format: 'date' }
const sentSample = { label: name, received_on: day }
const SAMPLE = objectOf(
  {
    ...{ id, ...sentSample, rack_id: readOnly({ type: ['integer', 'null'] }) },
    state: readOnly({ type: 'string', enum: ['received', 'stored'] }),
    sealed: readOnly({ type: 'boolean' }),
  },
  ['id', 'label', 'received_on', 'rack_id', 'state', 'sealed'],
)
const STATUSES = ['open', 'completed', 'cancelled']
const ORDER = objectOf(
  { id, sample_id: id, test: name, status: readOnly({ type: 'string', enum: STATUSES }) },
  ['id', 'sample_id', 'test', 'status'],
)
const RACK = objectOf(
  { id, name, places: { ...number, maximum: 20 }, occupied: readOnly({ type: 'integer' }) },
  ['id', 'name', 'places', 'occupied'],
)
const LABEL = objectOf({ id, rack_id: number, words: name }, ['id', 'rack_id', 'words'])
const DEVICE = objectOf({ id, title: name, technician: readOnly({ type: ['string', 'null'] }) }, [
  'id',
  'title',
  'technician',
])
const closed = (properties: object, required: readonly string[]): object => ({
  ...objectOf(properties, required),
  additionalProperties: false,
})
const listOf = (items: object): object => answer({ type: 'array', items })
const empty = { 204: { description: 'Gone.' } }

function action(operationId: string, description: string, schema: object, sent?: object): object {
  const responses = { 200: answer(schema), ...errors(401, 404, 409, 422) }
  return { ...inPath(number, 'id'), post: { operationId, description, ...sent, responses } }
}

/** The document of the laboratory. */
const DOCUMENT: JsonObject = documentOf('Laboratory', BASE, {
  '/samples': {
    get: {
      operationId: 'listSamples',
      parameters: [inQuery('received_from', day, 'Received on this day or later.')],
      responses: { 200: listOf(SAMPLE), ...errors(401, 422) },
    },
    post: {
      operationId: 'receiveSample',
      ...body(closed(sentSample, ['label', 'received_on'])),
      responses: { 201: answer(SAMPLE), ...errors(401, 422) },
    },
  },
  '/samples/{id}': {
    ...inPath(number, 'id'),
    get: { operationId: 'getSample', responses: { 200: answer(SAMPLE), ...errors(401, 404) } },
    patch: {
      operationId: 'changeSample',
      ...body(objectOf(sentSample)),
      responses: { 200: answer(SAMPLE), ...errors(401, 404, 422) },
    },
    delete: {
      operationId: 'deleteSample',
      description: 'Deletes the sample with its orders. 409 as long as one of them is open.',
      responses: { ...empty, ...errors(401, 404, 409) },
    },
  },
  '/samples/{id}/store': action(
    'storeSample',
    'Puts a received sample into a rack. 409 if the sample is stored.',
    SAMPLE,
    body(closed({ rack_id: number }, ['rack_id'])),
  ),
  '/samples/{id}/retrieve': action(
    'retrieveSample',
    'Takes a stored sample out of its rack, whose place can be used again. 409 if it is not stored.',
    SAMPLE,
  ),
  '/samples/{id}/orders': {
    ...inPath(number, 'id'),
    get: {
      operationId: 'listSampleOrders',
      responses: { 200: listOf(ORDER), ...errors(401, 404) },
    },
    post: {
      operationId: 'orderTest',
      description: 'Orders a test. A sample has at most one open order (409).',
      ...body(closed({ test: name }, ['test'])),
      responses: { 201: answer(ORDER), ...errors(401, 404, 409, 422) },
    },
  },
  '/orders': {
    get: {
      operationId: 'listOrders',
      parameters: [inQuery('status', { type: 'string', enum: STATUSES })],
      responses: { 200: listOf(ORDER), ...errors(401, 422) },
    },
  },
  '/orders/{id}': {
    ...inPath(number, 'id'),
    get: { operationId: 'getOrder', responses: { 200: answer(ORDER), ...errors(401, 404) } },
  },
  '/orders/{id}/complete': action('completeOrder', '409 unless the order is open.', ORDER),
  '/orders/{id}/cancel': action('cancelOrder', 'Ends an open order (409 otherwise).', ORDER),
  '/racks': {
    get: {
      operationId: 'listRacks',
      parameters: [inQuery('has_room', { type: 'boolean' }, 'Whether a place is free.')],
      responses: { 200: listOf(RACK), ...errors(401, 422) },
    },
    post: {
      operationId: 'addRack',
      ...body(closed({ name, places: { ...number, maximum: 20 } }, ['name', 'places'])),
      responses: { 201: answer(RACK), ...errors(401, 422) },
    },
  },
  '/racks/{id}': {
    ...inPath(number, 'id'),
    get: { operationId: 'getRack', responses: { 200: answer(RACK), ...errors(401, 404) } },
    delete: {
      operationId: 'deleteRack',
      description:
        'A rack with samples in it cannot be deleted (409). The labels of the rack disappear with it.',
      responses: { ...empty, ...errors(401, 404, 409) },
    },
  },
  '/labels': {
    get: { operationId: 'listLabels', responses: { 200: listOf(LABEL), ...errors(401) } },
    post: {
      operationId: 'addLabel',
      ...body(closed({ rack_id: number, words: name }, ['rack_id', 'words'])),
      responses: { 201: answer(LABEL), ...errors(401, 422) },
    },
  },
  '/labels/{id}': {
    ...inPath(number, 'id'),
    get: { operationId: 'getLabel', responses: { 200: answer(LABEL), ...errors(401, 404) } },
  },
  '/devices': {
    get: {
      operationId: 'listDevices',
      parameters: [inQuery('title', name, 'Part of the title (case-insensitive).')],
      responses: { 200: listOf(DEVICE), ...errors(401, 422) },
    },
    post: {
      operationId: 'addDevice',
      ...body(closed({ title: name }, ['title'])),
      responses: { 201: answer(DEVICE), ...errors(401, 422) },
    },
  },
  '/devices/{id}': {
    ...inPath(number, 'id'),
    get: { operationId: 'getDevice', responses: { 200: answer(DEVICE), ...errors(401, 404) } },
    delete: { operationId: 'deleteDevice', responses: { ...empty, ...errors(401, 404) } },
  },
  '/devices/{id}/assign': action(
    'assignDevice',
    'Gives the device to a technician. 409 if somebody has it.',
    DEVICE,
    body(closed({ technician: name }, ['technician'])),
  ),
  '/devices/{id}/unassign': action('unassignDevice', 'Nobody has the device then.', DEVICE),
})

type Row = Record<string, unknown> & { readonly id: number }

interface Call {
  readonly method: string
  readonly action: string | undefined
  readonly query: URLSearchParams
  readonly given: JsonObject
}

/** Samples with orders of tests, which are put into racks and taken out, and devices that somebody works with. */
class Laboratory {
  readonly #fault: string
  #samples: Row[] = []
  #orders: Row[] = []
  #racks: Row[] = []
  #labels: Row[] = []
  #devices: Row[] = []
  #lastId = 0

  constructor(fault = 'none') {
    this.#fault = fault
    for (const [at, title] of ['Balance', 'Centrifuge', 'Microscope'].entries()) {
      this.#add(this.#devices, { title, technician: null })
      const { id: rack_id } = this.#add(this.#racks, {
        name: `Rack ${at}`,
        places: at + 1,
        kept: 0,
      })
      this.#add(this.#labels, { rack_id, words: `Shelf ${at}` })
      const stored = { state: 'stored', rack_id, sealed: false }
      const { id: sample_id } = this.#add(this.#samples, {
        ...{ label: `Soil ${at}`, received_on: `2026-01-1${at}`, ...stored },
      })
      this.#add(this.#orders, { sample_id, test: 'pH', status: STATUSES[at] })
    }
  }

  get records(): readonly unknown[] {
    const all = [this.#samples, this.#orders, this.#racks, this.#labels, this.#devices]
    return all.flat()
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
    if (request.headers.get('Authorization') !== 'Bearer key-of-ann') return refusal(401)
    const { pathname, searchParams: query } = new URL(request.url)
    const [, , word, own, action] = pathname.split('/')
    const text = await request.text()
    const sent = parseJsonText(text)
    if (!isObject(sent) && request.method !== 'GET' && text !== '') return refusal(422)
    const given = isObject(sent) ? sent : {}
    const call = { method: request.method, action, query, given }
    const rows = this.#rowsOf(word)
    if (own === undefined)
      return request.method === 'GET' ? this.#list(word, call) : this.#create(word, call)
    const found = rows.find((one) => String(one.id) === own && one.lost !== true)
    if (!found) return refusal(404)
    if (action === 'orders') return this.#answerOrders(found, call)
    return action === undefined ? this.#answerOne(word, found, call) : this.#act(found, call)
  }

  #rowsOf(word: string | undefined): readonly Row[] {
    if (word === 'samples') return this.#samples
    if (word === 'orders') return this.#orders
    if (word === 'racks') return this.#racks
    return word === 'labels' ? this.#labels : this.#devices
  }

  #shown(row: Row): JsonObject {
    const { lost: _lost, hidden: _hidden, kept, ...values } = row
    return kept === undefined ? values : { ...values, occupied: this.#occupied(row) }
  }

  #occupied({ id: own, kept }: Row): number {
    return this.#samples.filter(({ rack_id }) => rack_id === own).length + Number(kept)
  }

  #list(word: string | undefined, { query }: Call): Response {
    const [from, status] = [query.get('received_from'), query.get('status')]
    const [room, title] = [query.get('has_room'), query.get('title') ?? '']
    if ((from !== null && !isDay(from)) || [...title].length > 60) return refusal(422)
    if (status !== null && !STATUSES.includes(status)) return refusal(422)
    if (room !== null && !/^(true|false)$/.test(room)) return refusal(422)
    const isFirst = this.#has('leaves out samples of the first day')
    const isAny = room === 'false' && this.#has('lists all racks as those without room')
    const cased = (text: string): string =>
      this.#has('tells capitals in names apart') ? text : text.toLowerCase()
    const isShown = (row: Row): boolean =>
      row.hidden !== true &&
      (from === null || String(row.received_on) > from || (row.received_on === from && !isFirst)) &&
      (status === null || row.status === status) &&
      (room === null || isAny || String(this.#occupied(row) < Number(row.places)) === room) &&
      cased(String(row.title)).includes(cased(title))
    const found = this.#rowsOf(word).filter((one) =>
      title === '' ? isShown({ ...one, title: '' }) : isShown(one),
    )
    return Response.json(found.map((one) => this.#shown(one)))
  }

  #create(word: string | undefined, { given }: Call): Response {
    const made = (row: Row): Response => Response.json(this.#shown(row), { status: 201 })
    if (word === 'samples') {
      if (!isSample(given)) return refusal(422)
      return made(
        this.#add(this.#samples, { ...given, rack_id: null, state: 'received', sealed: false }),
      )
    }
    if (word === 'racks') {
      const isRack = isOnly(given, 'name', 'places') && isName(given.name) && isCount(given.places)
      return isRack ? made(this.#add(this.#racks, { ...given, kept: 0 })) : refusal(422)
    }
    if (word === 'labels') {
      const isLabel = isOnly(given, 'rack_id', 'words') && isName(given.words)
      const isKnown = this.#racks.some((one) => one.id === given.rack_id)
      return isLabel && isKnown ? made(this.#add(this.#labels, given)) : refusal(422)
    }
    if (!isOnly(given, 'title') || !isName(given.title)) return refusal(422)
    return made(this.#add(this.#devices, { ...given, technician: null }))
  }

  #answerOne(word: string | undefined, found: Row, { method, given }: Call): Response {
    if (method === 'GET') return Response.json(this.#shown(found))
    if (method === 'PATCH') return this.#changeSample(found, given)
    if (word === 'samples') return this.#removeSample(found)
    if (word === 'racks') return this.#removeRack(found)
    this.#devices = this.#devices.filter((one) => one !== found)
    return done()
  }

  #changeSample(found: Row, given: JsonObject): Response {
    const { label = found.label, received_on = found.received_on } = given
    if (!isSample({ label, received_on })) return refusal(422)
    const { rack_id = found.rack_id, sealed = found.sealed } = given
    const isRack = this.#has('takes a rack in a change')
    const isSealed = this.#has('takes a seal in a change')
    Object.assign(found, { label, received_on }, isRack && { rack_id }, isSealed && { sealed })
    return Response.json(this.#shown(found))
  }

  #removeSample(found: Row): Response {
    const own = this.#orders.filter((one) => one.sample_id === found.id)
    const isOpen = own.some((one) => one.status === 'open')
    if (isOpen && !this.#has('removes a sample with an open order')) return refusal(409)
    this.#samples = this.#samples.filter((one) => one !== found)
    if (this.#has('keeps the orders of a removed sample'))
      for (const one of own) Object.assign(one, { hidden: true })
    else if (this.#has('lists the orders of a removed sample'))
      for (const one of own) Object.assign(one, { lost: true })
    else this.#orders = this.#orders.filter((one) => !own.includes(one))
    return done()
  }

  #removeRack(found: Row): Response {
    const isUsed = this.#samples.some((one) => one.rack_id === found.id)
    if (isUsed && !this.#has('removes a rack with samples')) return refusal(409)
    this.#racks = this.#racks.filter((one) => one !== found)
    const own = this.#labels.filter((one) => one.rack_id === found.id)
    if (this.#has('lists the labels of a removed rack'))
      for (const one of own) Object.assign(one, { lost: true })
    else this.#labels = this.#labels.filter((one) => !own.includes(one))
    return done()
  }

  #act(found: Row, { action, given }: Call): Response {
    if (action === 'store' || action === 'retrieve') return this.#move(found, given, action)
    if (action === 'complete' || action === 'cancel') {
      if (found.status !== 'open') return refusal(409)
      return this.#set(found, { status: action === 'cancel' ? 'cancelled' : 'completed' })
    }
    if (action === 'unassign')
      return this.#set(
        found,
        this.#has('keeps the technician of a device') ? {} : { technician: null },
      )
    if (!isOnly(given, 'technician') || !isName(given.technician)) return refusal(422)
    const isTaken = found.technician !== null && !this.#has('assigns a device twice')
    return isTaken ? refusal(409) : this.#set(found, given)
  }

  #set(found: Row, values: JsonObject): Response {
    return Response.json(this.#shown(Object.assign(found, values)))
  }

  #answerOrders(sample: Row, { method, given }: Call): Response {
    const own = this.#orders.filter((one) => one.sample_id === sample.id)
    if (method === 'GET') return Response.json(own)
    if (!isOnly(given, 'test') || !isName(given.test)) return refusal(422)
    const isCounted = this.#has('takes no order after a cancelled one')
    const isOpen = own.some(
      ({ status }) => status === 'open' || (status === 'cancelled' && isCounted),
    )
    if (isOpen && !this.#has('takes a second open order')) return refusal(409)
    const made = { sample_id: sample.id, ...given, status: 'open' }
    return Response.json(this.#add(this.#orders, made), { status: 201 })
  }

  #move(sample: Row, given: JsonObject, action: string): Response {
    if (action === 'store') {
      const rack = this.#racks.find((one) => one.id === given.rack_id)
      if (!rack || !isOnly(given, 'rack_id')) return refusal(422)
      if (sample.state === 'stored') return refusal(409)
      return this.#set(sample, { state: 'stored', rack_id: rack.id })
    }
    if (sample.state !== 'stored') return refusal(409)
    const rack = this.#racks.find((one) => one.id === sample.rack_id)
    const isKept = this.#has('keeps the place of a retrieved sample')
    if (rack && isKept) Object.assign(rack, { kept: Number(rack.kept) + 1 })
    const isThere = this.#has('keeps the rack of a retrieved sample')
    return this.#set(sample, { state: 'received', ...(!isThere && { rack_id: null }) })
  }
}

function isOnly(given: JsonObject, ...names: readonly string[]): boolean {
  return Object.keys(given).every((one) => names.includes(one))
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value.length > 0 && [...value].length <= 60
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= 20
}

function isDay(text: unknown): boolean {
  const isForm = typeof text === 'string' && /^\d{4}-\d\d-\d\d$/.test(text)
  const time = isForm ? new Date(text) : new Date(Number.NaN)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(String(text))
}

function isSample(given: JsonObject): boolean {
  return isOnly(given, 'label', 'received_on') && isName(given.label) && isDay(given.received_on)
}

function refusal(status: number): Response {
  return Response.json({ message: 'Refused.' }, { status })
}

function done(): Response {
  return new Response(null, { status: 204 })
}

export const LABORATORY: FaultyService = {
  what: 'a service with orders of which one may be open, and actions that others undo',
  base: BASE,
  options: { key: 'key-of-ann', writes: true },
  document: DOCUMENT,
  faults: FAULTS,
  create: (fault) => new Laboratory(fault),
}
