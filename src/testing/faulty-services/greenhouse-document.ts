import type { JsonObject } from '../../document/json-value.ts'
import {
  answer,
  body,
  documentOf,
  errors,
  inQuery,
  objectOf,
  readOnly,
  text,
} from './document-parts.ts'

const integer = { type: 'integer' }
const gone = { 204: { description: 'Gone.' } }
const listOf = (items: object): object => ({ type: 'array', items })
const inPath = (name: string, schema: object = text): object => ({
  ...{ name, in: 'path', required: true, schema },
})
const header = (name: string): object => ({ name, in: 'header', schema: text })
const location = { Location: { required: true, schema: text } }
const etag = { ETag: { required: true, schema: text } }

const houseSent = {
  name: { type: 'string', minLength: 1, maxLength: 40 },
  climate: { type: 'string', enum: ['warm', 'cool'], default: 'cool' },
  place: objectOf({ lat: { type: 'number', minimum: -90, maximum: 90 } }, ['lat']),
  contact: { type: ['string', 'null'], format: 'email' },
}
const house = objectOf(
  {
    ...{ id: readOnly(text), ...houseSent, bed_count: readOnly(integer) },
    _links: readOnly(objectOf({ self: objectOf({ href: text }, ['href']) }, ['self'])),
  },
  ['id', 'name', 'climate', 'place', 'contact', 'bed_count'],
)
const bedSent = {
  title: { type: 'string', minLength: 1, maxLength: 60 },
  notes: { type: ['string', 'null'], maxLength: 200 },
}
const STATES = ['planned', 'open', 'closed']
const bed = objectOf(
  { ...{ id: text, ...bedSent }, state: readOnly({ type: 'string', enum: STATES }) },
  ['id', 'title', 'notes', 'state'],
)
const limit = objectOf({ above: { type: 'number', minimum: 0, maximum: 50 } }, ['above'])
const settingsSent = {
  interval: { type: 'integer', minimum: 1, maximum: 3600 },
  limits: { ...listOf(limit), maxItems: 3 },
}
const settings = objectOf({ ...settingsSent, revision: readOnly(integer) }, ['interval'])
const sample = objectOf(
  {
    kind: { type: 'string', enum: ['soil', 'air'] },
    value: { type: 'number', minimum: -50, maximum: 50 },
  },
  ['kind', 'value'],
)
const job = objectOf(
  {
    ...{ id: { type: 'string', format: 'uuid' }, kind: text },
    status: { type: 'string', enum: ['queued', 'done', 'cancelled'] },
  },
  ['id', 'kind', 'status'],
)
const TASKS = { type: 'string', enum: ['water', 'prune', 'harvest'] }
const task = objectOf(
  {
    ...{ id: readOnly(text), kind: TASKS, title: { type: 'string', minLength: 1, maxLength: 60 } },
    status: readOnly({ type: 'string', enum: ['open', 'finished'] }),
    note: readOnly({ type: ['string', 'null'] }),
  },
  ['id', 'kind', 'title', 'status', 'note'],
)
const HOUSE = inPath('house')
const BED = inPath('bed', { type: 'string', pattern: '^b_[0-9]+$' })

