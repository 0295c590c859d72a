import type { JsonObject } from '../../document/json-value.ts'
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

/** The address of the timetable. */
export const BASE = 'https://timetable.example/v1'

const id = readOnly({ type: 'integer', minimum: 1 })
const name = { type: 'string', minLength: 1, maxLength: 40 }
/** A time of the day. */
export const CLOCK: RegExp = /^([01][0-9]|2[0-3]):[0-5][0-9]$/
const clock = { type: 'string', pattern: CLOCK.source }
/** How difficult a course is. */
export const LEVELS: readonly string[] = ['basic', 'advanced']
const SUBJECT = /^sub_[0-9]{4}$/
const subjectId = { type: 'string', pattern: SUBJECT.source, examples: ['sub_0123'] }
const least = { type: 'integer', minimum: 1, maximum: 100 }
const sentCourse = {
  ...{ title: name, level: { type: 'string', enum: LEVELS } },
  ...{ subject_id: subjectId, seats_min: least, seats_max: least },
  credits: { type: 'integer', minimum: 0, maximum: 30 },
  // Such names are in documents, and are no regular expressions.
  '+1': { type: 'integer', minimum: 0, maximum: 9 },
  about: { type: 'string', maxLength: 40 },
  tags: { type: 'array', maxItems: 4, items: { type: 'string', pattern: '^[a-z]{2,9}$' } },
}
/** What clients send of a course. */
export const COURSE_NAMES: readonly string[] = Object.keys(sentCourse)
const REQUIRED = COURSE_NAMES.filter((one) => !['+1', 'about', 'tags'].includes(one))
const time = readOnly({ type: 'string', format: 'date-time' })
const COURSE = objectOf(
  {
    ...{ id: readOnly(id, 'Ids are never used again.'), ...sentCourse },
    ...{ is_closed: readOnly({ type: 'boolean' }), created_at: time, updated_at: time },
  },
  ['id', ...REQUIRED, 'about', 'tags', 'is_closed', 'created_at', 'updated_at'],
)
const day = { type: 'string', format: 'date' }
const sentLesson = {
  ...{ number: { ...name, maxLength: 30 }, day, starts_at: clock, ends_at: clock },
  room_id: { type: ['integer', 'null'], minimum: 1 },
}
/** What clients send of a lesson. */
export const LESSON_NAMES: readonly string[] = Object.keys(sentLesson)
const LESSON = objectOf({ id, course_id: id, ...sentLesson }, ['id', 'number', 'room_id'])
/** Where rooms are. */
export const FLOORS: readonly string[] = ['ground', 'upper']
const floor = { type: 'string', enum: FLOORS }
const ROOM = objectOf({ id, name, floor }, ['id', 'name', 'floor'])
const pageOf = (items: object): object =>
  objectOf(
    {
      items: { type: 'array', items },
      ...{ total: { type: 'integer' }, pages: { type: 'integer' } },
      ...{ previous: { type: ['string', 'null'] }, next: { type: ['string', 'null'] } },
    },
    ['items', 'total', 'pages', 'previous', 'next'],
  )
const REFERENCE = { course_id: { type: 'integer', minimum: 1 }, words: name }
const NOTE = objectOf({ id, ...REFERENCE }, ['id', 'course_id', 'words'])
const PLAN = objectOf({ id, course_id: { type: ['integer', 'null'] }, words: name }, ['id'])
const number = { type: 'integer', minimum: 1 }
const empty = { 204: { description: 'Done.' } }
const listOf = (items: object): object => answer({ type: 'array', items })
const closed = (properties: object, required: readonly string[] = []): object => ({
  ...objectOf(properties, required),
  additionalProperties: false,
})

/** The operations of a collection whose records are only created, listed and read. */
function referring(noun: string, word: string, schema: object): object {
  return {
    [`/${word}`]: {
      get: { operationId: `list${noun}s`, responses: { 200: listOf(schema), ...errors(401) } },
      post: {
        operationId: `create${noun}`,
        description: 'Give the unique identifier of the course in `course_id`.',
        ...body(closed(REFERENCE, ['course_id', 'words'])),
        responses: { 201: answer(schema), ...errors(401, 409, 422) },
      },
    },
    [`/${word}/{id}`]: {
      ...inPath(number, 'id'),
      get: { operationId: `read${noun}`, responses: { 200: answer(schema), ...errors(401, 404) } },
      delete: { operationId: `delete${noun}`, responses: { ...empty, ...errors(401, 404) } },
    },
  }
}

const PAGES = [
  inQuery('page', { type: 'integer', minimum: 1, default: 1 }),
  inQuery('per_page', { type: 'integer', minimum: 1, maximum: 50, default: 5 }),
]

