import {
  ACTIONS,
  type EnvelopeFigure,
  type OperationHints,
  type StatelessReason,
} from '../../contract/resource-hints.ts'
import { type HintSchema, orFalse } from './hint-schema.ts'

const TEXT: HintSchema = { type: 'string', title: 'a text' }

const PLACE: HintSchema = {
  type: 'string',
  title: 'a JSON Pointer such as /data, or an empty text for the whole body',
  pattern: '^(/([^~/]|~[01])*)*$',
}

const DURATION: HintSchema = {
  type: 'string',
  title: 'a duration such as 30s or PT30S',
  pattern:
    '^((\\d+(\\.\\d+)?(ms|s|m|h|d))+|P(?!$)(\\d+([.,]\\d+)?[WD])?(T(\\d+([.,]\\d+)?[HMS])+)?)$',
}

/** Property names with any values. */
const VALUES: HintSchema = { type: 'object', additionalProperties: {} }

/** Every figure once: the compiler finds one that is missing. */
const FIGURES: Readonly<Record<EnvelopeFigure, true>> = {
  total: true,
  count: true,
  size: true,
  offset: true,
  page: true,
  pages: true,
  nextPage: true,
  previousPage: true,
  lastPage: true,
  hasMore: true,
  hasPrevious: true,
  isFirst: true,
  isLast: true,
  isEmpty: true,
  nextCursor: true,
  previousCursor: true,
  firstId: true,
  lastId: true,
  selfUrl: true,
  nextUrl: true,
  previousUrl: true,
  firstUrl: true,
  lastUrl: true,
}

const REASONS: Readonly<Record<StatelessReason, true>> = {
  'no-record': true,
  'no-action': true,
  'no-list': true,
  'no-item': true,
  bulk: true,
  search: true,
  'no-id-generator': true,
  'refused-ids': true,
  hint: true,
}

const PAGING: HintSchema = {
  type: 'object',
  description: 'How a client reads the pages of the list.',
  required: ['style'],
  properties: {
    style: {
      title: 'paging style',
      description:
        '`page` counts pages, `offset` counts records, `cursor` continues with a text of an earlier page, `after` after the id of a record.',
      enum: ['page', 'offset', 'cursor', 'after'],
    },
    parameter: { ...TEXT, description: 'The query parameter that selects the page.' },
    size: { ...TEXT, description: 'The query parameter with the most records of a page.' },
    before: {
      ...TEXT,
      description: 'The query parameter with the id of the record that follows the page.',
    },
    first: { type: 'integer', description: 'The number of the first page.', default: 1 },
  },
}

const SORT: HintSchema = {
  type: 'object',
  description: 'The query parameters that sort the list.',
  required: ['by'],
  properties: {
    by: { ...TEXT, description: 'The parameter that names the property.' },
    direction: { ...TEXT, description: 'The parameter that contains `asc` or `desc`.' },
  },
}

const AFTER: HintSchema = {
  type: 'array',
  description: 'Changes of the record that happen later, on the clock of the sandbox.',
  items: {
    type: 'object',
    required: ['delay', 'set'],
    properties: {
      delay: { ...DURATION, description: 'The time until the change, such as 30s.' },
      set: { ...VALUES, description: 'The values that the change sets.' },
      from: {
        ...VALUES,
        description: 'The values that properties must still have then, or nothing happens.',
      },
    },
  },
}

/** The vocabulary of `x-sandbox` on an operation, but for `deprecation`. */
export const OPERATION_VOCABULARY: Readonly<Record<keyof OperationHints, HintSchema>> = {
  resource: orFalse({
    ...TEXT,
    description: 'The name of the resource; false when the operation is stateless.',
  }),
  action: {
    title: 'action',
    description: 'What the operation does to records. `act` is an action on one record.',
    enum: [...ACTIONS, 'stateless'],
  },
  reason: {
    title: 'reason',
    description: 'Why the operation is stateless; `explain` prints it.',
    enum: Object.keys(REASONS),
  },
  record: orFalse({
    ...PLACE,
    description: 'Where the response contains the record, or the list of records.',
  }),
  item: orFalse({ ...PLACE, description: 'Where each item of the list contains the record.' }),
  body: orFalse({ ...PLACE, description: 'Where the request body contains the record.' }),
  part: orFalse({
    ...TEXT,
    description: 'The property of the record whose value the request contains.',
  }),
  sentId: orFalse({
    ...TEXT,
    description: 'The property of the record in the request that contains the id.',
  }),
  id: orFalse({
    ...TEXT,
    description: 'The property of the record in this response that contains the id.',
  }),
  views: orFalse({
    type: 'object',
    description:
      'Properties that have another name in this response: the name in the record by the name in the response.',
    additionalProperties: TEXT,
  }),
  paging: orFalse(PAGING),
  envelope: orFalse({
    type: 'object',
    description: 'Figures and links about the page, by their places in the response.',
    additionalProperties: { title: 'figure', enum: Object.keys(FIGURES) },
  }),
  filters: orFalse({
    type: 'object',
    description: 'The property that a query parameter compares, by the name of the parameter.',
    additionalProperties: TEXT,
  }),
  sort: orFalse(SORT),
  set: orFalse({ ...VALUES, description: 'The values that the operation sets in the record.' }),
  from: orFalse({
    ...VALUES,
    description:
      'The values that properties must have before; else the response is a 409. One value or a list for each.',
  }),
  after: orFalse(AFTER),
}
