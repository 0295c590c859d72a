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

/** The faults of the toy library, each with a check that sees it. */
const FAULTS: Readonly<Record<string, string>> = {
  'takes a title in other capitals': 'addToy/conflict/title/case',
  'minds the greatest age only': 'listToys/age=…/spans',
  'leaves out the toys that start at the age': 'listToys/age=…/spans',
  'counts removed wishes': 'readToy/wish_count/listWishes',
  'takes the code of a copy of another toy': 'addCopy/stated/once/code/elsewhere',
  'sorts old copies by their day': 'listCopies/order/known/order',
  'refuses a loan that breaks the schema as no JSON': 'lendCopy/invalid/422',
  'lends for a week': 'lendCopy/defaults/days',
  'lends a copy twice': 'lendCopy/stated/state=lent',
  'lists no urgent wishes': 'listToyWishes/linked',
  'keeps the copies of a removed toy': 'readSummary/copies/removeToy',
  'says the share in percent': 'readShare/200/body',
  'extends from the first day': 'extendLoan/told/due_on',
  'extends again and again': 'extendLoan/stated/2-times',
  'keeps a copy lent': 'returnLoan/told/copies/state',
  'leaves out the day itself': 'listLoans/lent_to=…/fits',
  'lists the oldest loan first': 'listLoans/order/ended/order',
}

const number = (minimum: number, maximum: number): object => ({ type: 'integer', minimum, maximum })
const day = { type: 'string', format: 'date' }
const time = { type: 'string', format: 'date-time' }
const id = readOnly(number(1, 1_000_000))
const sized = (name: string, description = ''): object => ({
  ...{ [name]: { type: 'string', minLength: 1, maxLength: 60, description } },
})
const toySent = {
  ...sized('title', 'No two toys have the same title; upper and lower case are the same.'),
  min_age: number(0, 20),
  max_age: number(0, 99),
}
const toy = objectOf({
  ...{ id, ...toySent },
  wish_count: readOnly(number(0, 1000), 'Number of wishes of all members for it.'),
})
const wishSent = { toy_id: number(1, 1_000_000), urgent: { type: 'boolean', default: false } }
const wish = objectOf({ id, ...wishSent })
const copySent = { ...sized('code'), bought_on: day }
const state = { type: 'string', enum: ['free', 'lent'] }
const copy = objectOf({ id, toy_id: id, ...copySent, state: readOnly(state) })
const loanSent = { ...sized('member'), days: { ...number(1, 28), default: 14 } }
const loan = objectOf({
  ...{ id, ...sized('member'), lent_at: readOnly(time), due_on: readOnly(day) },
  state: readOnly({ type: 'string', enum: ['open', 'returned'] }),
})
const refusals = {
  400: { ...answer({ type: 'object' }), description: 'The body is missing, or no JSON.' },
  422: { ...answer({ type: 'object' }), description: 'The body or the query breaks the schema.' },
}
const listOf = (items: object): object => ({ type: 'array', items })
const gone = { 204: { description: 'Gone.' } }
const whole = { type: 'integer', minimum: 1 }
const COPY = inPath(whole, 'toy_id', 'copy_id')
const LOAN = inPath(whole, 'toy_id', 'copy_id', 'loan_id')

