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

/** The faults of the school, each with a check that sees it. */
const FAULTS: Readonly<Record<string, string>> = {
  'lists tutors of all languages': 'listTutors/language=de/fits',
  'takes a tutor of 17': 'addTutor/stated/born_on/age',
  'removes a tutor with courses': 'removeTutor/stated/used-by-course',
  'takes a course of no tutor': 'addCourse/stated/tutor_id',
  'takes a course that ends first': 'addCourse/stated/ends_on/order',
  'publishes a course without a lesson': 'publishCourse/stated/without-lesson',
  'publishes a cancelled course': 'publishCourse/stated/status=cancelled',
  'keeps the enrolments of a cancelled course': 'cancelCourse/stated/enrolment/status=withdrawn',
  'enrols in a draft': 'enrol/stated/status=draft',
  'enrols one more than there are places': 'enrol/stated/places=1',
  'enrols a pupil twice': 'enrol/stated/once/course_id+pupil',
  'tells codes of tutors apart by capitals': 'addTutor/conflict/code/case',
  'forgets the title of an import order': 'addImportOrder/full/values',
  'imports yesterday': 'addImportOrder/stated/due_on',
}

/** The present time of the service. */
const NOW = Date.UTC(2026, 2, 1)

const BASE = 'https://school.example/v1'
const id = readOnly({ type: 'integer', minimum: 1 })
const number = { type: 'integer', minimum: 1 }
const name = { type: 'string', minLength: 1, maxLength: 60 }
const day = { type: 'string', format: 'date' }
const LANGUAGES = ['de', 'en', 'fr']
const language = { type: 'string', enum: LANGUAGES }
const sentTutor = {
  name,
  code: name,
  languages: { type: 'array', items: language, minItems: 1 },
  born_on: day,
}
const TUTOR = objectOf({ id, ...sentTutor }, ['id', ...Object.keys(sentTutor)])
const sentCourse = {
  ...{ title: name, tutor_id: number, starts_on: day, ends_on: day },
  places: { ...number, maximum: 30 },
}
const status = readOnly({ type: 'string', enum: ['draft', 'published', 'cancelled'] })
const COURSE = objectOf({ id, ...sentCourse, status }, ['id', ...Object.keys(sentCourse), 'status'])
const LESSON = objectOf({ id, course_id: readOnly(number), topic: name }, ['id', 'topic'])
const ENROLMENT = objectOf(
  {
    ...{ id, course_id: number, pupil: name },
    status: readOnly({ type: 'string', enum: ['active', 'withdrawn'] }),
  },
  ['id', 'course_id', 'pupil', 'status'],
)
const ORDER = objectOf({ id, title: name, due_on: day }, ['id', 'title', 'due_on'])
const listOf = (items: object): object => answer({ type: 'array', items })
const closed = (properties: object, required = Object.keys(properties)): object => ({
  ...objectOf(properties, required),
  additionalProperties: false,
})

function action(operationId: string, description: string): object {
  const responses = { 200: answer(COURSE), ...errors(401, 404, 409) }
  return { ...inPath(number, 'id'), post: { operationId, description, responses } }
}

function one(operationId: string, schema: object): object {
  const responses = { 200: answer(schema), ...errors(401, 404) }
  return { ...inPath(number, 'id'), get: { operationId, responses } }
}

const list = (operationId: string, schema: object, ...parameters: readonly object[]): object => ({
  operationId,
  parameters,
  responses: { 200: listOf(schema), ...errors(401, 422) },
})

const EXAMPLE = {
  ...{ title: 'Spelling', tutor_id: 1, starts_on: '2031-09-01', ends_on: '2031-11-28' },
  places: 10,
}

