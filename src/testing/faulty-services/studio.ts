import type { JsonObject } from '../../document/json-value.ts'
import { isObject } from '../../validation/objects.ts'
import { body, documentOf, inPath, json, objectOf, readOnly } from './document-parts.ts'
import { startsWithDay } from './faults.ts'
import type { FaultyService } from './faulty-service.ts'

/** The faults of the studio, each with a check that sees it. */
const FAULTS: Readonly<Record<string, string>> = {
  'loses the contact of new shows': 'createShow/full/values',
  'takes 30 February for a day': 'createShow/launched_on="2026-02-30"',
  'shortens texts in lists': 'readShow/listed/same',
  'counts no episodes in lists of shows': 'readShow/listed/same',
  'lists shows with several episodes twice': 'listShows/once',
  'counts all shows in the total of a filtered list': 'listShows/language=en/total',
  'has no empty lists': 'listEpisodes/new-parent',
  'resets what a change does not name': 'changeShow/kept',
  'forgets the hotline in a change': 'changeShow/kept/forms',
  'keeps a text that a change empties': 'changeShow/emptied',
  'takes the reference of another show in a change': 'changeShow/conflict',
  'takes a show for another one': 'replaceShow/conflict/own',
  'lets other keys replace shows': 'replaceShow/other-key',
  'refuses the longest brand': 'createSponsor/accepts/brand',
  'takes a text of digits for a number': 'createEpisode/minutes-as-a-text',
  'keeps the episodes of removed shows': 'readEpisode/below/removeShow',
  'archives nothing': 'archiveEpisode/effect',
  'archives drafts': 'archiveEpisode/stated/status=draft',
}

const number = { type: 'integer', minimum: 1, maximum: 1_000_000 }
/** An optional property as some frameworks write it. */
const optional = (schema: object): object => ({ anyOf: [schema, { type: 'null' }] })
const answers = (status: number, schema: object | undefined, ...errors: number[]): object => ({
  responses: {
    [status]: { description: 'Done.', ...(schema && json(schema)) },
    ...Object.fromEntries([401, ...errors].map((one) => [one, { description: 'No.' }])),
  },
})

const HOTLINE = /^\+[0-9]{6,15}$/
const LANGUAGES = ['en', 'fr', 'cs']
const own = {
  title: { type: 'string', minLength: 1, maxLength: 80 },
  reference: {
    ...{ type: 'string', pattern: '^[A-Z]{3}-[0-9]{4}$' },
    description: 'Unique among your shows.',
  },
  language: { type: 'string', enum: LANGUAGES },
  summary: { type: 'string', maxLength: 400 },
  launched_on: optional({ type: 'string', format: 'date' }),
  contact: optional({ type: 'string', maxLength: 60 }),
  hotline: { ...optional({ type: 'string', pattern: HOTLINE.source }), default: null },
  sponsor_id: optional(number),
}
const SHOW = objectOf(
  {
    ...{ id: readOnly(number), episodes: readOnly({ type: 'integer', minimum: 0 }), ...own },
  },
  ['id', 'episodes', ...Object.keys(own)],
)
const SENT = objectOf(own, ['title', 'reference', 'language'])
const sponsor = {
  name: own.title,
  brand: { type: 'string', maxLength: 20, description: 'Unique identifier of the brand.' },
}
const SPONSOR = objectOf({ id: readOnly(number), ...sponsor }, ['id', 'name', 'brand'])
const STATES = ['draft', 'live', 'archived']
const episode = { title: own.title, minutes: { type: 'integer', minimum: 0, maximum: 600 } }
const EPISODE = objectOf(
  {
    ...{ id: readOnly(number), show_id: readOnly(number), ...episode },
    status: readOnly({ type: 'string', enum: STATES }),
  },
  ['id', 'show_id', 'title', 'minutes', 'status'],
)
const action = (operationId: string, description: string): object => ({
  ...inPath(number, 'episode_id'),
  post: { operationId, description, ...answers(200, EPISODE, 404, 409) },
})