const DOCUMENT: JsonObject = documentOf('Toy library', 'https://toys.example/v1', {
  '/toys': {
    get: {
      operationId: 'listToys',
      parameters: [
        inQuery('age', number(0, 99), '`min_age` is not more than it, and `max_age` not less.'),
      ],
      responses: { 200: answer(listOf(toy)), ...errors(401), 422: refusals[422] },
    },
    post: {
      operationId: 'addToy',
      ...body(objectOf(toySent, Object.keys(toySent))),
      responses: { 201: answer(toy), ...errors(401, 409), ...refusals },
    },
  },
  '/toys/{toy_id}': {
    ...inPath(whole, 'toy_id'),
    get: { operationId: 'readToy', responses: { 200: answer(toy), ...errors(401, 404) } },
    delete: {
      operationId: 'removeToy',
      description: 'Removes the toy with its copies.',
      responses: { ...gone, ...errors(401, 404) },
    },
  },
  '/toys/{toy_id}/share': {
    ...inPath(whole, 'toy_id'),
    get: {
      operationId: 'readShare',
      responses: {
        200: answer(objectOf({ lent: { type: 'number', minimum: 0, maximum: 1 } }, ['lent'])),
        ...errors(401, 404),
      },
    },
  },
  '/toys/{toy_id}/wishes': {
    ...inPath(whole, 'toy_id'),
    get: {
      operationId: 'listToyWishes',
      description: 'The wishes for this toy, the urgent ones included.',
      responses: { 200: answer(listOf(wish)), ...errors(401, 404) },
    },
  },
  '/summary': {
    get: {
      operationId: 'readSummary',
      responses: {
        200: answer(objectOf({ copies: { type: 'integer', description: 'Number of copies.' } })),
        ...errors(401),
      },
    },
  },
  '/wishes': {
    get: { operationId: 'listWishes', responses: { 200: answer(listOf(wish)), ...errors(401) } },
    post: {
      operationId: 'addWish',
      ...body(objectOf(wishSent, ['toy_id'])),
      responses: { 201: answer(wish), ...errors(401), ...refusals },
    },
  },
  '/wishes/{wish_id}': {
    ...inPath(whole, 'wish_id'),
    get: { operationId: 'readWish', responses: { 200: answer(wish), ...errors(401, 404) } },
    delete: { operationId: 'removeWish', responses: { ...gone, ...errors(401, 404) } },
  },
  '/toys/{toy_id}/copies': {
    ...inPath(whole, 'toy_id'),
    get: {
      operationId: 'listCopies',
      description: 'By ascending id.',
      responses: { 200: answer(listOf(copy)), ...errors(401, 404) },
    },
    post: {
      operationId: 'addCopy',
      description: '409 when the code is taken, by a copy of whatever toy.',
      ...body(objectOf(copySent, Object.keys(copySent))),
      responses: { 201: answer(copy), ...errors(401, 404, 409), ...refusals },
    },
  },
  '/toys/{toy_id}/copies/{copy_id}': {
    ...COPY,
    get: { operationId: 'readCopy', responses: { 200: answer(copy), ...errors(401, 404) } },
  },
  '/toys/{toy_id}/copies/{copy_id}/loans': {
    ...COPY,
    get: {
      operationId: 'listLoans',
      description: 'The latest `lent_at` first.',
      parameters: [inQuery('lent_to', day, 'Only loans lent on this day or earlier.')],
      responses: { 200: answer(listOf(loan)), ...errors(401, 404), 422: refusals[422] },
    },
    post: {
      operationId: 'lendCopy',
      description:
        'Lends it for `days` days. 409 when the copy is lent, or the member has an open loan.',
      ...body(objectOf(loanSent, ['member'])),
      responses: { 201: answer(loan), ...errors(401, 404, 409), ...refusals },
    },
  },
  '/toys/{toy_id}/copies/{copy_id}/loans/{loan_id}': {
    ...LOAN,
    get: { operationId: 'readLoan', responses: { 200: answer(loan), ...errors(401, 404) } },
  },
  '/toys/{toy_id}/copies/{copy_id}/loans/{loan_id}/return': {
    ...LOAN,
    post: {
      operationId: 'returnLoan',
      description: 'Its `state` becomes `returned`, and the copy `free`. 409 when it is returned.',
      responses: { 200: answer(loan), ...errors(401, 404, 409) },
    },
  },
  '/toys/{toy_id}/copies/{copy_id}/loans/{loan_id}/extend': {
    ...LOAN,
    post: {
      operationId: 'extendLoan',
      description:
        'Moves `due_on` by `days` days, counted from the present one. A loan can be extended twice; a third time is answered with 409.',
      ...body(objectOf({ days: number(1, 14) }, ['days'])),
      responses: { 200: answer(loan), ...errors(401, 404, 409), ...refusals },
    },
  },
})

const DAY = 86_400_000
const START = Date.UTC(2026, 2, 1, 8)

