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

/** The faults of the press, each with a check that sees it. */
const FAULTS: Readonly<Record<string, string>> = {
  'takes the key without its scheme': 'listMagazines/no-scheme',
  'shows private magazines to others': 'readMagazine/other-key/visibility=private',
  'lists drafts to others': 'listArticles/other-key/status=draft',
  'filters the articles of all magazines': 'listArticles/parent/filtered',
  'schedules articles in the past': 'scheduleArticle/stated/publish_at',
  'refuses the number of an article of another magazine':
    'addArticle/stated/once/article_number/elsewhere',
  'removes sponsors that are placed': 'removeSponsor/stated/used-by-placement',
  'finds numbers as texts': 'searchArticles/200/body',
  'tells capitals apart in a search': 'searchArticles/q/case',
  'files what is filed': 'fileMagazine/stated/sent=true',
  'files by no channel': 'fileMagazine/defaults',
}

const DESCRIPTION = `A private magazine, and an article that is a draft or scheduled, are visible to the owner of the magazine only.
For others, sponsors do not exist (404). created_at never changes, updated_at is the time of the last change.`

const gone = { 204: { description: 'Gone.' } }
const listOf = (items: object): object => ({ type: 'array', items })
const short = { type: 'string', minLength: 1, maxLength: 80 }
const time = { type: 'string', format: 'date-time' }
const times = { created_at: readOnly(time), updated_at: readOnly(time) }
const VISIBILITY = ['public', 'private']
const SECTIONS = ['news', 'sport']
const magazineSent = {
  title: short,
  visibility: { type: 'string', enum: VISIBILITY, default: 'public' },
}
const CHANNELS = ['mail', 'web']
const magazine = objectOf(
  {
    ...{ id: readOnly(text), ...magazineSent, sent: readOnly({ type: 'boolean' }), ...times },
    filing_channel: readOnly({ type: ['string', 'null'], enum: [...CHANNELS, null] }),
  },
  ['id', 'title', 'visibility', 'sent'],
)
const number = { type: 'integer', minimum: 1, maximum: 9999 }
const articleSent = {
  title: short,
  article_number: number,
  section: { type: 'string', enum: SECTIONS },
}
const article = objectOf(
  {
    ...{ id: readOnly(text), ...articleSent },
    status: readOnly({ type: 'string', enum: ['draft', 'scheduled', 'published'] }),
    publish_at: readOnly({ type: ['string', 'null'], format: 'date-time' }),
  },
  ['id', 'title', 'article_number', 'section', 'status', 'publish_at'],
)
const sponsor = objectOf({ id: readOnly(text), name: short }, ['id', 'name'])
const placement = objectOf({ id: readOnly(text), sponsor_id: text, line: short }, [
  ...['id', 'sponsor_id', 'line'],
])
const found = objectOf({ id: text, title: text, article_number: number, section: text }, [
  ...['id', 'title', 'article_number', 'section'],
])
const ARTICLE = inPath(text, 'magazine', 'article')
const action = (operationId: string, description: string, shown: object): object => ({
  ...{ operationId, description },
  responses: { 200: answer(shown), ...errors(401, 403, 404, 409) },
})
const read = (operationId: string, schema: object): object => ({
  ...{ operationId, responses: { 200: answer(schema), ...errors(401, 404) } },
})

