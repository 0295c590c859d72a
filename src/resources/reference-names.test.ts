import { expect, test } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import { parentValues, withParentObjects } from './reference-names.ts'

const TEXT: Schema = { type: 'string' }

const OTHERS = { orgId: 'o1', organizationId: 'o2', repo: 'api', orgid: 'o3' }

function valuesAt(path: string, names: readonly string[]): object {
  const properties = Object.fromEntries(names.map((name) => [name, TEXT]))
  const parameters = { org: 'acme', taskId: '7', code: 'basic', acme_id: 'w1', id: '3', ...OTHERS }
  return parentValues({ path, id: 'key', schema: { type: 'object', properties } }, parameters)
}

test.each<[path: string, names: readonly string[], values: object]>([
  ['/organizations/{org}/repos', ['org', 'org_id'], { org: 'acme', org_id: 'acme' }],
  ['/organizations/{org}/repos', ['organizationId', 'owner'], { organizationId: 'acme' }],
  ['/tasks/{taskId}/subtasks', ['parent_id', 'title'], { parent_id: '7' }],
  ['/tasks/{taskId}/comments', ['resource_id'], { resource_id: '7' }],
  ['/tasks/{taskId}/comments', ['task_id', 'parent_id'], { task_id: '7' }],
  ['/orgs/{org}/tasks/{taskId}/comments', ['parent', 'org'], { parent: '7', org: 'acme' }],
  [
    '/plans/{code}/charges',
    ['code', 'plan_code', 'tax_code'],
    { code: 'basic', plan_code: 'basic' },
  ],
  ['/teams/{id}/members', ['id', 'uuid', 'team_id'], { team_id: '3' }],
  ['/orgs/{org}/runs', ['organization', 'organizer'], { organization: 'acme' }],
  ['/units/{orgid}/runs', ['orgId', 'or_gid'], { orgId: 'o3' }],
  ['/orgs/{orgId}/runs', ['organisation_id'], { organisation_id: 'o1' }],
  ['/organizations/{organizationId}/runs', ['orgId', 'organ'], { orgId: 'o2' }],
  [
    '/repos/{owner}/{repo}/runs',
    ['repository', 'reporter', 'repo'],
    { repository: 'api', repo: 'api' },
  ],
  ['/topics/{taskId}/replies', ['parentTopicId', 'parentReplyId'], { parentTopicId: '7' }],
  ['/wallets/{acme_id}/moves', ['acme_wallet_id', 'acme_move_id'], { acme_wallet_id: 'w1' }],
])('a record below %s with %j has %j', (path, names, values) => {
  expect(valuesAt(path, names)).toEqual(values)
})

test.each<[path: string, values: Record<string, unknown>, owner: unknown]>([
  ['/orgs/{org}/repos', {}, { login: 'acme' }],
  ['/orgs/{org}/repos', { org: { login: 'other', id: 7 } }, { login: 'acme' }],
  ['/orgs/{org}/repos', { org: { login: 'acme', id: 7 } }, { login: 'acme', id: 7 }],
])('a record that is created below %s with %j has the object %j', (path, values, owner) => {
  const org = { type: 'object', properties: { id: { type: 'integer' }, login: TEXT } }
  const resource = { path, id: 'id', schema: { type: 'object', properties: { org } } }

  expect(withParentObjects(values, resource, { org: 'acme' })).toEqual({ org: owner })
})

test('an object or a list with the name of the parent does not get its id', () => {
  const properties = {
    org: { type: 'object', properties: { id: TEXT } },
    orgs: { type: 'array', items: TEXT },
    org_id: TEXT,
  }
  const resource = { path: '/orgs/{org}/repos', id: 'id', schema: { type: 'object', properties } }

  expect(parentValues(resource, { org: 'acme' })).toEqual({ org_id: 'acme' })
})

test('a parent that is described as a record of the same collection is not the one that the path names', () => {
  const parent = { ...TEXT, describedReference: 'Parent task' }
  const properties = { parent, list: TEXT }
  const resource = { path: '/lists/{list}/tasks', id: 'id', schema: { type: 'object', properties } }

  expect(parentValues(resource, { list: '4' })).toEqual({ list: '4' })
})