/** Toys with copies, each of which is lent to one member at a time, and wishes for toys. */
class ToyLibrary {
  readonly #fault: string
  #toys: JsonObject[] = []
  #copies: JsonObject[] = []
  readonly #loans: JsonObject[] = []
  #wishes: JsonObject[] = []
  readonly #removed: JsonObject[] = []
  #ticks = 0

  constructor(fault = 'none') {
    this.#fault = fault
    for (let at = 0; at < 6; at += 1)
      this.#add(this.#toys, { title: `Toy ${at}`, min_age: at, max_age: 4 + 2 * at })
    for (let at = 0; at < 6; at += 1)
      this.#add(this.#copies, { toy_id: 1, code: `T${at}`, bought_on: `2025-0${9 - at}-01` })
    const copy = this.#add(this.#copies, { toy_id: 2, code: 'U1', bought_on: '2025-01-01' })
    const loan = { member: 'Bea', lent_at: '2026-02-01T09:00:00.000Z', due_on: '2026-03-01' }
    this.#add(this.#loans, { copy_id: copy.id, extensions: 0, ...loan, state: 'open' })
  }

  /** What is stored. */
  get records(): readonly unknown[] {
    return [...this.#toys, ...this.#copies, ...this.#loans, ...this.#wishes]
  }

  #has(fault: string): boolean {
    return this.#fault === fault
  }

  #add(rows: JsonObject[], values: JsonObject): JsonObject {
    this.#ticks += 1
    const row = { id: this.#ticks, ...values }
    rows.push(row)
    return row
  }

