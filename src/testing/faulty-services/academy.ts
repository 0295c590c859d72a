import type { JsonObject } from '../../document/json-value.ts'
import { isObject } from '../../validation/objects.ts'
import { body, documentOf, inPath, inQuery, json, text } from './document-parts.ts'
import { startsWithDay } from './faults.ts'
import type { FaultyService } from './faulty-service.ts'

/** The faults of the academy, each with a check that sees it. */
const FAULTS: Readonly<Record<string, string>> = {
  'takes lessons for drafts': 'createLesson/stated/status=draft',
  'archives drafts': 'archiveCourse/stated/status=draft',
  'archives twice': 'archiveCourse/stated/status=archived',
  'lists archived courses by default': 'listCourses/state/default',
  'takes has_lessons=false for true': 'listCourses/has_lessons/both',
  'sorts each page by itself': 'listCourses/sort=title/pages',
  'leaves out the day of the limit': 'listCourses/until=…/fits',
  'keeps no locale': 'readSettings/after/changeSettings',
  'shows access codes': 'readCourse/write-only',
  'sends problems as plain JSON': 'createCourse/422/type',
  'does not clear the room': 'changeCourse/cleared',
  'takes 13 credits in a change': 'changeCourse/credits=13',
  'publishes without a new version': 'publishCourse/version',
  'unpins nothing': 'unpinCourse/undone',
  'counts no removal': 'readCourse/lesson_count/removeLesson',
  'leaves out the extra hours': 'readCourse/derived',
  'takes any course before': 'createCourse/stated/previous_id',
  'ends before it starts': 'createCourse/stated/ends_on/order',
  'reads archived courses as finished': 'readCourse/200/body',
  'resets the level': 'changeCourse/kept',
  'has 20 seats by default': 'createCourse/defaults/seats',
  'begins in the future': 'createCourse/stated/founded_on',
  'says that there is more': 'listCourses/walk/full',
  'ignores small': 'listCourses/small/both',
  'changes to an end before the start': 'changeCourse/stated/ends_on/order',
  'changes to a start after the end': 'changeCourse/stated/starts_on/order',
  'changes the room of all courses': 'changeCourse/others',
}

const problem = {
  type: 'object',
  required: ['title'],
  properties: { title: text, detail: text },
}
const answers = (status: number, schema: object | undefined, ...errors: number[]): object => ({
  responses: {
    [status]: { description: 'Done.', ...(schema && json(schema)) },
    ...Object.fromEntries(
      errors.map((one) => [
        one,
        { description: 'No.', content: { 'application/problem+json': { schema: problem } } },
      ]),
    ),
  },
})
const sent = {
  title: { type: 'string', minLength: 1, maxLength: 80 },
  room: { type: ['string', 'null'], maxLength: 40 },
  level: { type: 'string', enum: ['first', 'second'], default: 'first' },
  credits: { type: 'integer', minimum: 1, maximum: 12 },
  hours: { type: 'integer', minimum: 1, maximum: 500 },
  extra_hours: { type: 'integer', minimum: 0, maximum: 500 },
  starts_on: { type: 'string', format: 'date' },
  ends_on: {
    type: 'string',
    format: 'date',
    description: 'It must be later than starts_on (422).',
  },
}
const onlyNew = {
  seats: {
    ...{ type: 'integer', minimum: 1, maximum: 500 },
    description: 'When it is not given, the `default_seats` of the settings is used.',
  },
  founded_on: {
    ...{ type: 'string', format: 'date', writeOnly: true },
    description: 'A day in the future is answered with 422.',
  },
  previous_id: { type: 'string', description: 'It must be the id of a course, otherwise 422.' },
  access_code: { type: 'string', maxLength: 20, writeOnly: true },
}
const readOnly = {
  id: { ...text, readOnly: true },
  status: { type: 'string', enum: ['draft', 'published', 'archived', 'c++ (?)'], readOnly: true },
  version: { type: 'integer', readOnly: true, description: 'Grows with each change.' },
  lesson_count: { type: 'integer', readOnly: true },
  total_hours: { type: 'integer', readOnly: true, description: 'Hours plus extra hours.' },
  pin: { type: ['string', 'null'], readOnly: true },
}
const course = {
  type: 'object',
  required: ['id', 'title', 'status', 'version'],
  properties: { ...readOnly, ...sent, ...onlyNew },
}
const lesson = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { ...text, readOnly: true }, name: { type: 'string', maxLength: 80 } },
}
const settings = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    locale: { type: 'string', enum: ['en', 'de', 'fr'] },
    default_seats: { type: 'integer', minimum: 1, maximum: 500 },
  },
}
const list = (items: object): object => ({
  type: 'object',
  required: ['items', 'total'],
  properties: {
    items: { type: 'array', items },
    total: { type: 'integer' },
    has_more: { type: 'boolean' },
  },
})
const pages = [
  inQuery('page', { type: 'integer', minimum: 1, default: 1 }),
  inQuery('size', { type: 'integer', minimum: 1, maximum: 100, default: 10 }),
]
const action = (operationId: string, description: string, needs?: object): object => ({
  post: {
    ...{ operationId, description, ...(needs && body(needs)) },
    ...answers(200, course, 401, 404, 409, ...(needs ? [422] : [])),
  },
})

