import type { Contract } from '../../contract/contract.ts'
import { loadDocumentOf } from '../load-document-of.ts'

const TASK = {
  type: 'object',
  required: ['id', 'title', 'state', 'owner'],
  properties: {
    id: { type: 'integer', readOnly: true },
    title: { type: 'string' },
    state: { type: 'string', enum: ['open', 'closed'] },
    owner: { type: 'string', enum: ['Ann', 'Ben', 'Cid'] },
  },
}

const NOTE = {
  type: 'object',
  required: ['id', 'text'],
  properties: { id: { type: 'integer', readOnly: true }, text: { type: 'string' } },
}

const TASK_PAGE = {
  type: 'object',
  required: ['data', 'total'],
  properties: { data: { type: 'array', items: TASK }, total: { type: 'integer' } },
}

const MISSING = { 404: { description: 'Missing' } }

/**
 * The contract of tasks, which have notes. Lists of tasks have filters, orders, numbered pages and totals; those of notes have pages
 * that begin after a note.
 */
export function loadTasks(): Promise<Contract> {
  const task = [inPath('task')]
  const states = { type: 'array', items: TASK.properties.state }
  const list = [
    inQuery('state', states, { explode: false }),
    inQuery('owner', TASK.properties.owner),
    inQuery('sort', { type: 'string' }),
    inQuery('page', { type: 'integer' }),
    inQuery('per_page', { type: 'integer', default: 20 }),
  ]
  const notes = [
    inQuery('starting_after', { type: 'integer' }),
    inQuery('sort', { type: 'string' }),
    inQuery('limit', { type: 'integer', default: 5 }),
  ]
  const paths = {
    '/tasks': {
      get: { parameters: list, responses: { 200: json(TASK_PAGE) } },
      post: { requestBody: json(TASK), responses: { 201: json(TASK) } },
    },
    '/tasks/{task}': { parameters: task, ...item(TASK) },
    '/tasks/{task}/notes': {
      parameters: task,
      get: {
        parameters: notes,
        responses: { 200: json({ type: 'array', items: NOTE }), ...MISSING },
      },
      post: { requestBody: json(NOTE), responses: { 201: json(NOTE), ...MISSING } },
    },
    '/tasks/{task}/notes/{note}': { parameters: [...task, inPath('note')], ...item(NOTE) },
  }
  return loadDocumentOf(paths, {
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  })
}

function item(schema: object): object {
  const one = { 200: json(schema), ...MISSING }
  const change = { requestBody: json(schema), responses: one }
  const remove = { responses: { 204: { description: 'Removed' }, ...MISSING } }

  return { get: { responses: one }, put: change, patch: change, delete: remove }
}

function json(schema: object): object {
  return { description: 'OK', content: { 'application/json': { schema } } }
}

function inPath(name: string): object {
  return { name, in: 'path', required: true, schema: { type: 'integer' } }
}

function inQuery(name: string, schema: object, more: object = {}): object {
  return { name, in: 'query', schema, ...more }
}
