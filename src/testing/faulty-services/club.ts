import type { JsonObject } from '../../document/json-value.ts'
import { isObject } from '../../validation/objects.ts'
import { answer, body, documentOf, errors, text } from './document-parts.ts'
import type { FaultyService } from './faulty-service.ts'

/** The faults of the club, each with a check that sees it. */
const FAULTS: Readonly<Record<string, string>> = {
  'reads any media type': 'createMember/body/415',
  'a change reads any media type': 'changeMember/body/415',
  'accepts an empty name': 'createMember/name=""',
  'a change accepts any number of points': 'changeMember/points=101',
  'takes an email twice': 'createMember/conflict',
  'ignores If-Match': 'changeMember/if-match',
  'changes although If-Match is outdated': 'changeMember/if-match/kept',
  'refuses the current ETag': 'changeMember/if-match/current',
  'a removal ignores If-Match': 'removeMember/if-match',
  'one ETag for all versions': 'readMember/etag/changeMember',
  'sends what is not modified': 'readMember/if-none-match',
  'links lose the page size': 'listMembers/walk/size',
  'links lose the filter': 'listMembers/level/next',
  'links after the last page': 'listVisits/walk/more',
  'a change sets created_at': 'changeMember/origin',
  'a change sets what never changes': 'changeMember/origin',
  'a change of the level is for all': 'changeMember/others/choices',
  'a change of a switch is not kept': 'changeMember/choices',
  'visits of all members': 'listVisits/parent',
  'others list members': 'listMembers/other-key-list',
  'new members are not listed': 'listMembers/created',
}

const LEVELS = ['bronze', 'silver', 'gold']
const KEYS: Readonly<Record<string, string>> = {
  'Bearer key-of-ann': 'ann',
  'Bearer key-of-bob': 'bob',
}

const inPath = (name: string): object => ({ name, in: 'path', required: true, schema: text })
const inHeader = (name: string): object => ({ name, in: 'header', schema: text })
const sent = {
  name: { type: 'string', minLength: 1, maxLength: 40 },
  email: { type: 'string', format: 'email' },
  level: { type: 'string', enum: LEVELS },
  points: { type: 'integer', minimum: 0, maximum: 100 },
  newsletter: { type: 'boolean' },
}
const created = { type: 'string', format: 'date-time', readOnly: true }
const joined = { ...created, description: 'When the club admitted the member. It never changes.' }
const member = {
  type: 'object',
  required: ['id', 'name', 'email', 'level', 'points', 'newsletter', 'created_at', 'joined_at'],
  properties: { id: { ...text, readOnly: true }, ...sent, created_at: created, joined_at: joined },
}
const visit = {
  type: 'object',
  required: ['id', 'note'],
  properties: { id: { ...text, readOnly: true }, note: { type: 'string', maxLength: 80 } },
}
const page = (items: object): object => ({
  type: 'object',
  required: ['data', 'links', 'total'],
  properties: {
    data: { type: 'array', items },
    links: { type: 'object', properties: { next: { type: ['string', 'null'] } } },
    total: { type: 'integer' },
  },
})
const paging = [
  {
    ...{ name: 'limit', in: 'query' },
    schema: { type: 'integer', minimum: 1, maximum: 10, default: 4 },
  },
  { name: 'cursor', in: 'query', schema: text },
]
const version = { ETag: { required: true, schema: text } }
const changed = { type: 'object', properties: sent, minProperties: 1 }
const note = { type: 'object', required: ['note'], properties: { note: visit.properties.note } }

/** The document of the club. */
const DOCUMENT: JsonObject = documentOf('Club', 'https://club.example/api', {
  '/members': {
    get: {
      operationId: 'listMembers',
      parameters: [...paging, { name: 'level', in: 'query', schema: sent.level }],
      responses: { 200: answer(page(member)), ...errors(401, 422) },
    },
    post: {
      operationId: 'createMember',
      ...body({ type: 'object', required: ['name', 'email', 'level'], properties: sent }),
      responses: { 201: answer(member), ...errors(401, 409, 415, 422) },
    },
  },
  '/members/{memberId}': {
    parameters: [inPath('memberId')],
    get: {
      operationId: 'readMember',
      parameters: [inHeader('If-None-Match')],
      responses: {
        ...{ 200: answer(member, version), 304: { description: 'The same.' } },
        ...errors(401, 404),
      },
    },
    patch: {
      operationId: 'changeMember',
      parameters: [inHeader('If-Match')],
      ...body(changed),
      responses: {
        ...{ 200: answer(member, version) },
        ...errors(401, 404, 409, 412, 415, 422),
      },
    },
    delete: {
      operationId: 'removeMember',
      parameters: [inHeader('If-Match')],
      responses: { 204: { description: 'Gone.' }, ...errors(401, 404, 412) },
    },
  },
  '/members/{memberId}/visits': {
    parameters: [inPath('memberId')],
    get: {
      operationId: 'listVisits',
      parameters: paging,
      responses: { 200: answer(page(visit)), ...errors(401, 404, 422) },
    },
    post: {
      operationId: 'createVisit',
      ...body(note),
      responses: { 201: answer(visit), ...errors(401, 404, 415, 422) },
    },
  },
})

