import { parseJsonText } from '../../contract/json.ts'
import type { JsonObject } from '../../document/json-value.ts'
import { isObject } from '../../validation/objects.ts'
import type { FaultyService } from './faulty-service.ts'
import {
  BASE,
  CLOCK,
  COURSE_NAMES,
  DOCUMENT,
  FLOORS,
  LESSON_NAMES,
  LEVELS,
} from './timetable-document.ts'

/** The faults of the timetable, each with a check that sees it. */
const FAULTS: Readonly<Record<string, string>> = {
  'takes an end before the start in a change': 'changeLesson/stated/ends_at/order',
  'takes fewer seats than the least in a replacement': 'replaceCourse/stated/seats_max/order',
  'moves a lesson into an occupied room': 'changeLesson/stated/once/day+starts_at+ends_at+room_id',
  'refuses the number of a lesson of another course': 'createLesson/stated/once/number/elsewhere',
  'gives the id of a removed course again': 'createCourse/new-id',
  'takes a replacement without a title': 'replaceCourse/a-missing-title',
  'ignores zero in a change': 'changeCourse/zeros',
  'takes a time of creation in a change': 'changeCourse/read-only/created_at',
  'takes an empty change': 'changeCourse/an-empty-object',
  'takes levels in capitals': 'createCourse/level-in-the-other-case',
  'ignores null in a change': 'changeLesson/cleared',
  'counts no new lessons': 'getSummary/lesson_count/counted',
  'keeps the room of a lesson after its removal': 'deleteRoom/stated/releases-lesson',
  'keeps the notes of a removed course': 'deleteCourse/stated/removes-note',
  'removes the plans of a removed course': 'deleteCourse/stated/keeps-plan',
  'fills no page of the greatest size': 'listRooms/walk/longest',
  'names a page too many as the last': 'listRooms/walk/full',
  'names no page before the second': 'listRooms/walk/before',
  'has an empty page after the last': 'listRooms/walk/end',
  'has empty pages after all subjects': 'listSubjects/walk/end',
  'lists courses with the most credits last': 'listCourses/order/order',
  'leaves out courses with the least credits': 'listCourses/min_credits=…/fits',
  'looks for courses before the key': 'readCourse/no-key/absent',
  'adds to the tags in a change': 'changeCourse/zeros',
  'moves the time of a change when a course is read': 'readCourse/untouched',
  'moves no time when a course is closed': 'closeCourse/updated',
  'removes the lessons of all courses with one': 'deleteCourse/others/readLesson',
  'searches titles only': 'listCourses/q/each',
  'searches with the case of letters': 'listCourses/q/case',
  'links to rooms of all floors': 'listRooms/walk/query',
  'filters the rooms of one page': 'listRooms/floor/cut',
  'states a page after the last one': 'listSubjects/walk/last',
  'takes text for JSON': 'createCourse/body/415',
  'finds no course of another user': 'readCourse/other-key',
  'removes the courses of another user': 'deleteCourse/other-key',
  'names no allowed methods': 'wrong-method/PROPFIND /notes/allow',
}

type Row = JsonObject & { readonly id: number }

interface Call {
  readonly method: string
  readonly path: readonly string[]
  readonly query: URLSearchParams
  readonly given: JsonObject | undefined
}