/** The document of the academy. */
const DOCUMENT: JsonObject = documentOf('Academy', 'https://academy.example', {
  '/courses': {
    get: {
      operationId: 'listCourses',
      parameters: [
        ...pages,
        inQuery('state', {
          type: 'string',
          enum: ['current', 'archived', 'all'],
          default: 'current',
        }),
        inQuery('has_lessons', { type: 'boolean' }),
        inQuery(
          'small',
          { type: 'boolean' },
          'With true only courses with fewer than 600 seats, with false only the others.',
        ),
        inQuery(
          'until',
          { type: 'string', format: 'date' },
          'Courses that start on this day or earlier.',
        ),
        inQuery('sort', { type: 'string', enum: ['title', '-title'] }),
      ],
      'x-sandbox': { filters: { until: { property: 'starts_on', is: 'to' } } },
      ...answers(200, list(course), 401, 422),
    },
    post: {
      operationId: 'createCourse',
      ...body({
        type: 'object',
        required: ['title', 'credits', 'hours', 'starts_on', 'ends_on'],
        properties: { ...sent, ...onlyNew },
      }),
      ...answers(201, course, 401, 422),
    },
  },
  '/courses/{courseId}': {
    ...inPath(text, 'courseId'),
    get: { operationId: 'readCourse', ...answers(200, course, 401, 404) },
    patch: {
      operationId: 'changeCourse',
      description: 'Answers 409 if a published course still has a pin.',
      ...body({ type: 'object', properties: sent, minProperties: 1 }),
      ...answers(200, course, 401, 404, 409, 422),
    },
    delete: { operationId: 'removeCourse', ...answers(204, undefined, 401, 404) },
  },
  '/courses/{courseId}/publish': {
    ...inPath(text, 'courseId'),
    ...action('publishCourse', 'Publishes a draft course (otherwise 409).'),
  },
  '/courses/{courseId}/archive': {
    ...inPath(text, 'courseId'),
    ...action('archiveCourse', 'Only published courses can be archived.', {
      type: 'object',
      required: ['reason'],
      properties: { reason: { type: 'string', minLength: 1 } },
    }),
  },
  '/courses/{courseId}/pin': {
    ...inPath(text, 'courseId'),
    put: {
      operationId: 'pinCourse',
      ...body({ type: 'object', required: ['note'], properties: { note: text } }),
      ...answers(200, course, 401, 404, 422),
    },
    delete: { operationId: 'unpinCourse', ...answers(204, undefined, 401, 404) },
  },
  '/courses/{courseId}/lessons': {
    ...inPath(text, 'courseId'),
    get: { operationId: 'listLessons', ...answers(200, list(lesson), 401, 404) },
    post: {
      operationId: 'createLesson',
      description:
        'Lessons can be added to published ones only; in another state the answer is 409 (not_published).',
      ...body({
        type: 'object',
        required: ['name'],
        properties: { name: lesson.properties.name },
      }),
      ...answers(201, lesson, 401, 404, 409, 422),
    },
  },
  '/courses/{courseId}/lessons/{lessonId}': {
    ...inPath(text, 'courseId', 'lessonId'),
    delete: { operationId: 'removeLesson', ...answers(204, undefined, 401, 404) },
  },
  '/settings': {
    get: { operationId: 'readSettings', ...answers(200, settings, 401) },
    patch: {
      operationId: 'changeSettings',
      ...body({ ...settings, minProperties: 1 }),
      ...answers(200, settings, 401, 422),
    },
  },
})

