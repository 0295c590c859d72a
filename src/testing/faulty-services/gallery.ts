import { parseJsonText } from '../../contract/json.ts'
import type { JsonObject } from '../../document/json-value.ts'
import { isObject } from '../../validation/objects.ts'
import {
  answer,
  body,
  documentOf,
  inPath,
  inQuery,
  json,
  objectOf,
  readOnly,
} from './document-parts.ts'
import type { FaultyService } from './faulty-service.ts'

/** The faults of the gallery, each with a check that sees it. */
const FAULTS: Readonly<Record<string, string>> = {
  'shows pending comments to everybody': 'listComments/created/hidden',
  'counts pending comments': 'readArtist/comment_count/createComment',
  'has the price of the last work as the highest': 'readArtist/top_price/listArtistWorks/extreme',
  'gives ids again': 'createWork/new-id',
  'counts the works of a page': 'listWorks/walk/total',
  'skips pages instead of works': 'listWorks/walk/complete',
  'leaves out works at the highest price': 'listWorks/max_price=…/fits',
  'leaves out works for all months': 'listWorks/month/empty',
  'lists removed works': 'listWorks/after/removeWork',
  'lists the works of removed artists': 'listWorks/after/removeArtist',
  'lists the works of other artists': 'listArtistWorks/parents',
  'has no comments on unknown artists': 'listComments/absent-parent',
  'takes the shelf of another artist': 'changeArtist/conflict/shelf',
  'knows shelves by the first request only': 'createArtist/conflict/renamed',
  'keeps shelves that were changed': 'createArtist/conflict/freed',
  'keeps the shelves of removed artists': 'createArtist/conflict/removed',
  'counts the loans of others': 'getSummary/other-key-counted',
  'counts no removed box': 'getSummary/boxes/removed',
  'forbids what is hidden': 'readLoan/other-key',
  'lets others change loans': 'changeLoan/other-key',
  'changes closed loans': 'changeLoan/stated/status=closed',
  'has one status for all bodies': 'createLoan/invalid/422',
  'has 422 for what is no JSON': 'createLoan/invalid/400',
  'links back to the first page': 'listWorks/walk/links',
  'links on from the first page only': 'listWorks/walk/link',
  'links to a last page without works': 'listWorks/last-link',
  'keeps the weight of a changed loan': 'readBox/weight/listLoans',
  'keeps the loans of emptied boxes': 'emptyBox/stated/releases-loan',
  'removes boxes with loans': 'removeBox/stated/used-by-loan',
  'has a cursor on a full last page': 'listBoxes/walk/full',
}

const number = { type: 'integer', minimum: 1, maximum: 1_000_000 }
const id = { type: 'integer', format: 'int64', minimum: 1 }
const text = { type: 'string', minLength: 1, maxLength: 60 }
const MONTHS = {
  ...{ type: 'array', uniqueItems: true, items: { type: 'integer', minimum: 1, maximum: 12 } },
  default: [],
}
const artist = { name: text, shelf: { type: 'string', pattern: '^[A-D][1-9][0-9]?$' } }
const work = { title: text, price: number, months: MONTHS }
const comment = { author: text, rating: { type: 'integer', minimum: 1, maximum: 5 } }
const box = { label: text }
const loan = { box_id: number, weight: number, note: text }
const made = (
  own: Readonly<Record<string, object>>,
  more: Readonly<Record<string, object>> = {},
): object => {
  const properties = { id: readOnly(number), ...more, ...own }
  return objectOf(properties, Object.keys(properties))
}
const status = (...members: string[]): object => readOnly({ type: 'string', enum: members })
const ARTIST = made(artist, {
  comment_count: readOnly({ type: 'integer' }, 'Number of published comments.'),
  top_price: readOnly(
    { type: ['integer', 'null'] },
    'The highest price of the works of the artist; null if there are none.',
  ),
})
const WORK = made(work, { artist_id: readOnly(number) })
const COMMENT = made(comment, { status: status('pending', 'published') })
const BOX = made(box, { weight: readOnly({ type: 'integer' }, 'Sum of the weights of its loans.') })
const LOAN = made(
  { ...loan, box_id: { ...number, type: ['integer', 'null'] } },
  { status: status('open', 'closed') },
)