/** The document of the studio. */
const DOCUMENT: JsonObject = documentOf('Studio', 'https://studio.example', {
  '/sponsors': {
    get: { operationId: 'listSponsors', ...answers(200, { type: 'array', items: SPONSOR }) },
    post: {
      operationId: 'createSponsor',
      ...body(objectOf(sponsor, ['name', 'brand'])),
      ...answers(201, SPONSOR, 409, 422),
    },
  },
  '/sponsors/{sponsor_id}': {
    ...inPath(number, 'sponsor_id'),
    get: { operationId: 'readSponsor', ...answers(200, SPONSOR, 404) },
  },
  '/shows': {
    get: {
      operationId: 'listShows',
      parameters: [
        { name: 'language', in: 'query', schema: optional({ type: 'string', enum: LANGUAGES }) },
      ],
      responses: {
        200: {
          description: 'The shows that match.',
          headers: { 'X-Total-Count': { required: true, schema: { type: 'integer' } } },
          ...json({ type: 'array', items: SHOW }),
        },
        401: { description: 'No.' },
        422: { description: 'No.' },
      },
    },
    post: { operationId: 'createShow', ...body(SENT), ...answers(201, SHOW, 409, 422) },
  },
  '/shows/{show_id}': {
    ...inPath(number, 'show_id'),
    get: { operationId: 'readShow', ...answers(200, SHOW, 404) },
    put: { operationId: 'replaceShow', ...body(SENT), ...answers(200, SHOW, 404, 409, 422) },
    patch: {
      operationId: 'changeShow',
      ...body(objectOf(own)),
      ...answers(200, SHOW, 404, 409, 422),
    },
    delete: {
      ...{ operationId: 'removeShow', description: 'Removes a show with all its episodes.' },
      ...answers(204, undefined, 404),
    },
  },
  '/shows/{show_id}/episodes': {
    ...inPath(number, 'show_id'),
    get: { operationId: 'listEpisodes', ...answers(200, { type: 'array', items: EPISODE }, 404) },
    post: {
      operationId: 'createEpisode',
      ...body(objectOf(episode, ['title'])),
      ...answers(201, EPISODE, 404, 422),
    },
  },
  '/episodes/{episode_id}': {
    ...inPath(number, 'episode_id'),
    get: { operationId: 'readEpisode', ...answers(200, EPISODE, 404) },
  },
  '/episodes/{episode_id}/publish': action(
    'publishEpisode',
    'Sets the status `live`. Answers 409 unless the episode is a draft.',
  ),
  '/episodes/{episode_id}/archive': action(
    'archiveEpisode',
    'Sets the status `archived`. Answers 409 unless the episode is live.',
  ),
})

const OWNERS: Readonly<Record<string, string>> = {
  'Bearer key-of-ann': 'ann',
  'Bearer key-of-ben': 'ben',
}

type Stored = Record<string, unknown> & { readonly id: number; readonly owner: string }

/** Shows with optional properties that may be null, and episodes whose state comes from actions. */
class Studio {
  readonly #fault: string
  readonly #shows: Stored[] = []
  #episodes: Stored[] = []
  readonly #sponsors: Stored[] = []
  #lastId = 40

  constructor(fault = 'none') {
    this.#fault = fault
    for (const owner of ['ann', 'ben'])
      for (const [at, language] of ['en', 'fr', 'en'].entries()) {
        const reference = `${owner.toUpperCase()}-000${at}`
        const summary = 'Stories of people who build things, and of what became of them.'
        const name = `Sponsor ${at} of ${owner}`
        this.#sponsors.push({ id: this.#newId(), owner, name, brand: 'hop' })
        this.#shows.push({
          ...{ id: this.#newId(), owner, title: `Show ${at} of ${owner}`, reference, language },
          ...{ summary, launched_on: null, contact: null, hotline: null, sponsor_id: null },
        })
        const ofShow = { owner, show_id: this.#lastId, title: 'First', minutes: 30 }
        if (at === 0) this.#episodes.push({ id: this.#newId(), ...ofShow, status: 'draft' })
      }
  }

  get records(): readonly unknown[] {
    return [...this.#shows, ...this.#episodes, ...this.#sponsors]
  }

  #has(fault: string): boolean {
    return this.#fault === fault
  }

