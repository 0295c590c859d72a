import type { JsonObject } from '../../document/json-value.ts'
import { isObject } from '../../validation/objects.ts'
import { body, documentOf, inPath, json, objectOf, readOnly, text } from './document-parts.ts'
import type { FaultyService } from './faulty-service.ts'

/** The faults of the depot, each with a check that sees it. */
const FAULTS: Readonly<Record<string, string>> = {
  'removes the first line': 'listLines/after/removeLine',
  'takes lines for submitted orders': 'addLine/stated/status=submitted',
  'adds removed lines': 'readOrder/total/listLines',
  'counts cancelled orders': 'readSupplier/open_orders/listOrders',
  'has another form of error for unknown lines': 'removeLine/404/body',
  'changes the notes of all parcels': 'changeParcel/part/others',
  'keeps only ASCII in parcels': 'changeParcel/part/kept',
  'sends parcels twice': 'sendParcel/part/twice',
  'sends parcels for other keys': 'sendParcel/part/other-key',
  'adds up other suppliers in a report': 'reportOrders/derived',
  'shows other suppliers in a report': 'reportOrders/report/supplier_id',
  'is low when the numbers are equal': 'createProduct/derived',
  'takes suppliers of others': 'createOrder/foreign/supplier_id',
}

const error = { type: 'object', required: ['error'], properties: { error: text } }
const answers = (status: number, schema: object | undefined, ...errors: number[]): object => ({
  responses: {
    [status]: { description: 'Done.', ...(schema && json(schema)) },
    ...Object.fromEntries(
      [401, ...errors].map((one) => [one, { description: 'No.', ...json(error) }]),
    ),
  },
})
const listOf = (items: object): object => ({
  type: 'object',
  required: ['items'],
  properties: { items: { type: 'array', items } },
})
const name = { type: 'string', minLength: 1, maxLength: 80 }
const count = { type: 'integer', minimum: 0, maximum: 10_000 }
const amount = { type: 'integer', minimum: 1, maximum: 1000 }
const product = {
  id: readOnly(text),
  name,
  minimum: count,
  stock: readOnly(count),
  low: readOnly(
    { type: 'boolean' },
    'True while `stock` is less than `minimum`; false when they are equal.',
  ),
}
const supplier = {
  id: readOnly(text),
  name,
  open_orders: readOnly(
    count,
    'The number of orders with this supplier that are draft or submitted.',
  ),
}
const PARCEL = objectOf(
  {
    ...{ id: readOnly(text), order_id: readOnly(text) },
    ...{ note: { type: 'string', maxLength: 200 }, sent: readOnly({ type: 'boolean' }) },
  },
  ['id', 'order_id', 'note', 'sent'],
)
const STATES = ['draft', 'submitted', 'cancelled']
const order = {
  id: readOnly(text),
  supplier_id: text,
  status: readOnly({ type: 'string', enum: STATES }),
  total: readOnly({ type: 'integer' }, 'The sum of the amounts of its lines.'),
  parcels: readOnly({ type: 'array', items: PARCEL }, 'Empty until the order is submitted.'),
}
const line = { id: readOnly(text), product_id: text, amount }
const PRODUCT = objectOf(product, ['id', 'name', 'minimum', 'stock', 'low'])
const SUPPLIER = objectOf(supplier, ['id', 'name', 'open_orders'])
const ORDER = objectOf(order, ['id', 'supplier_id', 'status', 'total', 'parcels'])
const LINE = objectOf(line, ['id', 'product_id', 'amount'])
const REPORT = objectOf(
  {
    total: { type: 'integer', description: 'The sum of the amounts of the rows.' },
    rows: {
      type: 'array',
      items: objectOf({ supplier_id: text, amount: { type: 'integer' } }, [
        'supplier_id',
        'amount',
      ]),
    },
  },
  ['total', 'rows'],
)
const day = { type: 'string', format: 'date' }
const action = (operationId: string, description: string): object => ({
  ...inPath(text, 'orderId'),
  post: { operationId, description, ...answers(200, ORDER, 404, 409) },
})
const plain = (noun: string, schema: object, sent: object): object => ({
  [`/${noun.toLowerCase()}s`]: {
    get: { operationId: `list${noun}s`, ...answers(200, listOf(schema)) },
    post: { operationId: `create${noun}`, ...body(sent), ...answers(201, schema, 422) },
  },
  [`/${noun.toLowerCase()}s/{${noun.toLowerCase()}Id}`]: {
    ...inPath(text, `${noun.toLowerCase()}Id`),
    get: { operationId: `read${noun}`, ...answers(200, schema, 404) },
  },
})