const plain = documentOf('Timetable', BASE, {
  '/subjects': {
    get: {
      operationId: 'listSubjects',
      parameters: PAGES,
      responses: {
        200: answer(pageOf(objectOf({ id: subjectId, name }, ['id']))),
        ...errors(401, 404, 422),
      },
    },
  },
  '/summary': {
    get: {
      operationId: 'getSummary',
      responses: {
        200: answer(
          objectOf({
            lesson_count: {
              ...{ type: 'integer', description: 'Number of all the lessons at present.' },
            },
          }),
        ),
        ...errors(401),
      },
    },
  },
  '/rooms': {
    get: {
      operationId: 'listRooms',
      parameters: [...PAGES, inQuery('floor', floor, 'Only rooms on this floor.')],
      responses: { 200: answer(pageOf(ROOM)), ...errors(401, 404, 422) },
    },
    post: {
      operationId: 'createRoom',
      ...body(closed({ name, floor }, ['name', 'floor'])),
      responses: { 201: answer(ROOM), ...errors(401, 422) },
    },
  },
  '/rooms/{room_id}': {
    ...inPath(number, 'room_id'),
    get: { operationId: 'readRoom', responses: { 200: answer(ROOM), ...errors(401, 404) } },
    delete: {
      operationId: 'deleteRoom',
      description: 'Removes the room. Its lessons are kept and get `room_id` null.',
      responses: { ...empty, ...errors(401, 404) },
    },
  },
  '/courses': {
    get: {
      operationId: 'listCourses',
      description: 'All courses, highest `credits` first.',
      parameters: [
        inQuery('min_credits', { type: 'integer', minimum: 0 }, 'So many or more.'),
        inQuery(
          'q',
          { type: 'string', minLength: 1 },
          'Only courses whose `title` or `about` contains this text; case does not matter.',
        ),
      ],
      responses: { 200: listOf(COURSE), ...errors(401, 422) },
    },
    post: {
      operationId: 'createCourse',
      description: 'A `seats_max` less than `seats_min` is refused with 422.',
      ...body(closed(sentCourse, REQUIRED)),
      responses: { 201: answer(COURSE), ...errors(401, 415, 422) },
    },
  },
  '/courses/{course_id}': {
    ...inPath(number, 'course_id'),
    get: {
      operationId: 'readCourse',
      responses: { 200: answer(COURSE), ...errors(401, 403, 404) },
    },
    put: {
      operationId: 'replaceCourse',
      description: 'A `seats_max` less than `seats_min` is refused with 422.',
      ...body(closed(sentCourse, REQUIRED)),
      responses: { 200: answer(COURSE), ...errors(401, 403, 404, 422) },
    },
    patch: {
      operationId: 'changeCourse',
      ...body({ ...objectOf(sentCourse), minProperties: 1 }),
      responses: { 200: answer(COURSE), ...errors(401, 403, 404, 422) },
    },
    delete: {
      operationId: 'deleteCourse',
      description: 'Removes the course with its notes. Its plans are kept.',
      responses: { ...empty, ...errors(401, 403, 404) },
    },
  },
  '/courses/{course_id}/close': {
    ...inPath(number, 'course_id'),
    post: {
      operationId: 'closeCourse',
      description: 'Sets `is_closed` to true, and `updated_at`.',
      responses: { 200: answer(COURSE), ...errors(401, 403, 404) },
    },
  },
  ...referring('Note', 'notes', NOTE),
  ...referring('Plan', 'plans', PLAN),
  '/courses/{course_id}/lessons': {
    ...inPath(number, 'course_id'),
    get: {
      operationId: 'listLessons',
      responses: { 200: listOf(LESSON), ...errors(401, 403, 404) },
    },
    post: {
      operationId: 'createLesson',
      description:
        '409 if the course has a lesson with the number already. 409 if another lesson in the room has a time in common with it. ' +
        '422 if `ends_at` is not later than `starts_at`.',
      ...body(closed(sentLesson, ['number', 'day', 'starts_at', 'ends_at'])),
      responses: { 201: answer(LESSON), ...errors(401, 403, 404, 409, 422) },
    },
  },
  '/courses/{course_id}/lessons/{lesson_id}': {
    ...inPath(number, 'course_id', 'lesson_id'),
    get: {
      operationId: 'readLesson',
      responses: { 200: answer(LESSON), ...errors(401, 403, 404) },
    },
    patch: {
      operationId: 'changeLesson',
      description:
        '409 if another lesson in the room has a time in common with it. 422 if `ends_at` is not later than `starts_at`.',
      ...body(closed(sentLesson)),
      responses: { 200: answer(LESSON), ...errors(401, 403, 404, 409, 422) },
    },
    delete: { operationId: 'deleteLesson', responses: { ...empty, ...errors(401, 403, 404) } },
  },
})

/** The document of the timetable. */
export const DOCUMENT: JsonObject = {
  ...plain,
  info: {
    ...{ title: 'Timetable', version: '1' },
    description:
      'The key is checked before anything else (401). A page after the last one is answered with 404. ' +
      'Rooms, notes and plans are shared by all users. A course of another user is answered with 403.',
  },
}