/** The document of the greenhouse. */
export const GREENHOUSE_DOCUMENT: JsonObject = documentOf(
  'Greenhouse',
  'https://greenhouse.example/v1',
  {
    '/houses': {
      get: {
        operationId: 'listHouses',
        responses: { 200: answer(objectOf({ houses: listOf(house) }, ['houses'])), ...errors(401) },
      },
      post: {
        operationId: 'createHouse',
        ...body(objectOf(houseSent, ['name', 'place'])),
        responses: { 201: answer(house, location), ...errors(401, 409, 422) },
      },
    },
    '/houses/{house}': {
      parameters: [HOUSE],
      get: { operationId: 'readHouse', responses: { 200: answer(house), ...errors(401, 404) } },
      put: {
        operationId: 'replaceHouse',
        ...body(objectOf(houseSent, ['name', 'place'])),
        responses: { 200: answer(house), ...errors(401, 404, 409, 422) },
      },
      delete: { operationId: 'removeHouse', responses: { ...gone, ...errors(401, 404) } },
    },
    '/houses/{house}/beds': {
      parameters: [HOUSE],
      get: {
        operationId: 'listBeds',
        responses: { 200: answer(listOf(bed)), ...errors(401, 404) },
      },
      post: {
        operationId: 'addBed',
        ...body(objectOf(bedSent, ['title'])),
        responses: { 201: answer(bed, location), ...errors(401, 404, 422) },
      },
    },
    '/beds': {
      get: { operationId: 'listAllBeds', responses: { 200: answer(listOf(bed)), ...errors(401) } },
    },
    '/beds/{bed}': {
      parameters: [BED],
      get: { operationId: 'readBed', responses: { 200: answer(bed, etag), ...errors(401, 404) } },
      patch: {
        operationId: 'changeBed',
        parameters: [header('If-Match')],
        ...body(objectOf(bedSent)),
        responses: { 200: answer(bed, etag), ...errors(401, 404, 412, 422) },
      },
      delete: { operationId: 'removeBed', responses: { ...gone, ...errors(401, 404) } },
    },
    '/beds/{bed}/open': {
      parameters: [BED],
      post: {
        operationId: 'openBed',
        summary: 'Set the state of a bed to `open`',
        responses: { 200: answer(bed), ...errors(401, 404, 409) },
      },
    },
    '/beds/{bed}/close': {
      parameters: [BED],
      post: {
        operationId: 'closeBed',
        summary: 'Set the state of a bed to `closed`',
        responses: {
          200: answer(bed),
          409: { description: 'The bed is not open.' },
          ...errors(401, 404),
        },
      },
    },
    '/beds/{bed}/tags': {
      parameters: [BED],
      get: {
        operationId: 'listTags',
        responses: { 200: answer(listOf(text)), ...errors(401, 404) },
      },
    },
    '/beds/{bed}/tags/{tag}': {
      parameters: [BED, inPath('tag', { type: 'string', maxLength: 40 })],
      put: { operationId: 'addTag', responses: { ...gone, ...errors(401, 404) } },
      delete: { operationId: 'removeTag', responses: { ...gone, ...errors(401, 404) } },
    },
    '/beds/{bed}/settings': {
      parameters: [BED],
      get: {
        operationId: 'readSettings',
        responses: { 200: answer(settings), ...errors(401, 404) },
      },
      put: {
        operationId: 'changeSettings',
        ...body(objectOf(settingsSent, ['interval'])),
        responses: { 200: answer(settings), ...errors(401, 404, 422) },
      },
    },
    '/beds/{bed}/samples': {
      parameters: [BED],
      get: {
        operationId: 'listSamples',
        parameters: [
          inQuery('limit', { type: 'integer', minimum: 1, maximum: 50, default: 5 }),
          { ...inQuery('cursor', text), description: 'The `next` of the page before.' },
        ],
        responses: {
          200: answer(
            objectOf({ items: listOf(sample), next: { type: ['string', 'null'] } }, [
              'items',
              'next',
            ]),
          ),
          ...errors(401, 404, 422),
        },
      },
      post: {
        operationId: 'addSamples',
        ...body({ ...listOf(sample), minItems: 1, maxItems: 20 }),
        responses: { 201: answer(objectOf({ accepted: integer })), ...errors(401, 404, 422) },
      },
    },
    '/beds/{bed}/jobs': {
      parameters: [BED],
      get: {
        operationId: 'listJobs',
        responses: { 200: answer(listOf(job)), ...errors(401, 404) },
      },
      post: {
        operationId: 'startJob',
        ...body(objectOf({ kind: { type: 'string', enum: ['rinse', 'test'] } }, ['kind'])),
        responses: { 202: answer(job), ...errors(401, 404, 422) },
      },
    },
    '/beds/{bed}/jobs/{job}': {
      parameters: [BED, inPath('job', { type: 'string', format: 'uuid' })],
      get: { operationId: 'readJob', responses: { 200: answer(job), ...errors(401, 404) } },
      delete: {
        operationId: 'cancelJob',
        summary: 'Cancel a job. Its status becomes `cancelled`.',
        responses: { 200: answer(job), 409: { description: 'Not queued.' }, ...errors(401, 404) },
      },
    },
    '/tasks': {
      get: {
        operationId: 'listTasks',
        parameters: [inQuery('kind', listOf(TASKS))],
        responses: { 200: answer(listOf(task)), ...errors(401, 422) },
      },
      post: {
        operationId: 'createTask',
        ...body(
          objectOf({ kind: TASKS, title: { type: 'string', minLength: 1, maxLength: 60 } }, [
            'kind',
            'title',
          ]),
        ),
        responses: { 201: answer(task), ...errors(401, 422) },
      },
    },
    '/tasks/{task}': {
      parameters: [inPath('task')],
      get: { operationId: 'readTask', responses: { 200: answer(task), ...errors(401, 404) } },
      patch: {
        operationId: 'changeTask',
        ...body(objectOf({ title: { type: 'string', minLength: 1, maxLength: 60 } })),
        responses: { 200: answer(task), ...errors(401, 404, 422) },
      },
    },
    '/tasks/{task}/finish': {
      parameters: [inPath('task')],
      post: {
        operationId: 'finishTask',
        summary: 'Set the status of a task to `finished`',
        responses: { 200: answer(task), ...errors(401, 404, 409) },
      },
    },
    '/tasks/{task}/reopen': {
      parameters: [inPath('task')],
      post: {
        operationId: 'reopenTask',
        summary: 'Set the status of a task to `open` again',
        responses: { 200: answer(task), ...errors(401, 404, 409) },
      },
    },
    '/tasks/{task}/comment': {
      parameters: [inPath('task')],
      post: {
        operationId: 'commentTask',
        ...body(objectOf({ note: { type: 'string', minLength: 1, maxLength: 60 } }, ['note'])),
        responses: { 200: answer(task), ...errors(401, 404, 422) },
      },
    },
    '/tasks/bulk/finish': {
      post: {
        operationId: 'finishTasks',
        ...body(objectOf({ ids: { ...listOf(text), minItems: 1, maxItems: 20 } }, ['ids'])),
        responses: {
          200: answer(
            objectOf({ results: listOf(objectOf({ id: text, status: text })) }, ['results']),
          ),
          ...errors(401, 422),
        },
      },
    },
  },
)