/** The document of the school. Its rules are in lists after a status, and in sentences that a semicolon joins. */
const DOCUMENT: JsonObject = documentOf('School', BASE, {
  '/tutors': {
    get: list('listTutors', TUTOR, inQuery('language', language, 'Tutors of this language.')),
    post: {
      operationId: 'addTutor',
      description:
        'A tutor is at least 18 years old; younger ones are refused with 422. The code is unique, without regard to case; one that another tutor has is refused with 409.',
      ...body(closed(sentTutor)),
      responses: { 201: answer(TUTOR), ...errors(401, 409, 422) },
    },
  },
  '/tutors/{id}': {
    ...one('getTutor', TUTOR),
    delete: {
      operationId: 'removeTutor',
      description: 'A tutor to whom courses belong, cancelled ones included, is not removed (409).',
      responses: { 204: { description: 'Gone.' }, ...errors(401, 404, 409) },
    },
  },
  '/courses': {
    get: list('listCourses', COURSE),
    post: {
      operationId: 'addCourse',
      description:
        'A new course is a `draft`.\n\nAnswered with 422: `ends_on` is not after `starts_on`; `tutor_id` names nothing that exists.',
      requestBody: {
        required: true,
        content: { 'application/json': { schema: closed(sentCourse), example: EXAMPLE } },
      },
      responses: { 201: answer(COURSE), ...errors(401, 422) },
    },
  },
  '/courses/{id}': one('getCourse', COURSE),
  '/courses/{id}/publish': action(
    'publishCourse',
    'Only a draft can be published, and it must have at least one lesson; otherwise 409.',
  ),
  '/courses/{id}/cancel': action(
    'cancelCourse',
    'A course that is cancelled already is refused (409). All active enrolments of the course become `withdrawn`.',
  ),
  '/courses/{id}/lessons': {
    ...inPath(number, 'id'),
    get: {
      ...list('listLessons', LESSON),
      responses: { 200: listOf(LESSON), ...errors(401, 404) },
    },
    post: {
      operationId: 'addLesson',
      ...body(closed({ topic: name })),
      responses: { 201: answer(LESSON), ...errors(401, 404, 422) },
    },
  },
  '/enrolments': {
    get: list('listEnrolments', ENROLMENT),
    post: {
      operationId: 'enrol',
      description:
        'Answered with 409 when\n\n* the course is not published: pupils are enrolled only while it is;\n* the pupil already has an active enrolment in the course; or\n* the course is full, that is has as many active enrolments as `places`.\n\nA course that does not exist is answered with 422.',
      ...body(closed({ course_id: number, pupil: name })),
      responses: { 201: answer(ENROLMENT), ...errors(401, 409, 422) },
    },
  },
  '/enrolments/{id}': one('getEnrolment', ENROLMENT),
  '/import-orders': {
    get: list('listImportOrders', ORDER),
    post: {
      operationId: 'addImportOrder',
      description: '`due_on` must not be before the day of the request, otherwise 422.',
      ...body(closed({ title: name, due_on: day })),
      responses: { 201: answer(ORDER), ...errors(401, 422) },
    },
  },
  '/import-orders/{id}': one('getImportOrder', ORDER),
})

type Row = Record<string, unknown> & { readonly id: number }