const TEXTS: Readonly<Record<number, string>> = {
  204: 'Removed.',
  400: 'A parameter is wrong, or the body is not JSON.',
  404: 'The record does not exist, or is private to another user.',
  422: 'The body does not fit its schema.',
}
const answers = (code: number, schema: object | undefined, ...errors: number[]): object => ({
  responses: {
    [code]: { description: TEXTS[code] ?? 'Done.', ...(schema && json(schema)) },
    ...Object.fromEntries(
      [401, ...errors].map((one) => [one, { description: TEXTS[one] ?? 'No.' }]),
    ),
  },
})
const listed = (items: object, ...errors: number[]): object =>
  answers(200, { type: 'array', items }, ...errors)
const size = inQuery('limit', { type: 'integer', minimum: 1, maximum: 40, default: 10 })
const offset = inQuery('offset', { type: 'integer', minimum: 0, maximum: 100_000, default: 0 })
const cursor = { type: ['string', 'null'], description: 'Null on the last page.' }
const BOXES = objectOf({ items: { type: 'array', items: BOX }, next_cursor: cursor }, [
  ...['items', 'next_cursor'],
])

const SUMMARY = objectOf({
  loans: { type: 'integer', description: 'All your loans.' },
  boxes: { type: 'integer' },
})

/** The document of the gallery. */
const DOCUMENT: JsonObject = {
  ...documentOf('Gallery', 'https://gallery.example', {
    '/artists': {
      post: {
        ...{ operationId: 'createArtist', ...body(objectOf(artist, ['name', 'shelf'])) },
        description: 'The name and the shelf must each be unique; otherwise the answer is 409.',
        ...answers(201, ARTIST, 400, 409, 422),
      },
    },
    '/artists/{artist_id}': {
      ...inPath(id, 'artist_id'),
      get: { operationId: 'readArtist', ...answers(200, ARTIST, 400, 404) },
      patch: {
        ...{ operationId: 'changeArtist', ...body({ ...objectOf(artist), minProperties: 1 }) },
        ...answers(200, ARTIST, 400, 404, 409, 422),
      },
      delete: {
        ...{ operationId: 'removeArtist', description: 'Removes an artist with all works.' },
        ...answers(204, undefined, 400, 404),
      },
    },
    '/artists/{artist_id}/works': {
      ...inPath(id, 'artist_id'),
      get: {
        ...{ operationId: 'listArtistWorks', description: 'The works of this artist.' },
        ...listed(WORK, 400, 404),
      },
      post: {
        ...{ operationId: 'createWork', ...body(objectOf(work, ['title', 'price'])) },
        ...answers(201, WORK, 400, 404, 422),
      },
    },
    '/works': {
      get: {
        operationId: 'listWorks',
        parameters: [
          ...[size, offset, inQuery('artist_id', number), inQuery('max_price', number)],
          inQuery(
            'month',
            MONTHS.items,
            'Only works of this month. Works whose `months` is empty are there in every month.',
          ),
        ],
        responses: {
          200: answer(
            { type: 'array', items: WORK },
            {
              'X-Total-Count': { required: true, schema: { type: 'integer' } },
              Link: { schema: { type: 'string' }, description: 'The pages prev, next and last.' },
            },
          ),
          ...{ 400: { description: TEXTS[400] }, 401: { description: 'No.' } },
        },
      },
    },
    '/works/{work_id}': {
      ...inPath(id, 'work_id'),
      get: { operationId: 'readWork', ...answers(200, WORK, 400, 404) },
      delete: { operationId: 'removeWork', ...answers(204, undefined, 400, 404) },
    },
    '/artists/{artist_id}/comments': {
      ...inPath(id, 'artist_id'),
      get: {
        ...{ operationId: 'listComments', security: [{ key: [] }, {}] },
        description: 'The comments on this artist. Without a key only published ones are listed.',
        ...listed(COMMENT, 400, 404),
      },
      post: {
        ...{ operationId: 'createComment', security: [] },
        ...body(objectOf(comment, ['author', 'rating'])),
        ...answers(201, COMMENT, 400, 404, 422),
      },
    },
    '/boxes': {
      get: {
        ...{ operationId: 'listBoxes', parameters: [size, inQuery('cursor')] },
        ...answers(200, BOXES, 400),
      },
      post: {
        ...{ operationId: 'createBox', ...body(objectOf(box, ['label'])) },
        ...answers(201, BOX, 400, 422),
      },
    },
    '/boxes/{box_id}': {
      ...inPath(id, 'box_id'),
      get: { operationId: 'readBox', ...answers(200, BOX, 400, 404) },
      delete: {
        operationId: 'removeBox',
        description: 'A box that still has labels or loans is not removed; the answer is 409.',
        ...answers(204, undefined, 400, 404, 409),
      },
    },
    '/boxes/{box_id}/empty': {
      ...inPath(id, 'box_id'),
      post: {
        ...{
          operationId: 'emptyBox',
          description: 'All the loans in the box are detached from it.',
        },
        ...answers(200, BOX, 400, 404),
      },
    },
    '/summary': {
      get: {
        operationId: 'getSummary',
        ...answers(200, SUMMARY),
      },
    },
    '/loans': {
      get: {
        ...{ operationId: 'listLoans', parameters: [inQuery('box_id', number)] },
        ...listed(LOAN, 400),
      },
      post: {
        ...{ operationId: 'createLoan', ...body(objectOf(loan, Object.keys(loan))) },
        description: 'The box must be one of yours, otherwise the answer is 422.',
        ...answers(201, LOAN, 400, 422),
      },
    },
    '/loans/{loan_id}': {
      ...inPath(id, 'loan_id'),
      get: { operationId: 'readLoan', ...answers(200, LOAN, 400, 404) },
      patch: {
        ...{ operationId: 'changeLoan', ...body({ ...objectOf(loan), minProperties: 1 }) },
        description: 'Changes an open loan. A loan with another status is not changed (409).',
        ...answers(200, LOAN, 400, 404, 409, 422),
      },
    },
    '/loans/{loan_id}/close': {
      ...inPath(id, 'loan_id'),
      post: {
        ...{ operationId: 'closeLoan', description: 'Sets the status to `closed`.' },
        ...answers(200, LOAN, 400, 404, 409),
      },
    },
  }),
  info: { title: 'Gallery', version: '1', description: 'Ids are never used again.' },
}