/** Courses that are published before they have lessons, and rules that only descriptions state. */
class Academy {
  readonly #fault: string
  #courses: Record<string, JsonObject> = {}
  #lessons: Record<string, readonly JsonObject[]> = {}
  #settings: JsonObject = { name: 'Academy', locale: 'en', default_seats: 20 }
  #lastId = 0

  constructor(fault = 'none') {
    this.#fault = fault
    for (let at = 0; at < 12; at += 1) {
      const day = String(1 + at).padStart(2, '0')
      const status = ['draft', 'published', 'archived'][at % 3]
      const given = { title: `Course ${(at * 7) % 12}`, room: null, credits: 1 + at, hours: 10 }
      const dates = { starts_on: `2026-03-${day}`, ends_on: `2026-06-${day}` }
      const { id } = this.#add({ ...given, ...dates, extra_hours: at })
      this.#set(String(id), { status })
      if (at % 2 > 0 && status === 'published')
        this.#lessons[String(id)] = [{ id: `l${at}`, name: 'One' }]
    }
  }

  get records(): readonly unknown[] {
    return [...Object.values(this.#courses), ...Object.values(this.#lessons), this.#settings]
  }

  #has(fault: string): boolean {
    return this.#fault === fault
  }

  #add(given: JsonObject): JsonObject {
    this.#lastId += 1
    const id = `c${this.#lastId}`
    const value = {
      extra_hours: 0,
      room: null,
      level: 'first',
      seats: this.#has('has 20 seats by default') ? 20 : this.#settings.default_seats,
      ...given,
      id,
      status: 'draft',
      version: 1,
      pin: null,
    }
    this.#courses[id] = value
    this.#lessons[id] = []
    return value
  }