/** Courses of tutors, with lessons and enrolments, and orders that import something. */
class School {
  readonly #fault: string
  readonly #rows: Readonly<Record<string, Row[]>> = {
    ...{ tutors: [], courses: [], lessons: [], enrolments: [], 'import-orders': [] },
  }
  #lastId = 0

  constructor(fault = 'none') {
    this.#fault = fault
    for (const [at, title] of ['Grammar', 'Reading', 'Spelling'].entries()) {
      const languages = LANGUAGES.slice(at)
      const { id: tutor_id } = this.#add('tutors', {
        ...{ name: `Tutor ${at}`, code: `T-${at}`, languages, born_on: '1990-05-01' },
      })
      const { id: course_id } = this.#add('courses', {
        ...{ ...EXAMPLE, title, tutor_id, status: 'published' },
      })
      this.#add('lessons', { course_id, topic: `Lesson ${at}` })
      this.#add('enrolments', { course_id, pupil: `Pupil ${at}`, status: 'active' })
    }
  }

  get records(): readonly unknown[] {
    return Object.values(this.#rows).flat()
  }

  #has(fault: string): boolean {
    return this.#fault === fault
  }

  #add(word: string, values: JsonObject): Row {
    this.#lastId += 1
    const row = { id: this.#lastId, ...values }
    this.#rows[word]?.push(row)
    return row
  }

  async fetch(request: Request): Promise<Response> {
    if (request.headers.get('Authorization') !== 'Bearer key-of-ann') return refusal(401)
    const { pathname, searchParams } = new URL(request.url)
    const [, , word = '', own, act] = pathname.split('/')
    const sent = parseJsonText(await request.text())
    const given = isObject(sent) ? sent : {}
    if (own === undefined)
      return request.method === 'GET'
        ? this.#list(word, searchParams.get('language'))
        : this.#create(word, given)
    const found = this.#rows[word]?.find((row) => String(row.id) === own)
    if (!found) return refusal(404)
    if (request.method === 'DELETE') return this.#removeTutor(found)
    if (act === undefined) return Response.json(found)
    if (act !== 'lessons') return act === 'publish' ? this.#publish(found) : this.#cancel(found)
    if (request.method === 'GET') return Response.json(this.#of('lessons', found))
    return isOnly(given, 'topic') && isName(given.topic)
      ? this.#made('lessons', { course_id: found.id, ...given })
      : refusal(422)
  }

  #list(word: string, wanted: string | null): Response {
    const rows = this.#rows[word] ?? []
    if (wanted === null) return Response.json(rows)
    if (!LANGUAGES.includes(wanted)) return refusal(422)
    const fits = ({ languages }: Row): boolean =>
      this.#has('lists tutors of all languages') || [languages].flat().includes(wanted)
    return Response.json(rows.filter(fits))
  }

  #made(word: string, values: JsonObject): Response {
    return Response.json(this.#add(word, values), { status: 201 })
  }

  #of(word: string, course: Row): readonly Row[] {
    return (this.#rows[word] ?? []).filter((row) => row.course_id === course.id)
  }

  #create(word: string, given: JsonObject): Response {
    if (word === 'tutors') return this.#addTutor(given)
    if (word === 'courses') return this.#addCourse(given)
    if (word === 'enrolments') return this.#enrol(given)
    const { title, due_on } = given
    const isLate = String(due_on) < dayOf(NOW) && !this.#has('imports yesterday')
    const isOrder = isOnly(given, 'title', 'due_on') && isName(title) && isDay(due_on)
    if (!isOrder || isLate) return refusal(422)
    const kept = this.#has('forgets the title of an import order') ? 'Import' : title
    return this.#made(word, { title: kept, due_on })
  }

  #addTutor(given: JsonObject): Response {
    const { name: called, code, languages, born_on } = given
    const isTutor = isOnly(given, ...Object.keys(sentTutor)) && isName(called) && isName(code)
    const areKnown =
      Array.isArray(languages) &&
      languages.length > 0 &&
      languages.every((each) => LANGUAGES.includes(String(each)))
    const least = this.#has('takes a tutor of 17') ? 16 : 18
    const latest = new Date(NOW)
    latest.setUTCFullYear(latest.getUTCFullYear() - least)
    const isOld = isDay(born_on) && String(born_on) <= dayOf(latest.getTime())
    if (!isTutor || !areKnown || !isOld) return refusal(422)
    const cased = (text: unknown): string =>
      this.#has('tells codes of tutors apart by capitals')
        ? String(text)
        : String(text).toLowerCase()
    const isTaken = this.#rows.tutors?.some((row) => cased(row.code) === cased(code))
    return isTaken ? refusal(409) : this.#made('tutors', given)
  }

  #removeTutor(tutor: Row): Response {
    const isUsed = this.#rows.courses?.some((row) => row.tutor_id === tutor.id)
    if (isUsed && !this.#has('removes a tutor with courses')) return refusal(409)
    this.#rows.tutors?.splice(this.#rows.tutors.indexOf(tutor), 1)
    return new Response(null, { status: 204 })
  }

  #addCourse(given: JsonObject): Response {
    const { title, tutor_id, starts_on, ends_on, places } = given
    const isCourse = isOnly(given, ...Object.keys(sentCourse)) && isName(title) && isCount(places)
    const isOrdered =
      String(starts_on) < String(ends_on) || this.#has('takes a course that ends first')
    const isKnown =
      this.#rows.tutors?.some((row) => row.id === tutor_id) ||
      (isId(tutor_id) && this.#has('takes a course of no tutor'))
    if (!isCourse || !isKnown || !isDay(starts_on) || !isDay(ends_on) || !isOrdered)
      return refusal(422)
    return this.#made('courses', { ...given, status: 'draft' })
  }

  #publish(course: Row): Response {
    const isDraft =
      course.status === 'draft' ||
      (course.status === 'cancelled' && this.#has('publishes a cancelled course'))
    const isReady =
      this.#of('lessons', course).length > 0 || this.#has('publishes a course without a lesson')
    if (!isDraft || !isReady) return refusal(409)
    return Response.json(Object.assign(course, { status: 'published' }))
  }

  #cancel(course: Row): Response {
    if (course.status === 'cancelled') return refusal(409)
    if (!this.#has('keeps the enrolments of a cancelled course'))
      for (const row of this.#of('enrolments', course)) row.status = 'withdrawn'
    return Response.json(Object.assign(course, { status: 'cancelled' }))
  }

  #enrol(given: JsonObject): Response {
    const { course_id, pupil } = given
    const course = this.#rows.courses?.find((row) => row.id === course_id)
    if (!course || !isOnly(given, 'course_id', 'pupil') || !isName(pupil)) return refusal(422)
    const active = this.#of('enrolments', course).filter((row) => row.status === 'active')
    const isOpen =
      course.status === 'published' || (course.status === 'draft' && this.#has('enrols in a draft'))
    const room =
      Number(course.places) + (this.#has('enrols one more than there are places') ? 1 : 0)
    const isThere = active.some((row) => row.pupil === pupil) && !this.#has('enrols a pupil twice')
    if (!isOpen || active.length >= room || isThere) return refusal(409)
    return this.#made('enrolments', { ...given, status: 'active' })
  }
}

function isOnly(given: JsonObject, ...names: readonly string[]): boolean {
  return Object.keys(given).every((each) => names.includes(each))
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value.length > 0 && [...value].length <= 60
}

function isId(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) > 0
}

function isCount(value: unknown): boolean {
  return isId(value) && Number(value) <= 30
}

function isDay(text: unknown): boolean {
  const isForm = typeof text === 'string' && /^\d{4}-\d\d-\d\d$/.test(text)
  const time = isForm ? new Date(text) : new Date(Number.NaN)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(String(text))
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

function refusal(code: number): Response {
  return Response.json({ message: 'Refused.' }, { status: code })
}

export const SCHOOL: FaultyService = {
  what: 'a service whose courses need lessons before they are published, and with lists of refusals',
  base: BASE,
  options: { key: 'key-of-ann', writes: true },
  document: DOCUMENT,
  faults: FAULTS,
  create: (fault) => new School(fault),
}
