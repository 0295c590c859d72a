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

/** The address of the nursery. */
export const BASE = 'https://nursery.example/v1'

const id = readOnly({ type: 'integer', minimum: 1 })
const name = { type: 'string', minLength: 1, maxLength: 60 }
const day = { type: 'string', format: 'date' }
const time = readOnly(
  { type: 'string', format: 'date-time' },
  'Set by each change and by each action.',
)
const number = { type: 'integer', minimum: 1 }
const listOf = (items: object): object => ({ type: 'array', items })
const closed = (properties: object, required: readonly string[] = []): object => ({
  ...objectOf(properties, required),
  additionalProperties: false,
})

const sentGrower = {
  name: { ...name, description: 'Unique among all growers, without regard to case.' },
  email: { type: ['string', 'null'], format: 'email' },
  site: { type: ['string', 'null'], format: 'uri', maxLength: 90 },
}
const GROWER = objectOf({ id, ...sentGrower }, ['id', 'name', 'email', 'site'])
const place = { type: ['integer', 'null'], minimum: 1 }
const GROWERS = objectOf(
  {
    ...{ count: { type: 'integer' }, next: place, previous: place, results: listOf(GROWER) },
  },
  ['count', 'next', 'previous', 'results'],
)

/** In which state a plant is. */
const STATES = ['planned', 'open', 'closed']
const sentPlant = {
  title: name,
  price: { type: 'number', minimum: 0, maximum: 900, multipleOf: 0.01 },
  height: { type: 'number', minimum: 0, maximum: 5000, description: 'Kept without rounding.' },
  stock: { type: 'integer', minimum: 1, maximum: 90 },
  planting_day: day,
  tags: {
    ...{ ...listOf({ type: 'string', minLength: 2, maxLength: 20 }), maxItems: 5 },
    description: 'Kept as sent, in the order given.',
  },
}
const PLANT = objectOf(
  {
    ...{ id, ...sentPlant, state: readOnly({ type: 'string', enum: STATES }), updated_at: time },
    cutting_count: readOnly({ type: 'integer' }, 'The number of cuttings that the plant has now.'),
  },
  ['id', ...Object.keys(sentPlant), 'state', 'updated_at', 'cutting_count'],
)
const sentCutting = {
  label: {
    ...{ type: 'string', pattern: '^[A-Z]{6}$' },
    description: 'Unique within the plant; the same label may be used in another plant.',
  },
  gardener: name,
  taken_on: day,
  valid: { type: 'boolean', default: true },
}
const CUTTING = objectOf({ id, ...sentCutting }, ['id', ...Object.keys(sentCutting)])

/** By what plants are sorted. */
export const ORDERS: readonly string[] = ['title', 'height', 'price', 'planting_day', 'stock']
const MORE = 'Present only when there are further plants: the path of the next page.'
const gone = { 204: { description: 'Done.' } }

const plain = documentOf('Nursery', BASE, {
  '/growers': {
    get: {
      operationId: 'listGrowers',
      parameters: [
        inQuery('page', { ...number, default: 1 }),
        inQuery('page_size', { ...number, maximum: 50, default: 5 }),
      ],
      responses: { 200: answer(GROWERS), ...errors(401, 422) },
    },
    post: {
      operationId: 'createGrower',
      ...body(closed(sentGrower, ['name'])),
      responses: { 201: answer(GROWER), ...errors(401, 409, 422) },
    },
  },
  '/growers/{grower}': {
    ...inPath(number, 'grower'),
    get: { operationId: 'readGrower', responses: { 200: answer(GROWER), ...errors(401, 404) } },
    patch: {
      operationId: 'changeGrower',
      ...body(closed(sentGrower)),
      responses: { 200: answer(GROWER), ...errors(401, 404, 409, 422) },
    },
    delete: { operationId: 'deleteGrower', responses: { ...gone, ...errors(401, 404) } },
  },
  '/plants': {
    get: {
      operationId: 'listPlants',
      description: 'Your plants.',
      parameters: [
        inQuery('limit', { ...number, maximum: 80, default: 20 }),
        inQuery('cursor', { type: 'string', minLength: 1 }, 'From the link to the next page.'),
        inQuery(
          'sort',
          { type: 'string', enum: ORDERS.flatMap((one) => [one, `-${one}`]), default: 'title' },
          'A minus sign sorts descending.',
        ),
        inQuery('tag', { type: 'string', minLength: 2 }, 'Only plants with exactly this tag.'),
        inQuery('plants_to', day, 'Only plants whose `planting_day` is on this day or earlier.'),
      ],
      responses: {
        200: answer(listOf(PLANT), { Link: { description: MORE, schema: { type: 'string' } } }),
        ...errors(401, 422),
      },
    },
    post: {
      operationId: 'createPlant',
      ...body(closed(sentPlant, ['title', 'price', 'height', 'stock', 'planting_day'])),
      responses: { 201: answer(PLANT), ...errors(401, 422) },
    },
  },
  '/plants/{plant}': {
    ...inPath(number, 'plant'),
    get: { operationId: 'readPlant', responses: { 200: answer(PLANT), ...errors(401, 404) } },
    patch: {
      operationId: 'changePlant',
      ...body(closed(sentPlant)),
      responses: { 200: answer(PLANT), ...errors(401, 404, 422) },
    },
    delete: { operationId: 'deletePlant', responses: { ...gone, ...errors(401, 404) } },
  },
  '/plants/{plant}/open': {
    ...inPath(number, 'plant'),
    post: {
      operationId: 'openPlant',
      summary: 'Set the state of a planned plant to `open`',
      responses: { 200: answer(PLANT), ...errors(401, 404, 409) },
    },
  },
  '/plants/{plant}/close': {
    ...inPath(number, 'plant'),
    post: {
      operationId: 'closePlant',
      summary: 'Set the state of an open plant to `closed`',
      responses: { 200: answer(PLANT), ...errors(401, 404, 409) },
    },
  },
  '/plants/{plant}/cuttings': {
    ...inPath(number, 'plant'),
    get: {
      operationId: 'listCuttings',
      responses: { 200: answer(listOf(CUTTING)), ...errors(401, 404) },
    },
    post: {
      operationId: 'createCutting',
      description: '409 if the plant has a cutting of that day by the same gardener.',
      ...body(closed(sentCutting, ['label', 'gardener', 'taken_on'])),
      responses: { 201: answer(CUTTING), ...errors(401, 404, 409, 422) },
    },
  },
  '/plants/{plant}/cuttings/{cutting}': {
    ...inPath(number, 'plant', 'cutting'),
    get: { operationId: 'readCutting', responses: { 200: answer(CUTTING), ...errors(401, 404) } },
    delete: { operationId: 'deleteCutting', responses: { ...gone, ...errors(401, 404) } },
  },
})

/** The document of the nursery. */
export const NURSERY_DOCUMENT: JsonObject = {
  ...plain,
  info: {
    ...{ title: 'Nursery', version: '1' },
    description:
      'Growers are shared by all users. A cursor that the service has not given is refused with 422.',
  },
}