/** The document of the depot. */
const DOCUMENT: JsonObject = documentOf('Depot', 'https://depot.example', {
  ...plain('Product', PRODUCT, objectOf({ name, minimum: count }, ['name'])),
  ...plain('Supplier', SUPPLIER, objectOf({ name }, ['name'])),
  '/orders': {
    get: {
      operationId: 'listOrders',
      parameters: [
        { name: 'supplier_id', in: 'query', schema: text },
        { name: 'sort', in: 'query', schema: { type: 'string', enum: ['status', '-status'] } },
      ],
      ...answers(200, listOf(ORDER), 422),
    },
    post: {
      operationId: 'createOrder',
      description: 'The supplier has to exist in your account; otherwise the answer is 422.',
      ...body(objectOf({ supplier_id: text }, ['supplier_id'])),
      ...answers(201, ORDER, 422),
    },
  },
  '/report': {
    get: {
      operationId: 'reportOrders',
      parameters: [
        ...['from', 'to'].map((one) => ({ name: one, in: 'query', required: true, schema: day })),
        { name: 'supplier_id', in: 'query', schema: text },
      ],
      ...answers(200, REPORT, 422),
    },
  },
  '/orders/{orderId}': {
    ...inPath(text, 'orderId'),
    get: { operationId: 'readOrder', ...answers(200, ORDER, 404) },
  },
  '/orders/{orderId}/submit': action('submitOrder', 'An order without lines is answered with 409.'),
  '/orders/{orderId}/cancel': action('cancelOrder', 'Cancels the order.'),
  '/orders/{orderId}/parcels/{parcelId}': {
    ...inPath(text, 'orderId', 'parcelId'),
    patch: {
      operationId: 'changeParcel',
      description: 'Changes the note of this parcel only.',
      ...body(objectOf({ note: { type: 'string', maxLength: 200 } })),
      ...answers(200, PARCEL, 404, 422),
    },
  },
  '/parcels/{parcelId}/send': {
    ...inPath(text, 'parcelId'),
    post: {
      operationId: 'sendParcel',
      description: 'A parcel can be sent once; one that was sent already is answered with 409.',
      ...answers(200, PARCEL, 404, 409),
    },
  },
  '/orders/{orderId}/lines': {
    ...inPath(text, 'orderId'),
    get: { operationId: 'listLines', ...answers(200, listOf(LINE), 404) },
    post: {
      operationId: 'addLine',
      description:
        'Lines can be added to drafts only; otherwise the answer is 409. So it is for a product that is on the order already.',
      ...body(objectOf({ product_id: text, amount }, ['product_id', 'amount'])),
      ...answers(201, LINE, 404, 409, 422),
    },
  },
  '/orders/{orderId}/lines/{lineId}': {
    ...inPath(text, 'orderId', 'lineId'),
    delete: { operationId: 'removeLine', ...answers(204, undefined, 404, 409) },
  },
})

interface Order extends JsonObject {
  readonly id: string
  readonly owner: string
  readonly supplier_id: string
  status: string
  lines: readonly JsonObject[]
  parcels: readonly JsonObject[]
  removed: number
}

const OWNERS: Readonly<Record<string, string>> = {
  'Bearer key-of-ann': 'ann',
  'Bearer key-of-ben': 'ben',
}