const DOCUMENT: JsonObject = {
  ...documentOf('Press', 'https://press.example/v1', {
    '/magazines': {
      get: { ...read('listMagazines', listOf(magazine)), description: 'Those of the caller.' },
      post: {
        operationId: 'createMagazine',
        ...body(objectOf(magazineSent, ['title'])),
        responses: { 201: answer(magazine), ...errors(401, 422) },
      },
    },
    '/magazines/{magazine}': {
      ...inPath(text, 'magazine'),
      get: read('readMagazine', magazine),
      patch: {
        operationId: 'changeMagazine',
        ...body(objectOf({ title: short }, ['title'])),
        responses: { 200: answer(magazine), ...errors(401, 403, 404, 422) },
      },
      delete: { operationId: 'removeMagazine', responses: { ...gone, ...errors(401, 403, 404) } },
    },
    '/magazines/{magazine}/file': {
      ...inPath(text, 'magazine'),
      post: {
        operationId: 'fileMagazine',
        description: 'Sets `sent` to true. Answers 409 when it has been sent already.',
        ...body(objectOf({ channel: { type: 'string', enum: CHANNELS, default: 'web' } })),
        responses: { 200: answer(magazine), ...errors(401, 403, 404, 409, 422) },
      },
    },
    '/magazines/{magazine}/articles': {
      ...inPath(text, 'magazine'),
      get: {
        ...read('listArticles', listOf(article)),
        description: 'The owner gets all of them, others the published ones.',
        parameters: [inQuery('section', { type: 'string', enum: SECTIONS }, 'Only this section.')],
      },
      post: {
        operationId: 'addArticle',
        description: 'Answers 409 when the magazine has an article with the same number.',
        ...body(objectOf(articleSent, Object.keys(articleSent))),
        responses: { 201: answer(article), ...errors(401, 403, 404, 409, 422) },
      },
    },
    '/magazines/{magazine}/articles/{article}': { ...ARTICLE, get: read('readArticle', article) },
    '/magazines/{magazine}/articles/{article}/publish': {
      ...ARTICLE,
      post: action('publishArticle', 'Sets the status to `published`.', article),
    },
    '/magazines/{magazine}/articles/{article}/schedule': {
      ...ARTICLE,
      post: {
        operationId: 'scheduleArticle',
        description:
          'Sets the status to `scheduled`. A publish_at that is not in the future is answered with 422.',
        ...body(objectOf({ publish_at: time }, ['publish_at'])),
        responses: { 200: answer(article), ...errors(401, 403, 404, 422) },
      },
    },
    '/sponsors': {
      get: { ...read('listSponsors', listOf(sponsor)), description: 'Those of the caller only.' },
      post: {
        operationId: 'createSponsor',
        ...body(objectOf({ name: short }, ['name'])),
        responses: { 201: answer(sponsor), ...errors(401, 422) },
      },
    },
    '/sponsors/{sponsor}': {
      ...inPath(text, 'sponsor'),
      get: read('readSponsor', sponsor),
      delete: {
        operationId: 'removeSponsor',
        description: 'A sponsor that is placed in an article cannot be removed: 409.',
        responses: { ...gone, ...errors(401, 404, 409) },
      },
    },
    '/placements': {
      post: {
        operationId: 'createPlacement',
        ...body(objectOf({ sponsor_id: text, line: short }, ['sponsor_id', 'line'])),
        responses: { 201: answer(placement), ...errors(401, 422) },
      },
    },
    '/placements/{placement}': {
      ...inPath(text, 'placement'),
      get: read('readPlacement', placement),
      delete: { operationId: 'removePlacement', responses: { ...gone, ...errors(401, 404) } },
    },
    '/search/articles': {
      get: {
        ...{
          operationId: 'searchArticles',
          responses: { 200: answer(listOf(found)), ...errors(400, 401) },
        },
        description: 'Searches the published articles of public magazines.',
        parameters: [
          {
            ...inQuery('q', { type: 'string', minLength: 2, maxLength: 60 }),
            ...{ required: true, description: 'What the title contains, in upper or lower case.' },
          },
        ],
      },
    },
  }),
  info: { title: 'Press', version: '1', description: DESCRIPTION },
}

type Row = JsonObject & { readonly id: string; readonly owner: string }

const OWNERS: Readonly<Record<string, string>> = { 'key-of-ann': 'ann', 'key-of-ben': 'ben' }