interface Member {
  readonly owner: string
  readonly id: string
  version: number
  value: JsonObject
}

interface Visit {
  readonly member: string
  readonly value: JsonObject
}

/** A club: versions of records with entity tags, lists of several pages that link to the next one, and visits below members. */
class Club {
  readonly #fault: string
  #members: Member[] = []
  #visits: Visit[] = []
  #lastId = 0

  constructor(fault = 'none') {
    this.#fault = fault
    for (let at = 0; at < 25; at += 1) {
      const owner = at % 5 === 4 ? 'bob' : 'ann'
      const { id } = this.#add(owner, {
        ...{ name: `Member ${at}`, email: `member${at}@club.example`, points: at },
        ...{ level: LEVELS[at % 3], newsletter: at % 2 === 0 },
      })
      for (const word of ['swim', 'run', 'rest']) this.#addVisit(id, { note: `${word} ${at}` })
    }
  }

  /** What is stored. */
  get records(): readonly JsonObject[] {
    return [...this.#members, ...this.#visits].map(({ value }) => value)
  }

  async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const [, , name, id, below, ...rest] = url.pathname.split('/')
    const user = KEYS[request.headers.get('Authorization') ?? '']
    if (name !== 'members' || rest.length > 0 || (below ?? 'visits') !== 'visits')
      return refusal(404)
    if (user === undefined) return refusal(401)
    if (id === undefined)
      return request.method === 'GET' ? this.#list(url, user) : await this.#create(request, user)
    const member = this.#members.find((one) => one.id === id && one.owner === user)
    if (!member) return refusal(404)
    if (below !== undefined) return await this.#answerVisits(request, url, member)
    if (request.method === 'PATCH') return await this.#change(request, member)
    return request.method === 'DELETE' ? this.#remove(request, member) : this.#read(request, member)
  }

  #has(fault: string): boolean {
    return this.#fault === fault
  }

  #add(owner: string, given: JsonObject): Member {
    this.#lastId += 1
    const id = `m${this.#lastId}`
    const times = { created_at: now(), joined_at: now() }
    const value = { points: 0, newsletter: false, ...given, id, ...times }
    const member = { owner, id, version: 1, value }
    this.#members.push(member)
    return member
  }

  #addVisit(member: string, given: JsonObject): JsonObject {
    this.#lastId += 1
    const value = { ...given, id: `v${this.#lastId}` }
    this.#visits.push({ member, value })
    return value
  }

  #list(url: URL, user: string): Response {
    const level = url.searchParams.get('level')
    if (level !== null && !LEVELS.includes(level)) return refusal(422)
    const isListed = ({ owner, value }: Member, at: number): boolean =>
      (owner === user || this.#has('others list members')) &&
      (at < 25 || !this.#has('new members are not listed')) &&
      (level === null || value.level === level)
    return this.#page(
      url,
      this.#members.filter(isListed).map(({ value }) => value),
    )
  }

  #page(url: URL, all: readonly JsonObject[]): Response {
    const given = url.searchParams.get('limit') ?? '4'
    const size = Number(given)
    if (!/^\d+$/.test(given) || size < 1 || size > 10) return refusal(422)
    const cursor = url.searchParams.get('cursor')
    const start = cursor === null ? 0 : all.findIndex(({ id }) => id === cursor) + 1
    if (cursor !== null && start === 0) return refusal(422)
    const data = all.slice(start, start + size)
    const hasMore = start + size < all.length || this.#has('links after the last page')
    const next = new URL(url)
    next.searchParams.set('cursor', String(data.at(-1)?.id))
    if (this.#has('links lose the page size')) next.searchParams.delete('limit')
    if (this.#has('links lose the filter')) next.searchParams.delete('level')
    const link = hasMore && data.length > 0 ? next.pathname + next.search : null

    return Response.json({ data, links: { next: link }, total: all.length })
  }

  async #create(request: Request, user: string): Promise<Response> {
    const record = await this.#bodyOf(request, false)
    if (record instanceof Response) return record
    const isTaken = this.#isTaken(record.email)
    if (isTaken && !this.#has('takes an email twice')) return refusal(409)
    return Response.json(this.#add(user, record).value, { status: 201 })
  }

  #isTaken(email: unknown): boolean {
    return this.#members.some(({ value }) => value.email === email)
  }

  #read(request: Request, { version: number, value }: Member): Response {
    const tag = this.#tagOf(number)
    const isSame = request.headers.get('If-None-Match') === tag
    return isSame && !this.#has('sends what is not modified')
      ? new Response(null, { status: 304, headers: { ETag: tag } })
      : Response.json(value, { headers: { ETag: tag } })
  }

  #tagOf(number: number): string {
    return `"${this.#has('one ETag for all versions') ? 1 : number}"`
  }

  /** Whether a request is for another version of a record. */
  #isOutdated(request: Request, member: Member): boolean {
    const wanted = request.headers.get('If-Match')
    if (wanted !== null && this.#has('refuses the current ETag')) return true
    return wanted !== null && wanted !== this.#tagOf(member.version)
  }

  async #change(request: Request, member: Member): Promise<Response> {
    const isOutdated = this.#isOutdated(request, member) && !this.#has('ignores If-Match')
    if (isOutdated && !this.#has('changes although If-Match is outdated')) return refusal(412)
    const part = await this.#bodyOf(request, true)
    if (part instanceof Response) return part
    if (part.email !== member.value.email && this.#isTaken(part.email)) return refusal(409)
    const { newsletter, ...others } = part
    const isKept = !this.#has('a change of a switch is not kept')
    const stored = isKept && newsletter !== undefined ? { ...others, newsletter } : others
    member.version += 1
    member.value = { ...member.value, ...stored }
    if (this.#has('a change sets created_at')) member.value = { ...member.value, created_at: now() }
    if (this.#has('a change sets what never changes'))
      member.value = { ...member.value, joined_at: now() }
    if (this.#has('a change of the level is for all') && part.level !== undefined)
      for (const one of this.#members) one.value = { ...one.value, level: part.level }
    if (isOutdated) return refusal(412)

    return Response.json(member.value, { headers: { ETag: this.#tagOf(member.version) } })
  }

  #remove(request: Request, member: Member): Response {
    if (this.#isOutdated(request, member) && !this.#has('a removal ignores If-Match'))
      return refusal(412)
    this.#members = this.#members.filter((one) => one !== member)
    this.#visits = this.#visits.filter((one) => one.member !== member.id)
    return new Response(null, { status: 204 })
  }

  async #answerVisits(request: Request, url: URL, { id }: Member): Promise<Response> {
    if (request.method === 'GET') {
      const isShown = ({ member }: Visit): boolean =>
        member === id || this.#has('visits of all members')
      return this.#page(
        url,
        this.#visits.filter(isShown).map(({ value }) => value),
      )
    }
    const given = await this.#jsonOf(request, 'reads any media type')
    if (given instanceof Response) return given
    const isValid = typeof given.note === 'string' && [...given.note].length <= 80
    if (!isValid) return refusal(422)
    return Response.json(this.#addVisit(id, { note: given.note }), { status: 201 })
  }

  /** The members that a request has; a response when it has none that the document allows. */
  async #bodyOf(request: Request, isPart: boolean): Promise<JsonObject | Response> {
    const fault = isPart ? 'a change reads any media type' : 'reads any media type'
    const given = await this.#jsonOf(request, fault)
    if (given instanceof Response) return given
    const names = Object.keys(sent).filter((name) => given[name] !== undefined)
    const isMissing = !isPart && ['name', 'email', 'level'].some((one) => given[one] === undefined)
    const isAny = isPart && this.#has('a change accepts any number of points')
    const isAllowed = names.every(
      (name) => isValid(name, given[name]) || (name === 'points' && isAny),
    )
    const isEmpty = given.name === '' && !this.#has('accepts an empty name')
    if (isMissing || !isAllowed || isEmpty || names.length === 0) return refusal(422)
    return Object.fromEntries(names.map((name) => [name, given[name]]))
  }

  async #jsonOf(request: Request, fault: string): Promise<JsonObject | Response> {
    const type = request.headers.get('Content-Type') ?? ''
    if (type !== 'application/json' && !this.#has(fault)) return refusal(415)
    const given: unknown = await request.json().catch(() => undefined)
    return isObject(given) && !Array.isArray(given) ? given : refusal(422)
  }
}

function isValid(name: string, value: unknown): boolean {
  if (name === 'newsletter') return typeof value === 'boolean'
  if (name === 'points')
    return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 100
  if (typeof value !== 'string') return false
  if (name === 'level') return LEVELS.includes(value)
  return name === 'email' ? /^\S+@\S+\.\S+$/.test(value) : [...value].length <= 40
}

let ticks = 0

/** A later moment each time. */
function now(): string {
  ticks += 1
  return new Date(Date.UTC(2026, 2, 1) + ticks * 1000).toISOString()
}

function refusal(status: number): Response {
  return Response.json({ title: 'Refused.' }, { status })
}

export const CLUB: FaultyService = {
  what: 'a service with versions, links to pages and records below others',
  base: 'https://club.example/api',
  options: { key: 'key-of-ann', otherKey: 'key-of-bob', writes: true },
  document: DOCUMENT,
  faults: FAULTS,
  seenElsewhere: ['links lose the page size', 'links after the last page'],
  create: (fault) => new Club(fault),
}