/** Orders with each product in one line only, and numbers that follow from other records. */
class Depot {
  readonly #fault: string
  readonly #records: Record<'products' | 'suppliers', JsonObject[]> = {
    products: [],
    suppliers: [],
  }
  readonly #orders: Order[] = []
  #lastId = 0

  constructor(fault = 'none') {
    this.#fault = fault
    for (const owner of ['ann', 'ben']) {
      for (const name of ['First', 'Second'])
        this.#records.suppliers.push({ id: this.#newId(), owner, name: `${name} of ${owner}` })
      this.#records.products.push({ id: this.#newId(), owner, name: 'Nails', minimum: 5 })
      for (const { id } of this.#records.suppliers.slice(-2))
        this.#orders.push({
          ...{ id: this.#newId(), owner, supplier_id: String(id), status: 'draft', removed: 0 },
          ...{ lines: [{ id: this.#newId(), product_id: 'p', amount: 3 }], parcels: [] },
        })
    }
  }

  get records(): readonly unknown[] {
    return [...this.#records.products, ...this.#records.suppliers, ...this.#orders]
  }

  #has(fault: string): boolean {
    return this.#fault === fault
  }

  #newId(): string {
    this.#lastId += 1
    return `r${this.#lastId}-${(this.#lastId * 7919) % 10_007}`
  }

  async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const [, name = '', id] = url.pathname.split('/')
    const owner = OWNERS[request.headers.get('Authorization') ?? '']
    if (owner === undefined) return refusal(401)
    const given: unknown = await request.json().catch(() => undefined)
    const sent = isObject(given) && !Array.isArray(given) ? given : undefined
    if (name === 'products' || name === 'suppliers')
      return this.#answerPlain(name, owner, id, request.method === 'POST', sent)
    if (name === 'report') return this.#report(owner, url)
    if (name === 'parcels') return this.#sendParcel(owner, id)
    return name === 'orders' ? this.#answerOrders(request.method, owner, url, sent) : refusal(404)
  }

  #answerOrders(method: string, owner: string, url: URL, sent: JsonObject | undefined): Response {
    const [, , id, below, inner] = url.pathname.split('/')
    if (id === undefined && method === 'GET') return this.#listOrders(owner, url)
    if (id === undefined) return this.#createOrder(owner, sent)
    const found = this.#orders.find((one) => one.id === id && one.owner === owner)
    if (!found) return refusal(404)
    if (below === undefined) return Response.json(this.#shownOrder(found))
    if (below === 'parcels') return this.#changeParcel(found, inner, sent)
    if (below === 'lines') return this.#answerLines(method, found, inner, sent)
    return this.#act(found, below)
  }

  #answerPlain(
    name: 'products' | 'suppliers',
    owner: string,
    id: string | undefined,
    isCreation: boolean,
    sent: JsonObject | undefined,
  ): Response {
    const own = this.#records[name].filter((one) => one.owner === owner)
    const shown = (one: JsonObject): JsonObject =>
      name === 'products' ? this.#shownProduct(one) : this.#shownSupplier(one)
    if (id !== undefined) {
      const found = own.find((one) => one.id === id)
      return found ? Response.json(shown(found)) : refusal(404)
    }
    if (!isCreation) return Response.json({ items: own.map(shown) })
    const minimum = sent?.minimum === undefined ? 0 : sent.minimum
    const isValid = isText(sent?.name, 80) && isWhole(minimum, 0, 10_000)
    if (!isValid) return refusal(422)
    const created = { id: this.#newId(), owner, name: sent?.name, minimum } as JsonObject
    this.#records[name].push(created)
    return Response.json(shown(created), { status: 201 })
  }

  #shownProduct({ id, name, minimum }: JsonObject): JsonObject {
    const isEqual = this.#has('is low when the numbers are equal') && minimum === 0
    return { ...{ id, name, minimum }, stock: 0, low: Number(minimum) > 0 || isEqual } as JsonObject
  }

  #shownSupplier({ id, name }: JsonObject): JsonObject {
    const isAll = this.#has('counts cancelled orders')
    const orders = this.#orders.filter((one) => one.supplier_id === id)
    const open = orders.filter(({ status }) => isAll || status !== 'cancelled')
    return { ...{ id, name }, open_orders: open.length } as JsonObject
  }

  #shownOrder({ id, supplier_id, status, lines, parcels, removed }: Order): JsonObject {
    const lost = this.#has('adds removed lines') ? removed : 0
    const total = lines.reduce((sum, one) => sum + Number(one.amount), lost)
    return { id, supplier_id, status, total, parcels }
  }

  /** A state comes after those that lead to it. */
  #listOrders(owner: string, { searchParams }: URL): Response {
    const sort = searchParams.get('sort')
    if (sort !== null && !['status', '-status'].includes(sort)) return refusal(422)
    const sign = { status: 1, '-status': -1 }[sort ?? ''] ?? 0
    const placeOf = ({ status }: Order): number => STATES.indexOf(status) * sign
    const wanted = searchParams.get('supplier_id')
    const own = this.#orders.filter((one) => one.owner === owner)
    const fitting = own.filter((one) => wanted === null || one.supplier_id === wanted)
    const sorted = fitting.sort((one, other) => placeOf(one) - placeOf(other))
    return Response.json({ items: sorted.map((one) => this.#shownOrder(one)) })
  }

  #createOrder(owner: string, sent: JsonObject | undefined): Response {
    const isAny = this.#has('takes suppliers of others')
    const supplier = this.#records.suppliers.find(
      (one) => one.id === sent?.supplier_id && (isAny || one.owner === owner),
    )
    if (!supplier) return refusal(422)
    const order: Order = {
      ...{ id: this.#newId(), owner, supplier_id: String(supplier.id) },
      ...{ status: 'draft', lines: [], parcels: [], removed: 0 },
    }
    this.#orders.push(order)
    return Response.json(this.#shownOrder(order), { status: 201 })
  }

  #act(order: Order, word: string): Response {
    const isSubmit = word === 'submit'
    if (!isSubmit && word !== 'cancel') return refusal(404)
    const isOpen = isSubmit
      ? order.status === 'draft' && order.lines.length > 0
      : order.status !== 'cancelled'
    if (!isOpen) return refusal(409)
    order.status = isSubmit ? 'submitted' : 'cancelled'
    if (isSubmit)
      order.parcels = [1, 2].map(() => ({
        ...{ id: this.#newId(), order_id: order.id, note: '', sent: false },
      }))
    return Response.json(this.#shownOrder(order))
  }

  /** All orders are of today. */
  #report(owner: string, { searchParams }: URL): Response {
    const [from, to] = ['from', 'to'].map((one) => searchParams.get(one) ?? '')
    if (![from, to].every((one) => !Number.isNaN(Date.parse(one ?? '')))) return refusal(422)
    const today = new Date().toISOString().slice(0, 10)
    const isNow = String(from) <= today && today <= String(to)
    const wanted = searchParams.get('supplier_id')
    const rowsFor = (isAny: boolean): readonly JsonObject[] =>
      this.#orders
        .filter((one) => isNow && one.owner === owner && one.lines.length > 0)
        .filter((one) => isAny || wanted === null || one.supplier_id === wanted)
        .map((one) => ({ supplier_id: one.supplier_id, amount: this.#shownOrder(one).total ?? 0 }))
    const rows = rowsFor(this.#has('shows other suppliers in a report'))
    const summed = this.#has('adds up other suppliers in a report') ? rowsFor(true) : rows
    const total = summed.reduce((sum, one) => sum + Number(one.amount), 0)
    return Response.json({ total, rows })
  }

  #sendParcel(owner: string, id: string | undefined): Response {
    const order = this.#orders.find((one) => one.parcels.some((parcel) => parcel.id === id))
    const parcel = order?.parcels.find((one) => one.id === id)
    const isAny = this.#has('sends parcels for other keys')
    if (!order || !parcel || (order.owner !== owner && !isAny)) return refusal(404)
    if (parcel.sent === true && !this.#has('sends parcels twice')) return refusal(409)
    const sent = { ...parcel, sent: true }
    order.parcels = order.parcels.map((one) => (one === parcel ? sent : one))
    return Response.json(sent)
  }

  #changeParcel(order: Order, id: string | undefined, sent: JsonObject | undefined): Response {
    const { note } = sent ?? {}
    const found = order.parcels.find((one) => one.id === id)
    if (!found) return refusal(404)
    const isValid = note === undefined || (typeof note === 'string' && [...note].length <= 200)
    if (!sent || !isValid) return refusal(422)
    const isAscii = this.#has('keeps only ASCII in parcels')
    const kept = isAscii ? note?.replace(/\P{ASCII}/gu, '?') : note
    const isAll = this.#has('changes the notes of all parcels')
    const change = kept === undefined ? {} : { note: kept }
    order.parcels = order.parcels.map((one) =>
      isAll || one === found ? { ...one, ...change } : one,
    )
    return Response.json({ ...found, ...change })
  }

  #answerLines(
    method: string,
    order: Order,
    inner: string | undefined,
    sent: JsonObject | undefined,
  ): Response {
    if (method === 'GET') return Response.json({ items: order.lines })
    const isLate = order.status === 'submitted' && this.#has('takes lines for submitted orders')
    const isDraft = order.status === 'draft' || (method === 'POST' && isLate)
    if (method === 'DELETE') return this.#removeLine(order, inner, isDraft)
    const { product_id: id, amount: number } = sent ?? {}
    const isKnown = this.#records.products.some((one) => one.id === id && one.owner === order.owner)
    if (!isKnown || !isWhole(number, 1, 1000)) return refusal(422)
    if (!isDraft || order.lines.some((one) => one.product_id === id)) return refusal(409)
    const line = { id: this.#newId(), product_id: id, amount: number } as JsonObject
    order.lines = [...order.lines, line]
    return Response.json(line, { status: 201 })
  }

  #removeLine(order: Order, id: string | undefined, isDraft: boolean): Response {
    const found = order.lines.find((one) => one.id === id)
    const isOther = this.#has('has another form of error for unknown lines')
    if (!found) return isOther ? Response.json({ message: 'No' }, { status: 404 }) : refusal(404)
    if (!isDraft) return refusal(409)
    const removed = this.#has('removes the first line') ? order.lines[0] : found
    order.lines = order.lines.filter((one) => one !== removed)
    order.removed += Number(found.amount)
    return new Response(null, { status: 204 })
  }
}

function refusal(status: number): Response {
  return Response.json({ error: 'No' }, { status })
}

function isText(value: unknown, longest: number): boolean {
  return typeof value === 'string' && value !== '' && [...value].length <= longest
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most
}

export const DEPOT: FaultyService = {
  what: 'a service with orders that have each product in one line only',
  base: 'https://depot.example',
  options: { key: 'key-of-ann', otherKey: 'key-of-ben', writes: true },
  document: DOCUMENT,
  faults: FAULTS,
  seenElsewhere: ['adds up other suppliers in a report', 'shows other suppliers in a report'],
  create: (fault) => new Depot(fault),
}