/** Magazines with articles, some of which only their owners see, and sponsors with placements. */
class Press {
  readonly #fault: string
  readonly #rows: Readonly<Record<string, Row[]>> = {
    magazines: [],
    articles: [],
    sponsors: [],
    placements: [],
  }
  #count = 0

  constructor(fault = 'none') {
    this.#fault = fault
    const owners = ['ann', 'ben']
    for (const owner of owners) {
      const title = `The Weekly of ${owner}`
      const { id } = this.#add('magazines', owner, {
        title,
        visibility: 'public',
        sent: false,
        filing_channel: null,
      })
      for (const [at, of] of ['harbours', 'Bridges', 'Gardens'].entries())
        this.#add('articles', owner, {
          ...{ magazine: id, title: `The story of ${of}`, article_number: at + 1, section: 'news' },
          ...{ status: 'published', publish_at: null },
        })
    }
  }

  get records(): readonly unknown[] {
    return Object.values(this.#rows).flat()
  }

  #has(fault: string): boolean {
    return this.#fault === fault
  }

  #table(name: string): Row[] {
    return this.#rows[name] ?? []
  }

  #add(table: string, owner: string, values: JsonObject): Row {
    this.#count += 1
    const now = new Date(Date.UTC(2026, 2, 1) + this.#count * 1000).toISOString()
    const row = {
      ...values,
      id: `${table[0]}_${this.#count}`,
      owner,
      created_at: now,
      updated_at: now,
    }
    this.#table(table).push(row)
    return row
  }

  #remove(table: string, row: Row): Response {
    this.#table(table).splice(this.#table(table).indexOf(row), 1)
    return new Response(null, { status: 204 })
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const [, , table = '', ...path] = pathname.split('/')
    const sent = request.headers.get('Authorization') ?? ''
    const isBare = this.#has('takes the key without its scheme')
    const owner =
      OWNERS[isBare ? sent.replace('Bearer ', '') : (/^Bearer (.*)/.exec(sent)?.[1] ?? '')]
    if (owner === undefined) return refusal(401)
    const sentText = await request.text()
    const given = sentText === '' ? {} : parseJsonText(sentText)
    if (!isObject(given) || Array.isArray(given)) return refusal(422)
    const call = { method: request.method, owner, values: given, path, query: searchParams }
    if (table === 'search') return this.#search(searchParams.get('q'))
    if (table === 'magazines') return this.#answerMagazines(call)
    return table in this.#rows ? this.#answerOwn(table, call) : refusal(404)
  }

  #search(q: string | null): Response {
    if (q === null || q.length < 2 || q.length > 60) return refusal(400)
    const isExact = this.#has('tells capitals apart in a search')
    const plain = (one: unknown): string => (isExact ? String(one) : String(one).toLowerCase())
    const hits = this.#table('articles').filter(
      (one) => one.status === 'published' && plain(one.title).includes(plain(q)),
    )
    const numbered = (one: unknown): unknown =>
      this.#has('finds numbers as texts') ? String(one) : one
    return Response.json(
      hits.map(({ id, title, section, article_number }) => ({
        ...{ id, title, section, article_number: numbered(article_number) },
      })),
    )
  }

  #answerOwn(table: string, { method, owner, values, path: [id] }: Call): Response {
    const own = this.#table(table).filter((one) => one.owner === owner)
    if (id === undefined && method === 'GET') return Response.json(own.map(shown))
    if (id === undefined) {
      const { name, sponsor_id, line } = values
      const isSponsor = table === 'sponsors' && isShort(name)
      const isPlaced = this.#table('sponsors').some((one) => one.id === sponsor_id)
      if (!isSponsor && !(table === 'placements' && isPlaced && isShort(line))) return refusal(422)
      const row = this.#add(table, owner, isSponsor ? { name } : { sponsor_id, line })
      return Response.json(shown(row), { status: 201 })
    }
    const row = own.find((one) => one.id === id)
    if (!row) return refusal(404)
    if (method === 'GET') return Response.json(shown(row))
    const isUsed = this.#table('placements').some((one) => one.sponsor_id === id)
    return isUsed && !this.#has('removes sponsors that are placed')
      ? refusal(409)
      : this.#remove(table, row)
  }

  #answerMagazines(call: Call): Response {
    const { method, owner, values, path } = call
    const [id, part] = path
    const all = this.#table('magazines')
    if (id === undefined && method === 'GET')
      return Response.json(all.filter((one) => one.owner === owner).map(shown))
    if (id === undefined) return this.#createMagazine(owner, values)
    const isOpen = this.#has('shows private magazines to others') && part === undefined
    const found = all.find(
      (one) => one.id === id && (isOpen || one.owner === owner || one.visibility === 'public'),
    )
    if (!found) return refusal(404)
    if (part === 'articles') return this.#answerArticles(found, call)
    if (method === 'GET') return Response.json(shown(found))
    if (found.owner !== owner) return refusal(403)
    if (method === 'DELETE') return this.#remove('magazines', found)
    return part === 'file' ? this.#file(found, values) : this.#changeMagazine(found, values)
  }

  #createMagazine(owner: string, { title, visibility = 'public' }: JsonObject): Response {
    if (!isShort(title) || !VISIBILITY.includes(String(visibility))) return refusal(422)
    const row = this.#add('magazines', owner, {
      title,
      visibility,
      sent: false,
      filing_channel: null,
    })
    return Response.json(shown(row), { status: 201 })
  }

  #file(found: Row, { channel }: JsonObject): Response {
    if (channel !== undefined && !CHANNELS.includes(String(channel))) return refusal(422)
    if (found.sent && !this.#has('files what is filed')) return refusal(409)
    const filing_channel = channel ?? (this.#has('files by no channel') ? null : 'web')
    const values = { sent: true, filing_channel, updated_at: this.#nextTime() }
    return Response.json(shown(Object.assign(found, values)))
  }

  #changeMagazine(found: Row, { title }: JsonObject): Response {
    if (!isShort(title)) return refusal(422)
    return Response.json(shown(Object.assign(found, { title, updated_at: this.#nextTime() })))
  }

  /** The time of a change. */
  #nextTime(): string {
    this.#count += 1
    return new Date(Date.UTC(2026, 2, 1) + this.#count * 1000).toISOString()
  }

  #answerArticles({ id, owner }: Row, call: Call): Response {
    const { method, path, query, values } = call
    const isOwner = owner === call.owner
    const own = this.#table('articles').filter((one) => one.magazine === id)
    const [, , item, act] = path
    if (item === undefined && method === 'POST')
      return isOwner ? this.#addArticle(id, owner, own, values) : refusal(403)
    if (item === undefined) return this.#listArticles(own, query.get('section'), isOwner)
    const row = own.find((one) => one.id === item && (isOwner || one.status === 'published'))
    if (!row) return refusal(404)
    if (act === undefined) return Response.json(shown(row))
    if (!isOwner) return refusal(403)
    return act === 'publish'
      ? Response.json(shown(Object.assign(row, { status: 'published', publish_at: null })))
      : this.#schedule(row, values)
  }

  #schedule(row: Row, { publish_at }: JsonObject): Response {
    const isTime = typeof publish_at === 'string' && /^\d{4}-\d\d-\d\dT/.test(publish_at)
    const at = isTime ? Date.parse(publish_at) : Number.NaN
    // There is no 30 February.
    const day = Date.parse(`${String(publish_at).slice(0, 10)}T00:00:00Z`)
    if (isTime && !new Date(day || 0).toISOString().startsWith(publish_at.slice(0, 10)))
      return refusal(422)
    const isLate = at > Date.UTC(2026, 2, 1) || this.#has('schedules articles in the past')
    return isLate && !Number.isNaN(at)
      ? Response.json(shown(Object.assign(row, { status: 'scheduled', publish_at })))
      : refusal(422, 'publish_at must be in the future.')
  }

  #listArticles(own: readonly Row[], section: string | null, isOwner: boolean): Response {
    const isOpen = isOwner || this.#has('lists drafts to others')
    if (section !== null && !SECTIONS.includes(section)) return refusal(422)
    const isWide = section !== null && this.#has('filters the articles of all magazines')
    const listed = (isWide ? this.#table('articles') : own).filter(
      (one) => (isOpen || one.status === 'published') && (!section || one.section === section),
    )
    return Response.json(listed.map(shown))
  }

  #addArticle(magazine: string, owner: string, own: readonly Row[], values: JsonObject): Response {
    const { title, article_number, section } = values
    const isNumber = Number.isInteger(article_number) && Number(article_number) > 0
    const isValid =
      isNumber && Number(article_number) < 10_000 && SECTIONS.includes(String(section))
    if (!isShort(title) || !isValid) return refusal(422)
    const isWide = this.#has('refuses the number of an article of another magazine')
    const others = isWide ? this.#table('articles') : own
    if (others.some((one) => one.article_number === article_number)) return refusal(409)
    const state = { status: 'draft', publish_at: null }
    const row = this.#add('articles', owner, { magazine, title, article_number, section, ...state })
    return Response.json(shown(row), { status: 201 })
  }
}

interface Call {
  readonly method: string
  readonly owner: string
  readonly values: JsonObject
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

function shown({ owner: _owner, magazine: _magazine, ...values }: Row): JsonObject {
  return values
}

function isShort(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && [...value].length <= 80
}

function refusal(status: number, message = 'No.'): Response {
  const headers = status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}
  return Response.json({ message }, { status, headers })
}

export const PRESS: FaultyService = {
  what: 'a service with what only owners see, and with a search that needs a text',
  base: 'https://press.example/v1',
  options: { key: 'key-of-ann', otherKey: 'key-of-ben', writes: true },
  document: DOCUMENT,
  faults: FAULTS,
  // A search finds what other lists have shown.
  seenElsewhere: ['finds numbers as texts', 'tells capitals apart in a search'],
  create: (fault) => new Press(fault),
}
