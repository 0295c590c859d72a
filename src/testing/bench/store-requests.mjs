// The requests of the bench of stores.
import { KEY } from './store-server.mjs'

const TYPED = { ...KEY, 'Content-Type': 'application/json' }
const [TASK, CHANGED] = ['Water the fern', 'Water the moss'].map((title) =>
  JSON.stringify({ title, state: 'open' }),
)

/**
 * Each kind of request, with the status of its response. Those with `next` are sent to another record each: the records that were
 * created before.
 */
export const WORKS = {
  'list of 20': { path: '/v1/tasks', headers: KEY, status: 200 },
  'filtered list': { path: '/v1/tasks?state=open', headers: KEY, status: 200 },
  read: { path: '/v1/tasks/7', headers: KEY, status: 200 },
  create: { path: '/v1/tasks', method: 'POST', headers: TYPED, body: TASK, status: 201 },
  update: { next: '/v1/tasks', method: 'PATCH', headers: TYPED, body: CHANGED, status: 200 },
  delete: { next: '/v1/tasks', method: 'DELETE', headers: KEY, status: 204 },
  'no key (401)': { path: '/v1/tasks', status: 401 },
  'spent quota (429)': {
    path: '/v1/tasks',
    headers: { Authorization: 'Bearer sk_spent' },
    status: 429,
  },
}