/** Rooms, and courses with lessons in them, on subjects that nobody changes. */
class Timetable {
  readonly #fault: string
  readonly #subjects = Array.from({ length: 55 }, (_, at) => ({
    ...{ id: `sub_${String(at + 1).padStart(4, '0')}`, name: `Subject ${at + 1}` },
  }))
  #rooms: Row[] = []
  #courses: Row[] = []
  #lessons: Row[] = []
  #notes: Row[] = []
  #plans: Row[] = []
  #lastId = 0
  #user: string | undefined = 'ann'
  readonly #owners = new WeakMap<Row, string | undefined>()

  constructor(fault = 'none') {
    this.#fault = fault
    for (const called of ['A 1', 'A 2', 'B 1', 'B 2', 'B 3', 'C 1', 'C 2'])
      this.#add(this.#rooms, { name: called, floor: called < 'B' ? 'ground' : 'upper' })
    for (const credits of [5, 10, 20]) {
      const seats = { seats_min: 2, seats_max: 9 }
      const course = { title: `Week ${credits}`, level: 'basic', subject_id: 'sub_0001' }
      const times = { created_at: now(), updated_at: now() }
      const more = { about: `Term ${credits}`, tags: [], is_closed: false, ...times }
      this.#add(this.#courses, { ...course, ...seats, credits, ...more })
    }
  }

  get records(): readonly unknown[] {
    return [...this.#rooms, ...this.#courses, ...this.#lessons, ...this.#notes, ...this.#plans]
  }

  #has(fault: string): boolean {
    return this.#fault === fault
  }

  #add(rows: Row[], values: JsonObject): Row {
    const isAgain = this.#has('gives the id of a removed course again') && rows === this.#courses
    this.#lastId += 1
    const own = isAgain ? Math.max(1000, ...rows.map((one) => one.id)) + 1 : this.#lastId
    const row = { id: own, ...values }
    rows.push(row)
    this.#owners.set(row, this.#user)
    return row
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams: query } = new URL(request.url)
    const [, , word = '', ...path] = pathname.split('/')
    if (!/^(GET|POST|PUT|PATCH|DELETE)$/.test(request.method)) {
      const headers = this.#has('names no allowed methods') ? {} : { Allow: 'GET, POST' }
      return Response.json({}, { status: 405, headers })
    }
    const [, user] =
      /^Bearer key-of-(ann|bob)$/.exec(request.headers.get('Authorization') ?? '') ?? []
    this.#user = user
    const isEarly = this.#has('looks for courses before the key') && word === 'courses'
    const isLost = isEarly && path[0] !== undefined && !find(this.#courses, path[0])
    if (user === undefined) return refusal(isLost ? 404 : 401)
    const sent = await request.text()
    const given = parseJsonText(sent)
    const refused = this.#refusalOfBody(request, word, sent !== '' && given === undefined)
    const own = isObject(given) ? given : undefined
    return refused ?? this.#answer(word, { method: request.method, path, query, given: own })
  }

  #refusalOfBody(request: Request, word: string, isBroken: boolean): Response | undefined {
    const type = request.headers.get('Content-Type') ?? 'application/json'
    const isText = !type.startsWith('application/json') && !this.#has('takes text for JSON')
    if (isText && word === 'courses' && request.method === 'POST') return refusal(415)
    return isBroken ? refusal(422) : undefined
  }

  #answer(word: string, call: Call): Response {
    if (word === 'subjects') {
      const isMore = this.#has('states a page after the last one')
      return this.#pageOf(this.#subjects, call.query, isMore)
    }
    if (word === 'rooms') return this.#answerRooms(call)
    if (word === 'notes') return this.#answerReferring(this.#notes, call)
    if (word === 'plans') return this.#answerReferring(this.#plans, call)
    if (word === 'courses' && call.path[1] === 'lessons') return this.#answerLessons(call)
    if (word === 'courses') return this.#answerCourses(call)
    const count = this.#has('counts no new lessons') ? 0 : this.#lessons.length
    return Response.json({ lesson_count: count })
  }

  #answerRooms({ method, path: [own], query, given }: Call): Response {
    if (own === undefined && method === 'GET') return this.#listRooms(query)
    if (own === undefined) {
      const isRoom = isOnly(given, ['name', 'floor']) && FLOORS.includes(String(given.floor))
      if (!isRoom || !isName(given.name)) return refusal(422)
      return Response.json(this.#add(this.#rooms, given), { status: 201 })
    }
    const found = find(this.#rooms, own)
    if (!found) return refusal(404)
    if (method === 'GET') return Response.json(found)
    remove(this.#rooms, found)
    const isKept = this.#has('keeps the room of a lesson after its removal')
    for (const one of this.#lessons)
      if (one.room_id === found.id && !isKept) Object.assign(one, { room_id: null })
    return done()
  }

  #listRooms(query: URLSearchParams): Response {
    const wanted = query.get('floor')
    if (wanted !== null && !FLOORS.includes(wanted)) return refusal(422)
    const isOn = (one: unknown): boolean =>
      wanted === null || (isObject(one) && one.floor === wanted)
    const isMore = this.#has('names a page too many as the last')
    return this.#has('filters the rooms of one page')
      ? this.#pageOf(this.#rooms, query, isMore, isOn)
      : this.#pageOf(this.#rooms.filter(isOn), query, isMore)
  }

  /** A page of records. With `isMore`, one too many is stated; `isShown` decides what of the page is there. */
  #pageOf(
    rows: readonly unknown[],
    query: URLSearchParams,
    isMore: boolean,
    isShown: (row: unknown) => boolean = () => true,
  ): Response {
    const [number, size] = [query.get('page') ?? '1', query.get('per_page') ?? '5'].map(Number)
    if (!isCount(number, 10_000) || !isCount(size, 50)) return refusal(422)
    const length = this.#has('fills no page of the greatest size') ? Math.min(size, 6) : size
    const total = rows.filter(isShown).length
    const isOver = isMore && (total % size === 0 || rows === this.#subjects)
    const pages = Math.max(1, Math.ceil(total / size)) + (isOver ? 1 : 0)
    const isEmpty =
      this.#has('has an empty page after the last') ||
      (rows === this.#subjects && this.#has('has empty pages after all subjects'))
    const isAbsent = number > pages && !isEmpty
    if (isAbsent) return refusal(404)
    const start = (number - 1) * size
    const items = rows.slice(start, start + length).filter(isShown)
    const linkTo = (at: number): string => {
      const next = new URLSearchParams([...query, ['page', String(at)]])
      next.set('page', String(at))
      if (this.#has('links to rooms of all floors')) next.delete('floor')
      return `${BASE}/${rows === this.#subjects ? 'subjects' : 'rooms'}?${next}`
    }
    const hasPrevious = number > 1 && !this.#has('names no page before the second')
    return Response.json({
      ...{ items, total, pages, previous: hasPrevious ? linkTo(number - 1) : null },
      next: number < pages ? linkTo(number + 1) : null,
    })
  }

  #answerCourses({ method, path: [own, action], query, given }: Call): Response {
    if (own === undefined && method === 'GET') return this.#listCourses(query)
    if (own === undefined) {
      if (!this.#isCourse(given) || given.seats_max < given.seats_min) return refusal(422)
      const level = given.level.toLowerCase()
      const { tags = [], about = '' } = given
      const times = { created_at: now(), updated_at: now() }
      const made = { ...given, about, tags, level, is_closed: false, ...times }
      return Response.json(this.#add(this.#courses, made), { status: 201 })
    }
    const found = find(this.#courses, own)
    if (!found) return refusal(404)
    return (
      this.#refusalOfOther(found, method) ?? this.#answerCourse(found, { method, action, given })
    )
  }

  #answerCourse(
    found: Row,
    {
      method,
      action,
      given,
    }: Pick<Call, 'method' | 'given'> & { readonly action: string | undefined },
  ): Response {
    if (action === 'close') {
      const isKept = this.#has('moves no time when a course is closed')
      Object.assign(found, { is_closed: true }, !isKept && { updated_at: now() })
      return Response.json(found)
    }
    if (method === 'GET') {
      if (this.#has('moves the time of a change when a course is read'))
        Object.assign(found, { updated_at: now() })
      return Response.json(found)
    }
    if (method === 'DELETE') return this.#removeCourse(found)
    return this.#changeCourse(found, method, given)
  }

  /** What somebody else gets for a course. */
  #refusalOfOther(course: Row, method: string): Response | undefined {
    const isOwn = this.#owners.get(course) === this.#user
    const isRemoval = method === 'DELETE' && this.#has('removes the courses of another user')
    if (isOwn || isRemoval) return undefined
    return refusal(this.#has('finds no course of another user') ? 404 : 403)
  }

  #changeCourse(found: Row, method: string, given: JsonObject = {}): Response {
    const { id: _id, created_at, updated_at: _at, is_closed, ...before } = found
    const isPart = method === 'PATCH'
    const isTime = this.#has('takes a time of creation in a change')
    const { created_at: wanted = created_at, ...others } = given
    const isKnown = ([key]: readonly [string, unknown]): boolean =>
      !isPart || COURSE_NAMES.includes(key)
    const sent: JsonObject = Object.fromEntries(Object.entries(others).filter(isKnown))
    const values: Record<string, unknown> = isPart
      ? this.#changed(before, sent)
      : { about: '', tags: [], ...sent }
    const isEmpty = isPart && Object.keys(given).length === 0
    if (isEmpty && !this.#has('takes an empty change')) return refusal(422)
    if (!isPart && 'created_at' in given) return refusal(422)
    const isNameless = !isPart && this.#has('takes a replacement without a title')
    if (isNameless && values.title === undefined) values.title = before.title
    if (!this.#isCourse(values)) return refusal(422)
    const isAny = !isPart && this.#has('takes fewer seats than the least in a replacement')
    if (values.seats_max < values.seats_min && !isAny) return refusal(422)
    Object.assign(found, values, { is_closed, updated_at: now() }, isTime && { created_at: wanted })
    return Response.json(found)
  }

  #changed(before: JsonObject, sent: JsonObject): JsonObject {
    const isZero = this.#has('ignores zero in a change') && sent.credits === 0
    const isAdded = this.#has('adds to the tags in a change') && sent.tags !== undefined
    const tags = [...strings(before.tags), ...strings(sent.tags)].slice(0, 4)
    return {
      ...before,
      ...sent,
      ...(isZero && { credits: before.credits }),
      ...(isAdded && { tags }),
    }
  }

  #removeCourse(found: Row): Response {
    remove(this.#courses, found)
    const isAny = this.#has('removes the lessons of all courses with one')
    this.#lessons = this.#lessons.filter((one) => !isAny && one.course_id !== found.id)
    const isOf = (one: Row): boolean => one.course_id === found.id
    if (!this.#has('keeps the notes of a removed course'))
      this.#notes = this.#notes.filter((one) => !isOf(one))
    if (this.#has('removes the plans of a removed course'))
      this.#plans = this.#plans.filter((one) => !isOf(one))
    return done()
  }

  #listCourses(query: URLSearchParams): Response {
    const [least, word] = [query.get('min_credits'), query.get('q')]
    if (word === '') return refusal(422)
    if (least !== null && !/^\d+$/.test(least)) return refusal(422)
    const isStrict = this.#has('leaves out courses with the least credits')
    const limit = Number(least ?? 0)
    const found = this.#courses
      .filter((one) => this.#owners.get(one) === this.#user)
      .filter((one) => word === null || this.#hasWord(one, word))
      .filter(({ credits }) => Number(credits) >= limit)
      .filter(({ credits }) => least === null || !isStrict || Number(credits) > limit)
      .sort((one, other) => Number(other.credits) - Number(one.credits))
    const isReversed = this.#has('lists courses with the most credits last')
    return Response.json(isReversed ? found.reverse() : found)
  }

  #hasWord({ title, about }: Row, word: string): boolean {
    const said = this.#has('searches titles only') ? String(title) : `${title}\n${about}`
    if (this.#has('searches with the case of letters')) return said.includes(word)
    return said.toLowerCase().includes(word.toLowerCase())
  }

  #isCourse(values: JsonObject | undefined): values is JsonObject & Course {
    const level = String(values?.level)
    const words = this.#has('takes levels in capitals') ? level.toLowerCase() : level
    return (
      isOnly(values, COURSE_NAMES) &&
      isName(values.title) &&
      typeof values.level === 'string' &&
      LEVELS.includes(words) &&
      this.#subjects.some((one) => one.id === values.subject_id) &&
      isCount(values.seats_min, 100) &&
      isCount(values.seats_max, 100) &&
      (values.credits === 0 || isCount(values.credits, 30)) &&
      (values['+1'] === undefined || values['+1'] === 0 || isCount(values['+1'], 9)) &&
      (values.about === undefined || isShort(values.about)) &&
      (values.tags === undefined || isTags(values.tags))
    )
  }

  #answerReferring(rows: Row[], { method, path: [own], given }: Call): Response {
    if (own === undefined && method === 'GET') return Response.json(rows)
    if (own === undefined) {
      const isValid = isOnly(given, ['course_id', 'words']) && isName(given.words)
      const course = this.#courses.find((one) => one.id === given?.course_id)
      if (!isValid || !course) return refusal(422)
      return Response.json(this.#add(rows, given), { status: 201 })
    }
    const found = find(rows, own)
    if (!found) return refusal(404)
    if (method === 'GET') return Response.json(found)
    remove(rows, found)
    return done()
  }

  #answerLessons({ method, path: [course, , own], given }: Call): Response {
    const above = find(this.#courses, course)
    if (!above) return refusal(404)
    return this.#refusalOfOther(above, method) ?? this.#answerLesson(above, { method, own, given })
  }

  #answerLesson(
    above: Row,
    {
      method,
      own,
      given = {},
    }: Pick<Call, 'method' | 'given'> & { readonly own: string | undefined },
  ): Response {
    const below = this.#lessons.filter((one) => one.course_id === above.id)
    if (own === undefined && method === 'GET') return Response.json(below)
    const found = own === undefined ? undefined : find(below, own)
    if (own !== undefined && !found) return refusal(404)
    if (found && method === 'GET') return Response.json(found)
    if (found && method === 'DELETE') {
      remove(this.#lessons, found)
      return done()
    }
    const { id: _id, course_id: _course, ...before }: JsonObject = found ?? { room_id: null }
    const isNull = found && this.#has('ignores null in a change') && given.room_id === null
    const values = { ...before, ...given, ...(isNull && { room_id: before.room_id }) }
    const refused = this.#refusalOf(values, found, above)
    if (refused) return refused
    if (found) return Response.json(Object.assign(found, values))
    return Response.json(this.#add(this.#lessons, { course_id: above.id, ...values }), {
      status: 201,
    })
  }

  #refusalOf(values: JsonObject, found: Row | undefined, above: Row): Response | undefined {
    const { number: called, day: on, starts_at, ends_at, room_id } = values
    const isTimed = [starts_at, ends_at].every((one) => CLOCK.test(String(one)))
    const isRoom = room_id === null || this.#rooms.some((one) => one.id === room_id)
    const isShort = typeof called === 'string' && called.length <= 30
    if (!isOnly(values, LESSON_NAMES) || !isName(called) || !isShort || !isDay(on))
      return refusal(422)
    if (!isTimed || !isRoom) return refusal(422)
    const isAny = found && this.#has('takes an end before the start in a change')
    if (!isAny && String(ends_at) <= String(starts_at))
      return refusal(422, 'ends_at must be later than starts_at')
    const others = this.#lessons.filter((one) => one !== found)
    const isWide = this.#has('refuses the number of a lesson of another course')
    const isSame = (one: Row): boolean =>
      one.number === called && (isWide || one.course_id === above.id)
    const isOver = (one: Row): boolean =>
      room_id !== null &&
      one.room_id === room_id &&
      one.day === on &&
      String(one.starts_at) < String(ends_at) &&
      String(starts_at) < String(one.ends_at)
    const mayMove = found && this.#has('moves a lesson into an occupied room')
    const isConflict = others.some(isSame) || (!mayMove && others.some(isOver))
    return isConflict ? refusal(409) : undefined
  }
}

interface Course {
  readonly level: string
  readonly seats_min: number
  readonly seats_max: number
}

function find(rows: readonly Row[], id: string | undefined): Row | undefined {
  return rows.find((one) => String(one.id) === id)
}

function remove(rows: Row[], row: Row): void {
  rows.splice(rows.indexOf(row), 1)
}

function isOnly(given: JsonObject | undefined, names: readonly string[]): given is JsonObject {
  return given !== undefined && Object.keys(given).every((one) => names.includes(one))
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && [...value].length <= 40
}

function isCount(value: unknown, most: number): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most
}

function isShort(value: unknown): boolean {
  return typeof value === 'string' && [...value].length <= 40
}

function isTags(value: unknown): boolean {
  const isTag = (one: unknown): boolean => typeof one === 'string' && /^[a-z]{2,9}$/.test(one)
  return Array.isArray(value) && value.length <= 4 && value.every(isTag)
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function isDay(value: unknown): boolean {
  const isText = typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)
  const time = Date.parse(String(value))
  return isText && !Number.isNaN(time) && new Date(time).toISOString().startsWith(value)
}

let lastTime = 0

/** A time that is later than all before. */
function now(): string {
  lastTime = Math.max(Date.now(), lastTime + 1)
  return new Date(lastTime).toISOString()
}

function refusal(status: number, message = 'It is not allowed.'): Response {
  return Response.json({ message }, { status })
}

function done(): Response {
  return new Response(null, { status: 204 })
}

export const TIMETABLE: FaultyService = {
  what: 'a service with lessons in rooms, whose subjects are only read',
  base: BASE,
  options: { key: 'key-of-ann', otherKey: 'key-of-bob', writes: true },
  document: DOCUMENT,
  faults: FAULTS,
  seenElsewhere: ['moves no time when a course is closed', 'searches titles only'],
  create: (fault) => new Timetable(fault),
}