  #set(id: string, values: JsonObject): void {
    this.#courses[id] = { ...this.#courses[id], ...values }
  }

  /** A course as responses show it. */
  #shown(id: string): JsonObject {
    const { access_code: code, founded_on: _day, ...value } = this.#courses[id] ?? {}
    const extra = this.#has('leaves out the extra hours') ? 0 : Number(value.extra_hours)
    const count = this.#lessons[id]?.length ?? 0
    return {
      ...value,
      ...(this.#has('shows access codes') && { access_code: code ?? 'verify me' }),
      lesson_count: count + Number(value.removed ?? 0),
      total_hours: Number(value.hours) + extra,
    }
  }

  async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const [, name, id, below, inner] = url.pathname.split('/')
    if (request.headers.get('Authorization') !== 'Bearer key-of-ann') return this.#refusal(401)
    const given: unknown = await request.json().catch(() => undefined)
    const sentBody = isObject(given) && !Array.isArray(given) ? given : undefined
    if (name === 'settings') return this.#answerSettings(request, sentBody)
    if (name !== 'courses') return this.#refusal(404)
    if (id === undefined) return request.method === 'GET' ? this.#list(url) : this.#create(sentBody)
    const found = this.#courses[id]
    if (!found) return this.#refusal(404)
    if (below === undefined) return this.#answerCourse(request, id, sentBody)
    if (below === 'lessons') return this.#answerLessons(request, id, inner, sentBody)
    if (below === 'pin') return this.#pin(request, id, sentBody)
    if (below === 'archive' && (typeof sentBody?.reason !== 'string' || sentBody.reason === ''))
      return this.#refusal(422)
    return this.#act(id, below)
  }

  #refusal(status: number): Response {
    const isPlain = this.#has('sends problems as plain JSON') && status === 422
    const type = isPlain ? 'application/json' : 'application/problem+json'
    return new Response('{"title":"No"}', { status, headers: { 'Content-Type': type } })
  }

  #isValid(value: JsonObject, isPart: boolean): boolean {
    const properties: Readonly<Record<string, object>> = { ...sent, ...(!isPart && onlyNew) }
    const isFreeOfCredits = isPart && this.#has('takes 13 credits in a change')
    return Object.entries(value).every(([name, one]) => {
      if (!(name in properties)) return true
      if (name === 'credits' && isFreeOfCredits) return Number.isInteger(one)
      return fits(one, properties[name] ?? {})
    })
  }

  #create(given: JsonObject | undefined): Response {
    const required = ['title', 'credits', 'hours', 'starts_on', 'ends_on']
    if (!given || required.some((one) => given[one] === undefined) || !this.#isValid(given, false))
      return this.#refusal(422)
    const isOrdered = String(given.ends_on) > String(given.starts_on)
    if (!isOrdered && !this.#has('ends before it starts')) return this.#refusal(422)
    const isLater = String(given.founded_on ?? '') > new Date().toISOString()
    if (isLater && !this.#has('begins in the future')) return this.#refusal(422)
    const { previous_id: previous } = given
    const isKnown = previous === undefined || String(previous) in this.#courses
    if (!isKnown && !this.#has('takes any course before')) return this.#refusal(422)
    const names = new Set(Object.keys({ ...sent, ...onlyNew }))
    const own = Object.entries(given).filter(([one]) => names.has(one))
    const { id } = this.#add(Object.fromEntries(own))

    return Response.json(this.#shown(String(id)), { status: 201 })
  }

  #answerCourse(request: Request, id: string, given: JsonObject | undefined): Response {
    if (request.method === 'DELETE') {
      delete this.#courses[id]
      return new Response(null, { status: 204 })
    }
    const shown = this.#shown(id)
    const isWrong = this.#has('reads archived courses as finished') && shown.status === 'archived'
    if (request.method === 'GET')
      return Response.json(isWrong ? { ...shown, status: 'finished' } : shown)
    if (!given || Object.keys(given).length === 0 || !this.#isValid(given, true))
      return this.#refusal(422)
    if (given.room === null && this.#has('does not clear the room')) return this.#refusal(422)
    if (shown.status === 'published' && shown.pin !== null) return this.#refusal(409)
    if (!this.#isInOrder(id, given)) return this.#refusal(422)
    const known = Object.fromEntries(Object.entries(given).filter(([one]) => one in sent))
    this.#change(id, known)

    return Response.json(this.#shown(id))
  }

  #isInOrder(id: string, given: JsonObject): boolean {
    const next = { ...this.#courses[id], ...given }
    const isOpen =
      ('ends_on' in given && this.#has('changes to an end before the start')) ||
      ('starts_on' in given && this.#has('changes to a start after the end'))
    return String(next.ends_on) > String(next.starts_on) || isOpen
  }

  #change(id: string, known: JsonObject): void {
    const { level, version } = this.#courses[id] ?? {}
    const kept = this.#has('resets the level') ? 'first' : level
    this.#set(id, { level: kept, ...known, version: Number(version) + 1 })
    if ('room' in known && this.#has('changes the room of all courses'))
      for (const one of Object.keys(this.#courses)) this.#set(one, { room: known.room })
  }

  #act(id: string, word: string): Response {
    const status = this.#courses[id]?.status
    const isPublish = word === 'publish'
    const mayArchive =
      status === 'published' ||
      (status === 'draft' && this.#has('archives drafts')) ||
      (status === 'archived' && this.#has('archives twice'))
    if (isPublish ? status !== 'draft' : !mayArchive) return this.#refusal(409)
    const isNew = !(isPublish && this.#has('publishes without a new version'))
    const version = Number(this.#courses[id]?.version) + (isNew ? 1 : 0)
    this.#set(id, { status: isPublish ? 'published' : 'archived', version })

    return Response.json(this.#shown(id))
  }

  #pin(request: Request, id: string, given: JsonObject | undefined): Response {
    const version = Number(this.#courses[id]?.version) + 1
    if (request.method === 'PUT') {
      if (typeof given?.note !== 'string') return this.#refusal(422)
      this.#set(id, { pin: given.note, version })
      return Response.json(this.#shown(id))
    }
    if (!this.#has('unpins nothing')) this.#set(id, { pin: null, version })
    return new Response(null, { status: 204 })
  }

  #answerLessons(
    request: Request,
    id: string,
    inner: string | undefined,
    given: JsonObject | undefined,
  ): Response {
    const all = this.#lessons[id] ?? []
    if (request.method === 'GET') return Response.json({ items: all, total: all.length })
    if (request.method === 'DELETE') {
      if (all.every((one) => one.id !== inner)) return this.#refusal(404)
      this.#lessons[id] = all.filter((one) => one.id !== inner)
      const removed = Number(this.#courses[id]?.removed ?? 0) + 1
      if (this.#has('counts no removal')) this.#set(id, { removed })
      return new Response(null, { status: 204 })
    }
    const name = given?.name
    if (typeof name !== 'string' || name.length > 80) return this.#refusal(422)
    const status = this.#courses[id]?.status
    const isOpen = status === 'draft' && this.#has('takes lessons for drafts')
    if (status !== 'published' && !isOpen) return this.#refusal(409)
    this.#lastId += 1
    const lesson = { id: `l${this.#lastId}`, name }
    this.#lessons[id] = [...all, lesson]

    return Response.json(lesson, { status: 201 })
  }

  #answerSettings(request: Request, given: JsonObject | undefined): Response {
    if (request.method === 'GET') return Response.json(this.#settings)
    const isValid =
      given !== undefined &&
      Object.keys(given).length > 0 &&
      Object.entries(given).every(
        ([name, one]) =>
          !(name in settings.properties) || fits(one, settings.properties[name as 'locale']),
      )
    if (!isValid) return this.#refusal(422)
    const { locale, ...others } = given
    const isKept = locale !== undefined && !this.#has('keeps no locale')
    this.#settings = { ...this.#settings, ...others, ...(isKept && { locale }) }

    return Response.json({ ...this.#settings, ...given })
  }

  #list(url: URL): Response {
    const query = Object.fromEntries(url.searchParams)
    const [page, size] = [Number(query.page ?? 1), Number(query.size ?? 10)]
    const isKnown = (name: string, values: readonly string[]): boolean =>
      query[name] === undefined || values.includes(query[name])
    const isValid =
      [page, size].every((one) => Number.isInteger(one) && one > 0) &&
      size <= 100 &&
      isKnown('state', ['current', 'archived', 'all']) &&
      isKnown('has_lessons', ['true', 'false']) &&
      isKnown('small', ['true', 'false']) &&
      isKnown('sort', ['title', '-title']) &&
      (query.until === undefined || fits(query.until, sent.starts_on))
    if (!isValid) return this.#refusal(422)
    const all = this.#selected(query)
    const sign = query.sort === '-title' ? -1 : 1
    const sorted = (courses: readonly JsonObject[]): readonly JsonObject[] =>
      query.sort === undefined
        ? courses
        : [...courses].sort((a, b) => sign * (String(a.title) < String(b.title) ? -1 : 1))
    const start = (page - 1) * size
    const items = this.#has('sorts each page by itself')
      ? sorted(all.slice(start, start + size))
      : sorted(all).slice(start, start + size)

    const isEnd = start + size >= all.length
    const isFull = items.length === size && this.#has('says that there is more')
    return Response.json({ items, total: all.length, has_more: !isEnd || isFull })
  }

  #selected(query: Readonly<Record<string, string>>): readonly JsonObject[] {
    const preset = this.#has('lists archived courses by default') ? 'all' : 'current'
    const { state = preset, has_lessons: hasLessons, until } = query
    const wanted = hasLessons === 'true' || this.#has('takes has_lessons=false for true')
    const isUntil = (day: string): boolean =>
      until === undefined ||
      day < until ||
      (day === until && !this.#has('leaves out the day of the limit'))
    return Object.keys(this.#courses)
      .map((id) => this.#shown(id))
      .filter(({ status }) => state === 'all' || (status === 'archived') === (state === 'archived'))
      .filter((one) => hasLessons === undefined || Number(one.lesson_count) > 0 === wanted)
      .filter((one) => isUntil(String(one.starts_on)))
      .filter(() => query.small !== 'false' || this.#has('ignores small'))
  }
}

/** Whether a value has the form of a simple schema. */
function fits(value: unknown, schema: object): boolean {
  const {
    type,
    minimum = -Infinity,
    maximum = Infinity,
    ...rest
  } = {
    ...{ minLength: 0, maxLength: 1000 },
    ...(schema as {
      readonly type: string | readonly string[]
      readonly minimum?: number
      readonly maximum?: number
      readonly format?: string
      readonly enum?: readonly string[]
    }),
  }
  if (value === null) return [type].flat().includes('null')
  if (type === 'integer')
    return Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum
  if (typeof value !== 'string') return false
  const length = [...value].length
  const isDay = value.length === 10 && startsWithDay(value)
  if (rest.format === 'date' && !isDay) return false
  return (
    (rest.enum?.includes(value) ?? true) && length >= rest.minLength && length <= rest.maxLength
  )
}

export const ACADEMY: FaultyService = {
  what: 'a service with states, defaults from settings and derived numbers',
  base: 'https://academy.example',
  options: { key: 'key-of-ann', writes: true, changes: true },
  document: DOCUMENT,
  faults: FAULTS,
  seenElsewhere: ['reads archived courses as finished'],
  create: (fault) => new Academy(fault),
}