const KEYS: Readonly<Record<string, string>> = {
  'Bearer key-of-ann': 'ann',
  'Bearer key-of-bob': 'bob',
}

type Row = Readonly<Record<string, unknown>> & { readonly id: number; readonly owner: string }
type Reply = readonly [status: number, value?: unknown, total?: number, link?: string]

/** What a request is about: the collection, and the record above. */
interface Place {
  readonly name: string
  readonly above?: Row
}

/** Who sends what. */
interface Sent {
  readonly method: string
  readonly user: string
  readonly sent: unknown
}

/** Artists with works, comments that somebody publishes, and private boxes with loans. */
class Gallery {
  readonly #fault: string
  readonly #rows: Record<string, Row[]> = { works: [], comments: [], boxes: [], loans: [] }
  #last = 100
  /** The works that are gone, but for the lists. */
  readonly #removed = new Set<number>()
  /** Names and shelves that no artist may have, by mistake. */
  readonly #reserved = new Set<unknown>()
  #most = 0

  constructor(fault = 'none') {
    this.#fault = fault
    this.#rows.artists = [1, 2, 3].map((id) => ({
      ...{ id, owner: id === 1 ? 'bob' : 'ann', name: `Artist ${id}`, shelf: `D${id}` },
    }))
    this.#rows.works = Array.from({ length: 66 }, (_, at) => ({
      ...{
        id: at + 1,
        owner: at % 3 === 0 ? 'bob' : 'ann',
        artist_id: (at % 3) + 1,
        title: `Work ${at}`,
      },
      ...{ price: 10 + (at % 9), months: at % 4 === 0 ? [] : [2, 3] },
    }))
    this.#rows.boxes = ['ann', 'bob', 'ann', 'ann', 'ann'].map((owner, at) => ({
      ...{ id: at + 1, owner, label: `Box ${at}` },
    }))
    this.#rows.loans = ['ann', 'bob', 'ann'].map((owner, at) => ({
      ...{
        id: at + 1,
        owner,
        box_id: at + 1,
        weight: 5 + at,
        first_weight: 5 + at,
        note: 'Fragile',
        status: 'open',
      },
    }))
  }

  get records(): readonly unknown[] {
    return Object.values(this.#rows).flat()
  }

  async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const user = KEYS[request.headers.get('Authorization') ?? '']
    const isOpen = /^\/artists\/[^/]+\/comments$/.test(url.pathname)
    const sent = parseJsonText(await request.text())
    const [status, value, total, link] =
      user === undefined && !isOpen
        ? ([401] as const)
        : this.#answer({ method: request.method, user: user ?? '', sent }, url)
    const headers = {
      ...(total !== undefined && { 'X-Total-Count': String(total) }),
      ...(link && { Link: link }),
    }
    return value === undefined
      ? new Response(null, { status, headers })
      : Response.json(value, { status, headers })
  }

  #has(fault: string): boolean {
    return this.#fault === fault
  }

  #table(name: string): readonly Row[] {
    return this.#rows[name] ?? []
  }

  #answer(asked: Sent, url: URL): Reply {
    const { method, user } = asked
    const [name = '', id, below, ...more] = url.pathname.slice(1).split('/')
    if (name === 'summary') return [200, this.#summaryOf(user)]
    if (!(name in this.#rows) || name === 'comments' || more.length > 0) return [404]
    if (id === undefined) return this.#onAll(asked, { name }, url)
    if (!/^[1-9]\d*$/.test(id)) return [400]
    const row = this.#table(name).find((one) => String(one.id) === id)
    if (
      below === 'comments' &&
      !row &&
      method === 'GET' &&
      this.#has('has no comments on unknown artists')
    )
      return [200, []]
    if (!row || (name === 'works' && this.#removed.has(row.id))) return [404]
    if (below === 'works' && row.owner !== user) return [404]
    if (below === 'works' || below === 'comments')
      return this.#onAll(asked, { name: below, above: row }, url)
    return this.#onOne(asked, name, row, below)
  }

  #onOne(asked: Sent, name: string, row: Row, action: string | undefined): Reply {
    const { method, user, sent } = asked
    const isPrivate = row.owner !== user
    const isOpen = method === 'PATCH' && this.#has('lets others change loans')
    if (isPrivate && !isOpen)
      return [method === 'GET' && this.#has('forbids what is hidden') ? 403 : 404]
    if (action === 'empty') return this.#empty(row)
    if (action === 'close')
      return row.status === 'open' ? this.#set(name, row, { status: 'closed' }) : [409]
    if (method === 'GET') return [200, this.#shown(name, row)]
    return method === 'DELETE' ? this.#remove(name, row) : this.#change(name, row, user, sent)
  }

  #empty(row: Row): Reply {
    const isKept = this.#has('keeps the loans of emptied boxes')
    this.#rows.loans = this.#table('loans').map((one) =>
      one.box_id === row.id && !isKept ? { ...one, box_id: null } : one,
    )
    return [200, this.#shown('boxes', row)]
  }

  #onAll({ method, user, sent }: Sent, place: Place, url: URL): Reply {
    return method === 'GET' ? this.#list(place, url, user) : this.#create(place, user, sent)
  }

  #list({ name, above }: Place, { searchParams }: URL, user: string): Reply {
    const query = Object.fromEntries(searchParams)
    if (!isQuery(query)) return [400]
    const isOther = name === 'works' && this.#has('lists the works of other artists')
    const found = this.#table(name)
      .filter((one) => !above || one.artist_id === above.id || (isOther && one.id < 4))
      .filter((one) => (name === 'comments' ? this.#isPublic(one, user) : one.owner === user))
      .filter((one) => this.#matches(one, query))
    const { limit = '10', offset: first = '0' } = query
    if (name !== 'boxes' && (name !== 'works' || above))
      return [200, found.map((one) => this.#shown(name, one))]
    const count = Number(limit)
    const skipped = Number(first) * (this.#has('skips pages instead of works') ? count : 1)
    const after = name === 'boxes' ? Number(query.cursor ?? 0) : skipped
    const page = found.slice(after, after + count).map((one) => this.#shown(name, one))
    if (name === 'works') {
      const total = this.#has('counts the works of a page') ? page.length : found.length
      return [200, page, total, this.#links(searchParams, count, found.length)]
    }
    const isEnd = this.#has('has a cursor on a full last page')
      ? page.length < count
      : after + count >= found.length
    return [200, { items: page, next_cursor: isEnd ? null : String(after + count) }]
  }

  #links(query: URLSearchParams, count: number, total: number): string {
    const first = Number(query.get('offset') ?? 0)
    const before = this.#has('links back to the first page') ? 0 : Math.max(0, first - count)
    const linkTo = (offset: number, relation: string): string => {
      const own = new URLSearchParams([...query, ['limit', String(count)]])
      own.set('limit', String(count))
      own.set('offset', String(offset))
      return `<https://gallery.example/works?${own}>; rel="${relation}"`
    }
    const end = this.#has('links to a last page without works') ? total : total - 1
    const last = Math.floor(Math.max(0, end) / count) * count
    const isMore = first + count < total
    return [
      ...(first > 0 ? [linkTo(before, 'prev')] : []),
      ...(isMore && !(first > 0 && this.#has('links on from the first page only'))
        ? [linkTo(first + count, 'next')]
        : []),
      linkTo(last, 'last'),
    ].join(', ')
  }

  #isPublic({ status }: Row, user: string): boolean {
    const isOpen = this.#has('shows pending comments to everybody')
    return user !== '' || status === 'published' || isOpen
  }

  #matches(
    one: Row,
    { artist_id, box_id, max_price, month }: Readonly<Record<string, string>>,
  ): boolean {
    const months = Array.isArray(one.months) ? one.months : []
    const isAlways = months.length === 0 && !this.#has('leaves out works for all months')
    const highest = Number(max_price) - (this.#has('leaves out works at the highest price') ? 1 : 0)
    return (
      (artist_id === undefined || String(one.artist_id) === artist_id) &&
      (box_id === undefined || String(one.box_id) === box_id) &&
      (max_price === undefined || Number(one.price) <= highest) &&
      (month === undefined || isAlways || months.includes(Number(month)))
    )
  }

  #create({ name, above }: Place, user: string, sent: unknown): Reply {
    const values = this.#valid(name, user, sent, true)
    if (typeof values === 'number') return [values]
    if (this.#isTaken(name, values)) return [409]
    const ids = this.#table(name).map(({ id }) => id)
    const isAgain = name === 'works' && this.#has('gives ids again')
    this.#last = isAgain ? Math.max(100, ...ids) + 1 : this.#last + 1
    const defaults: Record<string, JsonObject> = {
      ...{ works: { months: [] }, comments: { status: 'pending' }, loans: { status: 'open' } },
    }
    const row = {
      ...{ id: this.#last, owner: user, ...defaults[name], ...values },
      ...(above && { artist_id: above.id }),
      ...(name === 'loans' && { first_weight: values.weight }),
      ...(name === 'artists' && { first: [values.name, values.shelf] }),
    }
    this.#rows[name] = [...this.#table(name), row]
    return [201, this.#shown(name, row)]
  }

  #change(name: string, row: Row, user: string, sent: unknown): Reply {
    const values = this.#valid(name, user, sent, false)
    if (typeof values === 'number') return [values]
    const isClosed = row.status === 'closed' && !this.#has('changes closed loans')
    const { shelf: _shelf, ...others } = values
    const checked = this.#has('takes the shelf of another artist') ? others : values
    if (isClosed || this.#isTaken(name, checked, row)) return [409]
    if (this.#has('keeps shelves that were changed')) this.#reserve(row)
    return this.#set(name, row, values)
  }

  #set(name: string, row: Row, values: JsonObject): Reply {
    const changed = { ...row, ...values }
    this.#rows[name] = this.#table(name).map((one) => (one === row ? changed : one))
    return [200, this.#shown(name, changed)]
  }

  #isTaken(name: string, values: JsonObject, own?: Row): boolean {
    const others = this.#table(name).filter((one) => one !== own)
    const isFirst = !own && this.#has('knows shelves by the first request only')
    const hasValue = (one: Row, key: string): boolean =>
      isFirst && Array.isArray(one.first)
        ? one.first.includes(values[key])
        : one[key] === values[key]
    const isSame = (key: string): boolean =>
      values[key] !== undefined &&
      (this.#reserved.has(values[key]) || others.some((one) => hasValue(one, key)))
    return name === 'artists' && (isSame('name') || isSame('shelf'))
  }

  #reserve({ name, shelf }: Row): void {
    this.#reserved.add(name).add(shelf)
  }

  /** The numbers of the records of a user. */
  #summaryOf(user: string): JsonObject {
    const isAll = this.#has('counts the loans of others')
    const countOf = (name: string): number =>
      this.#table(name).filter(({ owner }) => isAll || owner === user).length
    this.#most = Math.max(this.#most, countOf('boxes'))
    const boxes = this.#has('counts no removed box') ? this.#most : countOf('boxes')
    return { loans: countOf('loans'), boxes }
  }

  #remove(name: string, row: Row): Reply {
    const isUsed = this.#table('loans').some(({ box_id }) => name === 'boxes' && box_id === row.id)
    if (isUsed && !this.#has('removes boxes with loans')) return [409]
    if (name === 'works' && this.#has('lists removed works')) {
      this.#removed.add(row.id)
      return [204]
    }
    this.#rows[name] = this.#table(name).filter((one) => one !== row)
    if (this.#has('keeps the shelves of removed artists')) this.#reserve(row)
    if (name === 'artists' && !this.#has('lists the works of removed artists'))
      this.#rows.works = this.#table('works').filter((one) => one.artist_id !== row.id)
    return [204]
  }

  #shown(
    name: string,
    { owner: _owner, first_weight: _weight, first: _first, ...row }: Row,
  ): JsonObject {
    if (name === 'comments') return { ...row, artist_id: undefined }
    if (name === 'boxes') return { ...row, weight: this.#weightOf(row.id) }
    if (name !== 'artists') return row
    const comments = this.#table('comments').filter(
      (one) =>
        one.artist_id === row.id &&
        (one.status === 'published' || this.#has('counts pending comments')),
    )
    const works = this.#table('works').filter((one) => one.artist_id === row.id)
    const prices = works.map(({ price }) => Number(price))
    const isLast = this.#has('has the price of the last work as the highest')
    const top = isLast ? prices.at(-1) : Math.max(...prices)
    return {
      ...{ ...row, comment_count: comments.length },
      top_price: prices.length > 0 ? top : null,
    }
  }

  #weightOf(box: number): number {
    const loans = this.#table('loans').filter(({ box_id }) => box_id === box)
    const name = this.#has('keeps the weight of a changed loan') ? 'first_weight' : 'weight'
    return loans.reduce((sum, one) => sum + Number(one[name]), 0)
  }

  /** The values that a request may have; the status of the refusal when one is wrong, or is missing in a new record. */
  #valid(name: string, user: string, sent: unknown, isNew: boolean): JsonObject | number {
    const invalid = this.#has('has one status for all bodies') ? 400 : 422
    if (sent === undefined) return this.#has('has 422 for what is no JSON') ? 422 : 400
    if (!isObject(sent) || Array.isArray(sent)) return invalid
    const isOwnBox = (value: unknown): boolean =>
      this.#table('boxes').some(({ id, owner }) => id === value && owner === user)
    const rules: Record<string, Record<string, (value: unknown) => boolean>> = {
      artists: {
        name: isText,
        shelf: (value) => isText(value) && /^[A-D][1-9][0-9]?$/.test(value),
      },
      works: { title: isText, price: isInteger(1_000_000), months: isMonths },
      comments: { author: isText, rating: isInteger(5) },
      boxes: { label: isText },
      loans: {
        box_id: (value) => isInteger(1_000_000)(value) && isOwnBox(value),
        ...{ weight: isInteger(1_000_000), note: isText },
      },
    }
    const own = rules[name] ?? {}
    const isRight = Object.entries(own).every(([key, fits]) =>
      key in sent ? fits(sent[key]) : !isNew || key === 'months',
    )
    const kept = Object.entries(sent).filter(([key]) => key in own)
    return isRight && (isNew || Object.keys(sent).length > 0) ? Object.fromEntries(kept) : invalid
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && [...value].length <= 60
}

function isInteger(most: number): (value: unknown) => boolean {
  return (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most
}

function isMonths(value: unknown): boolean {
  return Array.isArray(value) && value.every(isInteger(12)) && new Set(value).size === value.length
}

function isNumber(given: string, least: number, most: number): boolean {
  return /^\d+$/.test(given) && Number(given) >= least && Number(given) <= most
}

function isQuery({ cursor: place = '0', ...query }: Readonly<Record<string, string>>): boolean {
  const limits: Record<string, readonly [number, number]> = {
    ...{ limit: [1, 40], offset: [0, 100_000], month: [1, 12] },
    ...{ artist_id: [1, 1_000_000], box_id: [1, 1_000_000], max_price: [1, 1_000_000] },
  }
  return (
    isNumber(place, 0, 100_000) &&
    Object.entries(query).every(([name, value]) => {
      const [least, most] = limits[name] ?? []
      return least === undefined || most === undefined || isNumber(value, least, most)
    })
  )
}

export const GALLERY: FaultyService = {
  what: 'a service whose document states what is public, private, unique and kept',
  base: 'https://gallery.example',
  options: { key: 'key-of-ann', otherKey: 'key-of-bob', writes: true },
  document: DOCUMENT,
  faults: FAULTS,
  create: (fault) => new Gallery(fault),
}
