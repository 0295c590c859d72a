import type { JsonObject } from '../../document/json-value.ts'
import { isObject } from '../../validation/objects.ts'
import { answer, documentOf, errors, inQuery, json, text } from './document-parts.ts'
import type { FaultyService } from './faulty-service.ts'

/** The faults of the ledger, each with a check that sees it. */
const FAULTS: Readonly<Record<string, string>> = {
  'a restoration brings nothing back': 'restoreCustomer/restored',
  'a merge patch ignores null': 'changeCustomer/merge/null',
  'a merge patch replaces whole objects': 'changeCustomer/merge/kept',
  'a change sets the email of others': 'changeCustomer/others',
  'a change does not move updated_at': 'changeCustomer/updated',
  'a removal takes the next customer too': 'removeCustomer/others',
  'accepts any value in metadata': 'createCustomer/metadata.verify=12',
  'ignores ending_before': 'listCustomers/walk/ending_before',
  'fails for an unknown starting_after': 'listCustomers/starting_after=unknown',
  'ignores the filter email': 'listCustomers/email=listed',
  'ignores the filter customer': 'listInvoices/customer=listed',
  'stores entities instead of characters': 'createInvoice/values/markup/shown',
  'does not expand': 'readInvoice/expand[]=customer',
  'ignores Idempotency-Key': 'createInvoice/idempotency-key',
  'an action returns the record before': 'finalizeInvoice/shown',
  'others finalize': 'finalizeInvoice/other-key',
}

const KEYS: Readonly<Record<string, string>> = { 'key-of-ann': 'ann', 'key-of-bob': 'bob' }

const inPath = (name: string): object => ({ name, in: 'path', required: true, schema: text })
const id = { ...text, readOnly: true }
const metadata = (type: string | readonly string[]): object => ({
  type: 'object',
  additionalProperties: { type, maxLength: 40 },
})
const sent = {
  name: { type: 'string', minLength: 1, maxLength: 40 },
  email: { type: 'string', format: 'email' },
  phone: { type: ['string', 'null'], maxLength: 20 },
}
const customer = {
  type: 'object',
  required: ['id', 'name', 'email', 'metadata', 'updated_at'],
  properties: {
    ...{ id, ...sent, metadata: metadata('string') },
    updated_at: { type: 'string', format: 'date-time', readOnly: true },
  },
}
const status = { type: 'string', enum: ['draft', 'open'], readOnly: true }
const memo = { type: 'string', maxLength: 100 }
const invoice = {
  type: 'object',
  required: ['id', 'customer', 'status'],
  properties: { id, customer: { oneOf: [text, customer] }, status, memo },
}
const page = (items: object): object => ({
  type: 'object',
  required: ['data', 'has_more'],
  properties: { data: { type: 'array', items }, has_more: { type: 'boolean' } },
})
const paging = [
  inQuery('limit', { type: 'integer', minimum: 1, maximum: 50, default: 5 }),
  { ...inQuery('starting_after'), description: 'The id of the record before the page.' },
  { ...inQuery('ending_before'), description: 'The id of the record after the page.' },
]
const body = (properties: object, required: readonly string[] = [], type?: string): object => ({
  requestBody: { required: true, ...json({ type: 'object', required, properties }, type) },
})
const draftOnly = { 409: { description: 'The invoice is not a draft.' } }

