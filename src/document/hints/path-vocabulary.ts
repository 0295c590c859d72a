import type { GivenResourceHints } from '../../inference/given-hints.ts'
import { type HintSchema, orFalse } from './hint-schema.ts'

const TEXT: HintSchema = { type: 'string', title: 'a text' }

const TEMPLATE: HintSchema = {
  type: 'string',
  title: 'a path template such as /books/{bookId}',
  pattern: '^/',
}

/** The vocabulary of `x-sandbox` on a path item, but for `deprecation`. */
export const PATH_VOCABULARY: Readonly<Record<keyof GivenResourceHints, HintSchema>> = {
  resource: orFalse({
    ...TEXT,
    description: 'The name of the resource at this path; false when the path has no records.',
  }),
  collection: {
    ...TEMPLATE,
    description:
      'The path of the collection; default: this path. Its parameters are the parents of the records.',
  },
  item: orFalse({
    ...TEMPLATE,
    description: 'The path of one record; false when no path leads to one.',
  }),
  id: { ...TEXT, description: 'The property of a record that contains its id.' },
  hiddenIds: {
    type: 'boolean',
    description: 'Whether no response shows the id, so that only paths contain it.',
    default: false,
  },
  ids: {
    title: 'chooser of ids',
    description: 'Who chooses the id of a new record: `client` when its request has one.',
    enum: ['server', 'client'],
    default: 'server',
  },
  single: {
    type: 'boolean',
    description: 'Whether the path has one record only, such as /settings.',
    default: false,
  },
  view: orFalse({
    ...TEXT,
    description: 'The operationId of the operation whose response shows most of a record.',
  }),
}