  #newId(): number {
    this.#lastId += 1
    return this.#lastId
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const [, name = '', id, below] = pathname.split('/')
    const owner = OWNERS[request.headers.get('Authorization') ?? '']
    if (owner === undefined) return refusal(401)
    const given: unknown = await request.json().catch(() => undefined)
    const sent = isObject(given) && !Array.isArray(given) ? given : undefined
    const isAction = below !== undefined && name === 'episodes'
    const needsBody = /^(POST|PUT|PATCH)$/.test(request.method) && !isAction
    if (needsBody && !sent) return refusal(422)
    if (id === undefined)
      return name === 'sponsors'
        ? this.#answerSponsors(owner, sent)
        : this.#answerShows(owner, sent, searchParams)
    const found = this.#find(name, id, owner, request.method)
    if (!found) return refusal(isWhole(Number(id)) ? 404 : 422)
    return isAction ? this.#act(found, below) : this.#answerItem(request.method, found, sent, below)
  }

  #answerItem(
    method: string,
    found: Stored,
    sent: JsonObject | undefined,
    below: string | undefined,
  ): Response {
    if (below === 'episodes') return this.#answerEpisodes(found, sent)
    if (method !== 'GET') return this.#changeShow(method, found, sent ?? {})
    return shown(this.#shows.includes(found) ? this.#counted(found) : found)
  }

  /** A show with the number of its episodes. */
  #counted(show: Stored): Stored {
    return { ...show, episodes: this.#episodes.filter((one) => one.show_id === show.id).length }
  }

  #find(name: string, id: string, owner: string, method: string): Stored | undefined {
    const isOpen = this.#has('lets other keys replace shows') && method === 'PUT'
    const all = { shows: this.#shows, episodes: this.#episodes, sponsors: this.#sponsors }[name]
    return all?.find((one) => String(one.id) === id && (isOpen || one.owner === owner))
  }

  #answerSponsors(owner: string, sent: JsonObject | undefined): Response {
    if (!sent) return shown(this.#sponsors.filter((one) => one.owner === owner))
    if (!isText(sent.name, 80, 1) || !isText(sent.brand, 20)) return refusal(422)
    const isLong = sent.brand.length === 20 && this.#has('refuses the longest brand')
    if (isLong) return Response.json({ error: 'The brand is too long.' }, { status: 422 })
    const created = { id: this.#newId(), owner, name: sent.name, brand: sent.brand }
    this.#sponsors.push(created)
    return shown(created, 201)
  }

  #answerShows(owner: string, sent: JsonObject | undefined, query: URLSearchParams): Response {
    return sent ? this.#create(owner, sent) : this.#list(owner, query)
  }

  #list(owner: string, query: URLSearchParams): Response {
    const language = query.get('language')
    if (language !== null && !LANGUAGES.includes(language)) return refusal(422)
    const own = this.#shows.filter((one) => one.owner === owner)
    const found = own.filter((one) => language === null || one.language === language)
    const isShort = this.#has('shortens texts in lists')
    const isTwice = (show: Stored): boolean =>
      this.#has('lists shows with several episodes twice') &&
      this.#episodes.filter((one) => one.show_id === show.id).length > 1
    const listed = found
      .map((one) =>
        this.#has('counts no episodes in lists of shows')
          ? { ...one, episodes: 0 }
          : this.#counted(one),
      )
      .map((one) => (isShort ? { ...one, summary: String(one.summary).slice(0, 12) } : one))
      .flatMap((one) => (isTwice(one) ? [one, one] : [one]))
    const counted = this.#has('counts all shows in the total of a filtered list') ? own : listed
    const response = shown(listed)
    response.headers.set('X-Total-Count', String(counted.length))
    return response
  }

  /** The status with which values are refused. */
  #refusal(values: JsonObject, owner: string, self?: Stored): number | undefined {
    const { title, reference, language, summary, launched_on: day, contact, sponsor_id } = values
    const { hotline } = values
    const isKnown = (id: unknown): boolean =>
      this.#sponsors.some((one) => one.id === id && one.owner === owner)
    const isValid =
      isText(title, 80, 1) &&
      /^[A-Z]{3}-[0-9]{4}$/.test(String(reference)) &&
      LANGUAGES.includes(String(language)) &&
      isText(summary, 400) &&
      (day === null || isDay(day, this.#has('takes 30 February for a day'))) &&
      (contact === null || isText(contact, 60)) &&
      (hotline === null || (typeof hotline === 'string' && HOTLINE.test(hotline))) &&
      (sponsor_id === null || isKnown(sponsor_id))
    if (!isValid) return 422
    const isTaken = this.#shows.some(
      (one) => one.owner === owner && one !== self && one.reference === reference,
    )
    return isTaken ? 409 : undefined
  }

  #create(owner: string, sent: JsonObject): Response {
    const values = { ...DEFAULTS, ...sent }
    const refused = this.#refusal(values, owner)
    if (refused !== undefined) return refusal(refused)
    const isLost = this.#has('loses the contact of new shows')
    const created = { ...kept(values), ...(isLost && { contact: null }), id: this.#newId(), owner }
    this.#shows.push(created)
    return shown(this.#counted(created), 201)
  }

  #changeShow(method: string, show: Stored, sent: JsonObject): Response {
    if (method === 'DELETE') {
      this.#shows.splice(this.#shows.indexOf(show), 1)
      if (!this.#has('keeps the episodes of removed shows'))
        this.#episodes = this.#episodes.filter((one) => one.show_id !== show.id)
      return new Response(null, { status: 204 })
    }
    const before =
      method === 'PUT'
        ? DEFAULTS
        : { ...show, ...(this.#has('resets what a change does not name') && DEFAULTS) }
    const isEmpty = this.#has('keeps a text that a change empties') && sent.summary === ''
    const isForgotten = this.#has('forgets the hotline in a change') && method === 'PATCH'
    const values = {
      ...before,
      ...(isForgotten && { hotline: null }),
      ...sent,
      ...(isEmpty && { summary: show.summary }),
    } as JsonObject
    const isAnother = this.#has('takes a show for another one') && method === 'PUT'
    const refused = this.#refusal(values, show.owner, isAnother ? undefined : show)
    const isTaken =
      this.#has('takes the reference of another show in a change') && method === 'PATCH'
    if (refused !== undefined && !(refused === 409 && isTaken)) return refusal(refused)
    Object.assign(show, kept(values))
    return shown(this.#counted(show))
  }

  #answerEpisodes(show: Stored, sent: JsonObject | undefined): Response {
    const own = this.#episodes.filter((one) => one.show_id === show.id)
    if (!sent) {
      const isNone = this.#has('has no empty lists') && own.length === 0
      return isNone ? refusal(404) : shown(own)
    }
    const { title, minutes: given = 0 } = sent
    const isNumber = typeof given === 'number' || this.#has('takes a text of digits for a number')
    const minutes = isNumber ? Number(given) : Number.NaN
    const isCount = Number.isInteger(minutes) && minutes >= 0 && minutes <= 600
    if (!isText(title, 80, 1) || !isCount) return refusal(422)
    const created = {
      ...{ id: this.#newId(), owner: show.owner, show_id: show.id },
      ...{ title, minutes, status: 'draft' },
    }
    this.#episodes.push(created)
    return shown(created, 201)
  }

  #act(episode: Stored, action: string): Response {
    const needed = action === 'publish' ? 'draft' : 'live'
    const isOpen = this.#has('archives drafts') && episode.status === 'draft'
    if (episode.status !== needed && !(isOpen && action === 'archive')) return refusal(409)
    if (action === 'publish') episode.status = 'live'
    else if (!this.#has('archives nothing')) episode.status = 'archived'
    return shown(episode)
  }
}

const DEFAULTS = {
  ...{ summary: '', launched_on: null, contact: null },
  ...{ hotline: null, sponsor_id: null },
}

/** What a show keeps of what is sent. */
function kept(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(own).map((name) => [name, values[name]])) as JsonObject
}

function refusal(status: number): Response {
  return new Response(null, { status })
}

function shown(value: object, status = 200): Response {
  const without = ({ owner: _, ...values }: Record<string, unknown>): object => values
  return Response.json(Array.isArray(value) ? value.map(without) : without({ ...value }), {
    status,
  })
}

function isText(value: unknown, most: number, least = 0): value is string {
  return typeof value === 'string' && [...value].length >= least && [...value].length <= most
}

function isWhole(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 1_000_000
}

function isDay(value: unknown, isLax: boolean): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return false
  return startsWithDay(value) || isLax
}

export const STUDIO: FaultyService = {
  what: 'a service whose optional properties may be null',
  base: 'https://studio.example',
  options: { key: 'key-of-ann', otherKey: 'key-of-ben', writes: true },
  document: DOCUMENT,
  faults: FAULTS,
  seenElsewhere: ['lists shows with several episodes twice'],
  create: (fault) => new Studio(fault),
}