/** The document of the ledger. */
const DOCUMENT: JsonObject = documentOf('Ledger', 'https://ledger.example/v1', {
  '/customers': {
    get: {
      operationId: 'listCustomers',
      parameters: [...paging, inQuery('email')],
      responses: { 200: answer(page(customer)), ...errors(401, 422) },
    },
    post: {
      operationId: 'createCustomer',
      ...body({ ...sent, metadata: metadata('string') }, ['name', 'email']),
      responses: { 201: answer(customer), ...errors(401, 422) },
    },
  },
  '/customers/{customer}': {
    parameters: [inPath('customer')],
    get: {
      operationId: 'readCustomer',
      responses: { 200: answer(customer), ...errors(401, 404) },
    },
    patch: {
      operationId: 'changeCustomer',
      ...body(
        { ...sent, metadata: metadata(['string', 'null']) },
        [],
        'application/merge-patch+json',
      ),
      responses: { 200: answer(customer), ...errors(401, 404, 422) },
    },
    delete: {
      operationId: 'removeCustomer',
      responses: { 204: { description: 'Marked as removed.' }, ...errors(401, 404) },
    },
  },
  '/customers/{customer}/restore': {
    parameters: [inPath('customer')],
    post: {
      operationId: 'restoreCustomer',
      responses: { 200: answer(customer), ...errors(401, 404, 409) },
    },
  },
  '/invoices': {
    get: {
      operationId: 'listInvoices',
      parameters: [...paging, inQuery('customer')],
      responses: { 200: answer(page(invoice)), ...errors(401, 422) },
    },
    post: {
      operationId: 'createInvoice',
      parameters: [{ name: 'Idempotency-Key', in: 'header', schema: text }],
      ...body({ customer: text, memo }, ['customer']),
      responses: { 201: answer(invoice), ...errors(401, 422) },
    },
  },
  '/invoices/{invoice}': {
    parameters: [inPath('invoice')],
    get: {
      operationId: 'readInvoice',
      parameters: [
        inQuery('expand[]', { type: 'array', items: { type: 'string', enum: ['customer'] } }),
      ],
      responses: { 200: answer(invoice), ...errors(401, 404, 422) },
    },
    patch: {
      operationId: 'changeInvoice',
      ...body({ memo }),
      responses: { 200: answer(invoice), ...draftOnly, ...errors(401, 404, 422) },
    },
    delete: {
      operationId: 'removeInvoice',
      responses: { 204: { description: 'Gone.' }, ...errors(401, 404) },
    },
  },
  '/invoices/{invoice}/finalize': {
    parameters: [inPath('invoice')],
    post: {
      operationId: 'finalizeInvoice',
      description: 'Sets the status to `open`.',
      responses: { 200: answer(invoice), ...draftOnly, ...errors(401, 404) },
    },
  },
})

interface Stored {
  readonly owner: string
  readonly id: string
  isRemoved: boolean
  value: JsonObject
}

/** Customers that can be restored and changed by merge patches, and their invoices, which have a state and refer to them. */
class Ledger {
  readonly #fault: string
  #customers: Stored[] = []
  #invoices: Stored[] = []
  /** The invoices by the keys with which they were created. */
  readonly #byKey = new Map<string, Stored>()
  #ticks = 0

  constructor(fault = 'none') {
    this.#fault = fault
    for (let at = 0; at < 8; at += 1) {
      const owner = at === 3 ? 'bob' : 'ann'
      const values = { name: `Customer ${at}`, email: `c${at}@ledger.example` }
      const { id } = this.#addCustomer(owner, values)
      for (const memo of ['first', 'second']) this.#addInvoice(owner, { customer: id, memo })
    }
  }

  /** What is stored, and not removed. */
  get records(): readonly JsonObject[] {
    const all = [...this.#customers, ...this.#invoices]
    return all.filter(({ isRemoved }) => !isRemoved).map(({ value }) => value)
  }

  async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const [, , name, id, action, ...rest] = url.pathname.split('/')
    const isKnown = name === 'customers' || name === 'invoices'
    if (!isKnown || rest.length > 0) return refusal(404)
    const user = KEYS[/^Bearer (.*)$/.exec(request.headers.get('Authorization') ?? '')?.[1] ?? '']
    if (user === undefined) return refusal(401)
    const isOfCustomers = name === 'customers'
    if (id === undefined) return await this.#answerCollection(request, url, user, isOfCustomers)
    const found = this.#find(isOfCustomers ? this.#customers : this.#invoices, id, user, action)
    if (!found) return refusal(404)
    if (isOfCustomers && action === 'restore') return this.#restore(found)
    if (found.isRemoved) return refusal(404)
    return isOfCustomers
      ? await this.#answerCustomer(request, found)
      : await this.#answerInvoice(request, url, found, action)
  }

