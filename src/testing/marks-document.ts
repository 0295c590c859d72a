import type { Contract } from '../contract/contract.ts'
import { loadDocumentOf } from './load-document-of.ts'
import { listOf, objectOf } from './operation-on.ts'

const ID = { type: 'integer' }
const TEXT = { type: 'string' }
const FLAG = { type: 'boolean' }
const USER = { ...objectOf({ id: ID, login: TEXT, city: TEXT }), required: ['id', 'login'] }
const REPO = {
  ...objectOf({ id: ID, name: TEXT, full_name: TEXT, owner: USER, stargazers_count: ID }),
  required: ['id', 'name', 'full_name', 'owner', 'stargazers_count'],
}
const POST = {
  ...objectOf({ id: ID, title: TEXT, liked: FLAG, likes_count: ID, pinned: FLAG }),
  required: ['id', 'title', 'liked', 'likes_count', 'pinned'],
}

const TEAM = { ...objectOf({ id: ID, name: TEXT }), required: ['id', 'name'] }

const DONE = { responses: { 204: { description: '' }, 404: { description: '' } } }

function answers(schema: object, status = 200): object {
  return {
    responses: {
      [status]: { description: '', content: { 'application/json': { schema } } },
      404: { description: '' },
    },
  }
}

function sends(properties: Parameters<typeof objectOf>[0]): object {
  return { requestBody: { content: { 'application/json': { schema: objectOf(properties) } } } }
}

function at(names: Readonly<Record<string, object>>): object {
  const parameters = Object.entries(names).map(([name, schema]) => ({
    ...{ name, in: 'path', required: true, schema },
  }))
  return { parameters }
}

const REPO_PATH = at({ owner: TEXT, repo: TEXT })
const PATHS = {
  '/user': { get: answers(USER) },
  '/users': { get: answers(listOf(USER)) },
  '/users/{username}': { ...at({ username: TEXT }), get: answers(USER) },
  '/repos/{owner}': { ...at({ owner: TEXT }), post: { ...sends(['name']), ...answers(REPO, 201) } },
  '/repos/{owner}/{repo}': { ...REPO_PATH, get: answers(REPO), delete: DONE },
  '/user/starred': { get: answers(listOf(REPO)) },
  '/users/{username}/starred': { ...at({ username: TEXT }), get: answers(listOf(REPO)) },
  '/user/starred/{owner}/{repo}': { ...REPO_PATH, get: DONE, put: DONE, delete: DONE },
  '/user/teams': { get: answers(listOf(TEAM)) },
  '/teams': { get: answers(listOf(TEAM)), post: { ...sends(['name']), ...answers(TEAM, 201) } },
  '/teams/{id}': { ...at({ id: ID }), get: answers(TEAM) },
  '/teams/{id}/members': {
    ...at({ id: ID }),
    get: answers(listOf(USER)),
    post: { ...sends({ user_id: ID }), ...answers(USER, 201) },
  },
  '/teams/{id}/members/{user_id}': { ...at({ id: ID, user_id: ID }), delete: DONE },
  '/posts': { get: answers(listOf(POST)), post: { ...sends(['title']), ...answers(POST, 201) } },
  '/posts/{id}': { ...at({ id: ID }), get: answers(POST) },
  '/posts/{id}/like': { ...at({ id: ID }), post: answers(POST), delete: DONE },
  '/posts/{id}/pin': { ...at({ id: ID }), put: DONE },
  '/posts/{id}/unpin': { ...at({ id: ID }), put: DONE },
}

/** The contract of repositories, which callers star, and of posts, which they like and pin, and of teams with members. */
export function loadMarks(): Promise<Contract> {
  return loadDocumentOf(PATHS, {
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    security: [{ token: [] }],
  })
}