  async fetch(request: Request): Promise<Response> {
    if (request.headers.get('Authorization') !== 'Bearer key-of-ann') return refusal(401)
    const { pathname, searchParams } = new URL(request.url)
    const [, , name, id, ...path] = pathname.split('/')
    const { method } = request
    const call = {
      method,
      isList: method === 'GET',
      query: searchParams,
      sent: await request.text(),
    }
    if (name === 'summary') return json({ copies: this.#copies.length })
    if (name === 'wishes') return this.#answerWishes(id, call)
    if (id === undefined) return call.isList ? this.#listToys(searchParams) : this.#addToy(call)
    const toy = this.#toys.find((one) => String(one.id) === id)
    return name === 'toys' && toy ? this.#answerToy(toy, path, call) : refusal(404)
  }

  #answerToy(toy: JsonObject, [below, id, ...path]: readonly string[], call: Call): Response {
    if (below === undefined && call.method === 'DELETE') return this.#removeToy(toy)
    if (below === undefined) return json(this.#shownToy(toy))
    const own = this.#copies.filter(({ toy_id }) => toy_id === toy.id)
    if (below === 'share') return json({ lent: this.#shareOf(own) })
    if (below === 'wishes') return json(this.#wishesFor(toy))
    if (id === undefined) return call.isList ? this.#listCopies(own) : this.#addCopy(toy, call)
    const copy = own.find((one) => String(one.id) === id)
    return copy ? this.#answerCopy(copy, path, call) : refusal(404)
  }

  #answerCopy(copy: JsonObject, [below, id, action]: readonly string[], call: Call): Response {
    if (below === undefined) return json(this.#shownCopy(copy))
    if (id === undefined) return call.isList ? this.#listLoans(copy, call) : this.#lend(copy, call)
    const loan = this.#loans.find((one) => String(one.id) === id && one.copy_id === copy.id)
    if (!loan || action === undefined) return loan ? json(shownLoan(loan)) : refusal(404)
    return action === 'return' ? this.#return(loan, copy) : this.#extend(loan, call)
  }

  #removeToy(toy: JsonObject): Response {
    this.#toys = this.#toys.filter((one) => one !== toy)
    if (!this.#has('keeps the copies of a removed toy'))
      this.#copies = this.#copies.filter(({ toy_id }) => toy_id !== toy.id)
    return new Response(null, { status: 204 })
  }

  #shareOf(copies: readonly JsonObject[]): number {
    const lent = copies.filter((one) => this.#openLoan(one)).length
    const share = lent / Math.max(1, copies.length)
    return this.#has('says the share in percent') ? 100 * share : share
  }

  #wishesFor(toy: JsonObject): readonly JsonObject[] {
    const isHidden = this.#has('lists no urgent wishes')
    return this.#wishes.filter(({ toy_id, urgent }) => toy_id === toy.id && !(isHidden && urgent))
  }

  #answerWishes(id: string | undefined, { isList, sent }: Call): Response {
    if (id === undefined && isList) return json(this.#wishes)
    if (id === undefined)
      return withBody(sent, Object.keys(wishSent), isWish, (values) =>
        this.#toys.some((one) => one.id === values.toy_id)
          ? json(this.#add(this.#wishes, { urgent: false, ...values }), 201)
          : refusal(422),
      )
    const wish = this.#wishes.find((one) => String(one.id) === id)
    if (!wish || isList) return wish ? json(wish) : refusal(404)
    this.#wishes = this.#wishes.filter((one) => one !== wish)
    this.#removed.push(wish)
    return new Response(null, { status: 204 })
  }

  #shownToy(toy: JsonObject): JsonObject {
    const counted = this.#has('counts removed wishes') ? this.#removed : []
    const wishes = [...this.#wishes, ...counted].filter(({ toy_id }) => toy_id === toy.id)
    return { ...toy, wish_count: wishes.length }
  }

  #listToys(query: URLSearchParams): Response {
    const given = query.get('age')
    const age = Number(given ?? 0)
    if (given !== null && !(/^\d+$/.test(given) && age <= 99)) return refusal(422)
    const isOpen = this.#has('minds the greatest age only')
    const isCut = this.#has('leaves out the toys that start at the age')
    const found = this.#toys.filter(({ min_age, max_age }) => {
      const [least, most] = [Number(min_age), Number(max_age)]
      return (isOpen || (isCut ? least < age : least <= age)) && most >= age
    })
    return json((given === null ? this.#toys : found).map((one) => this.#shownToy(one)))
  }

  #addToy({ sent }: Call): Response {
    return withBody(sent, Object.keys(toySent), isToy, (values) => {
      const isExact = this.#has('takes a title in other capitals')
      const plain = ({ title }: JsonObject): string =>
        isExact ? String(title) : String(title).toLowerCase()
      if (this.#toys.some((one) => plain(one) === plain(values))) return refusal(409)
      return json(this.#shownToy(this.#add(this.#toys, values)), 201)
    })
  }

  #listCopies(own: JsonObject[]): Response {
    if (this.#has('sorts old copies by their day'))
      own.sort((one, other) => (String(one.bought_on) < String(other.bought_on) ? -1 : 1))
    return json(own.map((one) => this.#shownCopy(one)))
  }

  #addCopy({ id }: JsonObject, { sent }: Call): Response {
    return withBody(sent, Object.keys(copySent), isCopy, (values) => {
      const isNarrow = this.#has('takes the code of a copy of another toy')
      const others = this.#copies.filter(({ toy_id }) => !isNarrow || toy_id === id)
      if (others.some(({ code }) => code === values.code)) return refusal(409)
      return json(this.#shownCopy(this.#add(this.#copies, { toy_id: id, ...values })), 201)
    })
  }

  /** The loan that has not ended. */
  #openLoan(copy: JsonObject): JsonObject | undefined {
    return this.#loans.find((one) => one.copy_id === copy.id && one.state === 'open')
  }

  #shownCopy(copy: JsonObject): JsonObject {
    const { isKept, ...shown } = copy
    return { ...shown, state: isKept || this.#openLoan(copy) ? 'lent' : 'free' }
  }

  #listLoans(copy: JsonObject, { query }: Call): Response {
    const to = query.get('lent_to')
    if (to !== null && !isDay(to)) return refusal(422)
    const isCut = this.#has('leaves out the day itself')
    const fits = ({ lent_at }: JsonObject): boolean => {
      const day = String(lent_at).slice(0, 10)
      return to === null || (isCut ? day < to : day <= to)
    }
    const own = this.#loans.filter((one) => one.copy_id === copy.id && fits(one))
    return json((this.#has('lists the oldest loan first') ? own : own.reverse()).map(shownLoan))
  }

  #lend(copy: JsonObject, { sent }: Call): Response {
    const days = this.#has('lends for a week') ? 7 : 14
    const status = this.#has('refuses a loan that breaks the schema as no JSON') ? 400 : 422
    return withBody(
      sent,
      ['member', 'days'],
      isLoan,
      ({ member, days: given = days }) => {
        if (this.#openLoan(copy) && !this.#has('lends a copy twice')) return refusal(409)
        const isBusy = ({ member: other, state }: JsonObject): boolean =>
          other === member && state === 'open'
        if (this.#loans.some(isBusy)) return refusal(409)
        const start = START + this.#ticks * 1000
        const due_on = dayAfter(start, Number(given))
        const values = { member, lent_at: new Date(start).toISOString(), due_on, state: 'open' }
        const loan = this.#add(this.#loans, { copy_id: copy.id, extensions: 0, ...values })
        return json(shownLoan(loan), 201)
      },
      status,
    )
  }

  #return(loan: JsonObject, copy: JsonObject): Response {
    if (loan.state !== 'open') return refusal(409)
    Object.assign(loan, { state: 'returned' })
    if (this.#has('keeps a copy lent')) Object.assign(copy, { isKept: true })
    return json(shownLoan(loan))
  }

  #extend(loan: JsonObject, { sent }: Call): Response {
    return withBody(sent, ['days'], isExtension, ({ days }) => {
      const times = Number(loan.extensions)
      if (loan.state !== 'open') return refusal(409)
      if (times >= 2 && !this.#has('extends again and again')) return refusal(409)
      const start = this.#has('extends from the first day')
        ? START
        : Date.parse(String(loan.due_on))
      Object.assign(loan, { due_on: dayAfter(start, Number(days)), extensions: times + 1 })
      return json(shownLoan(loan))
    })
  }
}

interface Call {
  readonly method: string
  readonly isList: boolean
  readonly query: URLSearchParams
  readonly sent: string
}

function shownLoan({ extensions: _, copy_id: __, ...loan }: JsonObject): JsonObject {
  return loan
}

/** The answer to a body with some of these values; refused without JSON, and where it breaks the schema. */
function withBody(
  sent: string,
  names: readonly string[],
  isValid: (values: JsonObject) => boolean,
  answerTo: (values: JsonObject) => Response,
  status = 422,
): Response {
  const given = parseJsonText(sent)
  if (given === undefined) return refusal(400)
  if (!isObject(given) || Array.isArray(given) || !isValid(given)) return refusal(status)
  return answerTo(Object.fromEntries(Object.entries(given).filter(([one]) => names.includes(one))))
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && [...value].length <= 60
}

function isNumber(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most
}

function isDay(value: unknown): boolean {
  const time = Date.parse(`${value}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === value
}

const isWish = ({ toy_id, urgent }: JsonObject): boolean =>
  isNumber(toy_id, 1, 1_000_000) && /^(undefined|boolean)$/.test(typeof urgent)
const isToy = ({ title, min_age, max_age }: JsonObject): boolean =>
  isText(title) && isNumber(min_age, 0, 20) && isNumber(max_age, 0, 99)
const isCopy = ({ code, bought_on }: JsonObject): boolean => isText(code) && isDay(bought_on)
const isExtension = ({ days }: JsonObject): boolean => isNumber(days, 1, 14)
const isLoan = ({ member, days }: JsonObject): boolean =>
  isText(member) && (days === undefined || isNumber(days, 1, 28))

function dayAfter(start: number, days: number): string {
  return new Date(start + days * DAY).toISOString().slice(0, 10)
}

function json(value: unknown, status = 200): Response {
  return Response.json(value, { status })
}

function refusal(status: number): Response {
  return Response.json({ title: 'Refused.' }, { status })
}

export const TOY_LIBRARY: FaultyService = {
  what: 'a service whose copies are lent to one after the other, as its descriptions say',
  base: 'https://toys.example/v1',
  options: { key: 'key-of-ann', writes: true },
  document: DOCUMENT,
  faults: FAULTS,
  create: (fault) => new ToyLibrary(fault),
}