  async #answerCollection(
    request: Request,
    url: URL,
    user: string,
    isOfCustomers: boolean,
  ): Promise<Response> {
    if (request.method === 'GET') return this.#list(url, user, isOfCustomers)
    return isOfCustomers
      ? await this.#createCustomer(request, user)
      : await this.#createInvoice(request, user)
  }

  #find(
    all: readonly Stored[],
    id: string,
    user: string,
    action: string | undefined,
  ): Stored | undefined {
    const isFree = action === 'finalize' && this.#has('others finalize')
    return all.find((one) => one.id === id && (one.owner === user || isFree))
  }

  #has(fault: string): boolean {
    return this.#fault === fault
  }

  /** A later moment each time. */
  #now(): string {
    this.#ticks += 1
    return new Date(Date.UTC(2026, 2, 1) + this.#ticks * 1007).toISOString()
  }

  #nextId(prefix: string): string {
    return `${prefix}_${this.#customers.length + this.#invoices.length + 1}`
  }

  #addCustomer(owner: string, given: JsonObject): Stored {
    const id = this.#nextId('cus')
    const value = { phone: null, metadata: {}, ...given, id, updated_at: this.#now() }
    const stored = { owner, id, isRemoved: false, value }
    this.#customers.push(stored)
    return stored
  }

  #addInvoice(owner: string, given: JsonObject): Stored {
    const id = this.#nextId('in')
    const stored = { owner, id, isRemoved: false, value: { ...given, id, status: 'draft' } }
    this.#invoices.push(stored)
    return stored
  }

  #list(url: URL, user: string, isOfCustomers: boolean): Response {
    const filter = isOfCustomers ? 'email' : 'customer'
    const wanted = this.#has(`ignores the filter ${filter}`) ? null : url.searchParams.get(filter)
    const all = (isOfCustomers ? this.#customers : this.#invoices)
      .filter(({ owner, isRemoved }) => owner === user && !isRemoved)
      .filter(({ value }) => wanted === null || value[filter] === wanted)
      .map(({ value }) => value)
    return this.#page(url, all)
  }

  #page({ searchParams }: URL, all: readonly JsonObject[]): Response {
    const given = searchParams.get('limit') ?? '5'
    const size = Number(given)
    if (!/^\d+$/.test(given) || size < 1 || size > 50) return refusal(422)
    const [after, before] = ['starting_after', 'ending_before'].map((name) => {
      const id = searchParams.get(name)
      return id === null ? undefined : all.findIndex((one) => one.id === id)
    })
    if (after === -1 && this.#has('fails for an unknown starting_after')) return refusal(500)
    if (after === -1 || before === -1) return refusal(422)
    const isBackward = before !== undefined && !this.#has('ignores ending_before')
    const start = isBackward ? Math.max(0, before - size) : (after ?? -1) + 1
    const end = isBackward ? before : Math.min(all.length, start + size)
    const hasMore = isBackward ? start > 0 : end < all.length
    return Response.json({ data: all.slice(start, end), has_more: hasMore })
  }

  async #createCustomer(request: Request, user: string): Promise<Response> {
    const given = await customerIn(request, this.#has('accepts any value in metadata'))
    const isComplete = given?.name !== undefined && given.email !== undefined
    if (!given || !isComplete || Object.values(given.metadata ?? {}).includes(null))
      return refusal(422)
    return Response.json(this.#addCustomer(user, given).value, { status: 201 })
  }

  async #answerCustomer(request: Request, found: Stored): Promise<Response> {
    if (request.method === 'GET') return Response.json(found.value)
    if (request.method === 'DELETE') {
      const next = this.#customers[this.#customers.indexOf(found) + 1]
      found.isRemoved = true
      if (next && this.#has('a removal takes the next customer too')) next.isRemoved = true
      return new Response(null, { status: 204 })
    }
    const patch = await customerIn(request, this.#has('accepts any value in metadata'))
    if (!patch) return refusal(422)
    const updated = this.#has('a change does not move updated_at')
      ? {}
      : { updated_at: this.#now() }
    found.value = { ...this.#merged(found.value, patch), ...updated }
    if (patch.email !== undefined && this.#has('a change sets the email of others'))
      for (const one of this.#customers) one.value = { ...one.value, email: patch.email }
    return Response.json(found.value)
  }

  #merged(value: JsonObject, { metadata: members, ...patch }: JsonObject): JsonObject {
    const isKept = ([, one]: [string, unknown]): boolean =>
      one !== null || !this.#has('a merge patch ignores null')
    const plain = { ...value, ...Object.fromEntries(Object.entries(patch).filter(isKept)) }
    if (!isObject(members)) return plain
    const before = this.#has('a merge patch replaces whole objects') ? {} : value.metadata
    const all = Object.entries({ ...(isObject(before) ? before : {}), ...members })
    return { ...plain, metadata: Object.fromEntries(all.filter(([, one]) => one !== null)) }
  }

  #restore(found: Stored): Response {
    if (!found.isRemoved) return refusal(409)
    if (!this.#has('a restoration brings nothing back')) found.isRemoved = false
    return Response.json(found.value)
  }

  async #createInvoice(request: Request, user: string): Promise<Response> {
    const given = await this.#invoiceIn(request)
    const of = this.#customers.find(({ id }) => id === given?.customer)
    if (!given || !of || of.owner !== user || of.isRemoved) return refusal(422)
    const key = request.headers.get('Idempotency-Key')
    const known = this.#has('ignores Idempotency-Key')
      ? undefined
      : this.#byKey.get(`${user} ${key}`)
    const stored = known ?? this.#addInvoice(user, given)
    if (key !== null) this.#byKey.set(`${user} ${key}`, stored)
    return Response.json(stored.value, { status: 201 })
  }

  async #answerInvoice(
    request: Request,
    { searchParams }: URL,
    found: Stored,
    action: string | undefined,
  ): Promise<Response> {
    const isDraft = found.value.status === 'draft'
    if (action === 'finalize') {
      if (!isDraft) return refusal(409)
      const before = found.value
      found.value = { ...before, status: 'open' }
      return Response.json(this.#has('an action returns the record before') ? before : found.value)
    }
    if (request.method === 'GET') {
      const names = searchParams.getAll('expand[]')
      if (names.some((name) => name !== 'customer')) return refusal(422)
      const of = this.#customers.find(({ id }) => id === found.value.customer)
      const isExpanded = names.length > 0 && of && !this.#has('does not expand')
      return Response.json(isExpanded ? { ...found.value, customer: of.value } : found.value)
    }
    if (request.method === 'DELETE') {
      found.isRemoved = true
      return new Response(null, { status: 204 })
    }
    if (!isDraft) return refusal(409)
    const part = await this.#invoiceIn(request)
    if (!part) return refusal(422)
    found.value = { ...found.value, ...part, customer: found.value.customer }
    return Response.json(found.value)
  }

  async #invoiceIn(request: Request): Promise<JsonObject | undefined> {
    const given: unknown = await request.json().catch(() => undefined)
    if (!isObject(given) || Array.isArray(given)) return undefined
    const { customer: of, memo: note } = given
    const isValid = of === undefined || typeof of === 'string'
    if (!isValid || (note !== undefined && !isText(note, 100))) return undefined
    const escaped = String(note).replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    const kept = this.#has('stores entities instead of characters') ? escaped : note
    return { ...(of !== undefined && { customer: of }), ...(note !== undefined && { memo: kept }) }
  }
}

/** The members that a request has; `undefined` when it has one that the document does not allow. */
async function customerIn(request: Request, isAny: boolean): Promise<JsonObject | undefined> {
  const given: unknown = await request.json().catch(() => undefined)
  if (!isObject(given) || Array.isArray(given)) return undefined
  const { name, email, phone, metadata: members } = given
  const isMember = (one: unknown): boolean => one === null || isText(one, 40) || isAny
  const isValid =
    (name === undefined || (isText(name, 40) && name !== '')) &&
    (email === undefined || (isText(email, 200) && /^[^\s@]+@[^\s@]+$/.test(email))) &&
    (phone === undefined || phone === null || isText(phone, 20)) &&
    (members === undefined || (isObject(members) && Object.values(members).every(isMember)))
  const all = Object.entries({ name, email, phone, metadata: members })
  return isValid ? Object.fromEntries(all.filter(([, one]) => one !== undefined)) : undefined
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && [...value].length <= most
}

function refusal(status: number): Response {
  return Response.json({ title: 'Refused.' }, { status })
}

export const LEDGER: FaultyService = {
  what: 'a service with states, restorations, merge patches and texts that are ids',
  base: 'https://ledger.example/v1',
  options: { key: 'key-of-ann', otherKey: 'key-of-bob', writes: true },
  document: DOCUMENT,
  faults: FAULTS,
  create: (fault) => new Ledger(fault),
}
