import { expect, test } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import { objectOf } from '../testing/operation-on.ts'
import { furtherKeysOf, idPropertyOf, isNamedAfter, isSameWord, wordsOf } from './id-property.ts'

function idOf(record: Schema, parameter?: string, word = 'books', schema?: Schema): unknown {
  return idPropertyOf(record, { parameter, word, schema })?.name
}

test.each([
  ['has the name of the path parameter', 'isbn', ['id', 'isbn'], 'isbn'],
  ['has the name of the path parameter in another spelling', 'book_id', ['id', 'bookId'], 'bookId'],
  ['is called id', 'bookId', ['title', 'id', 'bookNumber'], 'id'],
  ['is called after the collection', 'key', ['title', 'bookNumber'], 'bookNumber'],
  ['has the usual name of an id', 'bookId', ['title', 'slug'], 'slug'],
  ['has the end of the name of the path parameter', 'bookTitle', ['author', 'title'], 'title'],
  ['is called name, when nothing else fits', 'book', ['pages', 'name'], 'name'],
  ['is not called name, when the path has another id', 'bookId', ['pages', 'name'], undefined],
])('the id %s', (_case, parameter, names, id) => {
  expect(idOf(objectOf(names), parameter)).toBe(id)
})

const TEXT: Schema = { type: 'string' }
const COUNT: Schema = { type: 'integer' }

test.each<
  [parameter: string, word: string, schema: Schema, properties: Record<string, Schema>, id: string]
>([
  ['issue_number', 'issues', COUNT, { id: COUNT, number: COUNT }, 'number'],
  ['index', 'issues', COUNT, { id: COUNT, number: COUNT }, 'number'],
  [
    'user_id',
    'memberships',
    TEXT,
    { id: TEXT, data: objectOf({ user_id: TEXT }) },
    '/data/user_id',
  ],
  [
    'user_id',
    'memberships',
    TEXT,
    { id: TEXT, data: objectOf({ user_id: TEXT }), by: objectOf({ user_id: TEXT }) },
    'id',
  ],
  ['user_id', 'users', TEXT, { id: TEXT, data: objectOf({ user_id: TEXT }) }, 'id'],
  ['issue_iid', 'issues', COUNT, { id: COUNT, iid: COUNT }, 'iid'],
  ['client_user_id', 'accounts', COUNT, { account_name: TEXT, user_id: COUNT }, 'user_id'],
  ['client_user_id', 'accounts', COUNT, { id: COUNT, user_id: COUNT }, 'id'],
  ['external_customer_id', 'customers', TEXT, { slug: TEXT, external_id: TEXT }, 'external_id'],
  ['customerExternalId', 'customers', TEXT, { id: TEXT, externalId: TEXT }, 'externalId'],
  [
    'applied_coupon_id',
    'applied_coupons',
    TEXT,
    { coupon_code: TEXT, acme_id: TEXT, acme_coupon_id: TEXT },
    'acme_id',
  ],
  ['org_name', 'orgs', TEXT, { id: { ...TEXT, format: 'uuid' }, name: TEXT }, 'name'],
  ['user_email', 'members', TEXT, { id: TEXT, email: TEXT }, 'email'],
  ['issue_number', 'issues', COUNT, { id: COUNT, number: TEXT }, 'id'],
  ['class_name', 'views', TEXT, { id: TEXT, name: TEXT }, 'id'],
  ['comment', 'comments', TEXT, { id: TEXT, comment: TEXT }, 'id'],
  ['text', 'texts', TEXT, { text: TEXT }, 'text'],
  ['release_type', 'releases', TEXT, { id: TEXT, type: { enum: ['a', 'b'] } }, 'id'],
])('a path with {%s} of %s leads to records by their property of this name', (...given) => {
  const [parameter, word, schema, properties, id] = given

  expect(idOf(objectOf(properties), parameter, word, schema)).toBe(id)
})

test.each<[parameter: string, word: string, properties: Record<string, Schema>, id: string]>([
  ['org', 'orgs', { id: COUNT, name: TEXT, username: TEXT }, 'username'],
  ['org', 'orgs', { id: COUNT, title: TEXT, login: TEXT }, 'login'],
  ['username', 'users', { id: COUNT, login: TEXT }, 'login'],
  ['tag', 'tags', { id: COUNT, name: TEXT, tag_name: TEXT }, 'tag_name'],
  ['repo', 'repos', { id: COUNT, name: TEXT }, 'name'],
  ['repoId', 'repos', { id: COUNT, name: TEXT }, 'id'],
  ['repo', 'repos', { id: TEXT, name: TEXT }, 'id'],
  ['sort', 'repos', { id: COUNT, name: TEXT }, 'id'],
])('a text {%s} names one of the %s whose ids are numbers by a text', (...given) => {
  const [parameter, word, properties, id] = given

  expect(idOf(objectOf(properties), parameter, word, TEXT)).toBe(id)
})

test('a name that no client sends where others are sent names no record', () => {
  const record = objectOf({ id: COUNT, name: TEXT })
  const context = { parameter: 'org', word: 'orgs', schema: TEXT }

  expect(idPropertyOf(record, { ...context, created: new Set(['title']) })?.name).toBe('id')
  expect(idPropertyOf(record, { ...context, created: new Set(['name']) })?.name).toBe('name')
})

test.each<[parameter: string, id: string, properties: Record<string, Schema>, keys: string[]]>([
  ['org', 'login', { id: COUNT, login: TEXT }, ['id']],
  ['projectIdOrKey', 'id', { id: TEXT, key: TEXT, name: TEXT }, ['key']],
  ['slug_or_id', 'id', { id: TEXT, slug: TEXT }, ['slug']],
  ['articleId', 'id', { id: COUNT, slug: TEXT }, ['slug']],
  ['user', 'id', { id: TEXT, username: TEXT }, ['username']],
  ['userId', 'id', { id: TEXT, username: TEXT }, []],
  ['versionId', 'versionId', { id: TEXT, versionId: TEXT }, []],
])('a path with {%s} that leads to the %s of %j may have %j, too', (...given) => {
  const [parameter, id, properties, keys] = given
  const created = new Set(['slug', 'username'])
  const context = { parameter, word: 'books', schema: TEXT, created }

  expect(furtherKeysOf(objectOf(properties), id, context)).toEqual(keys)
})

test('a path with a number has no further key', () => {
  const context = { parameter: 'issue_number', word: 'issues', schema: COUNT }

  expect(furtherKeysOf(objectOf({ id: COUNT, number: COUNT }), 'number', context)).toEqual([])
})

test('the id of records without a path of their own is called id', () => {
  expect(idOf(objectOf(['name', 'id']))).toBe('id')
})

test('the id is in the object about the record that has one', () => {
  const record = objectOf({ kind: { type: 'string' }, metadata: objectOf(['name', 'labels']) })

  expect(idOf(record, 'name')).toBe('/metadata/name')
})

test('a property of the record is the id before one of an object in it', () => {
  const record = objectOf({ id: { type: 'string' }, metadata: objectOf(['id']) })

  expect(idOf(record, 'bookId')).toBe('id')
})

test.each<[string, Schema]>([
  ['an object', { type: 'object' }],
  ['a list', { type: 'array' }],
  ['a boolean', { type: 'boolean' }],
  ['an object by its properties', { properties: { id: {} } }],
])('%s is no id', (_case, schema) => {
  expect(idOf(objectOf({ id: schema }), 'bookId')).toBeUndefined()
})

test.each<Schema>([
  { type: 'string' },
  { type: 'integer' },
  { type: ['string', 'null'] },
  { anyOf: [{ type: 'integer' }, { type: 'null' }] },
  {},
])('a value with the schema %j can be an id', (schema) => {
  expect(idOf(objectOf({ id: schema }), 'bookId')).toBe('id')
})

test('a number in the path is rather an id that can be a number', () => {
  const id: Schema = { type: 'string', format: 'uuid' }
  const record = objectOf({ id, bookNumber: { type: 'integer' } })

  expect(idOf(record, 'bookId', 'books', { type: 'integer' })).toBe('bookNumber')
  expect(idOf(record, 'bookId', 'books', { type: 'string' })).toBe('id')
})

test('a number is the id when the path contains a number and no other property fits', () => {
  const number: Schema = { type: 'integer' }
  const record = objectOf({ name: { type: 'string' }, number })

  expect(idOf(record, 'id', 'stations', number)).toBe('number')
  expect(idOf(record, 'id', 'stations')).toBeUndefined()
  expect(idOf(objectOf({ number, id: number }), 'id', 'stations', number)).toBe('id')
})

test('the id is called after the path of the collection before it has the usual name of an id', () => {
  const record = objectOf(['code', 'insurancePolicyId'])

  expect(idOf(record, 'id', 'LifeInsurancePolicies')).toBe('insurancePolicyId')
})

test('the id of the record above is no prefix of all ids', () => {
  const holding = objectOf({
    accountId: { type: 'integer' },
    accountHoldingId: { type: 'integer' },
  })
  const path = '/accounts/{accountId}/holdings'

  expect(idPropertyOf(holding, { parameter: 'id', word: 'holdings', path })?.name).toBe(
    'accountHoldingId',
  )
})

test('records without such a property have no id', () => {
  expect(idOf(objectOf(['title', 'pages']), 'bookId')).toBeUndefined()
})

test.each<[property: string, path: string, parameter: string]>([
  ['policyId', '/life-insurance-policies', 'id'],
  ['insurancePolicyId', '/LifeInsurancePolicies', 'id'],
  ['stateProvinceId', '/StatesProvinces', 'id'],
  ['accountHoldingId', '/accounts/{accountId}/holdings', 'id'],
  ['education_expense_id', '/education-goals/{goalId}/expenses', 'id'],
  ['template_id_master', '/master-templates', 'template_id'],
  ['receipt_rule_id', '/automations/receipts', 'rule_id'],
  ['branch_name', '/branch_rules', 'name'],
])('%s contains the id of the records below %s', (property, path, parameter) => {
  expect(isNamedAfter(property, { path, parameter })).toBe(true)
})

test.each<[property: string, path: string, parameter: string]>([
  ['accountId', '/accounts/{accountId}/holdings', 'id'],
  ['orderId', '/order-items', 'id'],
  ['branch_name', '/branch_rules', 'rule_id'],
  ['repo_name', '/repos/{repo}/mirrors', 'name'],
  ['ownerId', '/books', 'bookId'],
  ['holdingPrice', '/holdings', 'id'],
  ['id', '/holdings', 'id'],
])('%s contains no id of the records below %s', (property, path, parameter) => {
  expect(isNamedAfter(property, { path, parameter })).toBe(false)
})

test.each([
  ['books', 'book'],
  ['categories', 'category'],
  ['boxes', 'box'],
  ['sales-orders', 'salesOrder'],
  ['address', 'addresses'],
  ['book', 'books'],
])('%s and %s are the same word', (one, other) => {
  expect(isSameWord(one, other)).toBe(true)
  expect(isSameWord(other, one)).toBe(true)
})

test.each([
  ['books', 'bookings'],
  ['orders', 'borders'],
  ['data', 'date'],
])('%s and %s are different words', (one, other) => {
  expect(isSameWord(one, other)).toBe(false)
})

test.each([
  ['stateProvinceId', ['state', 'province', 'id']],
  ['XMLFile', ['xml', 'file']],
  ['sales-order_2', ['sales', 'order', '2']],
  ['', []],
])('%s has the words %j', (name, words) => {
  expect(wordsOf(name)).toEqual(words)
})

test.each<[said: string, keys: readonly string[]]>([
  ["The application's ID or UID", ['uid']],
  ['ID, slug or the email of the app', ['email']],
  ['The ID or URL-encoded uid', ['uid']],
  ['The app ID (UUID) or app name', ['name']],
  ['The text that identifies the app. Can also be its `email`.', ['email']],
  ["Use the ID or the 'uid' of the app", ['uid']],
  ['The `uid` of the app', []],
  ['Name or email of the app', []],
  ['The id of the app, or nothing', []],
])('a parameter that is described as "%s" has the further keys %j', (said, keys) => {
  const record = objectOf(['id', 'uid', 'email', 'name'])
  const context = { parameter: 'app_id', word: 'apps', schema: { type: 'string' }, said }

  expect(furtherKeysOf(record, 'id', context)).toEqual(keys)
})

test.each([
  ['orgs', 'organization'],
  ['repositories', 'repo'],
  ['environment', 'envs'],
])('paths shorten words: %s and %s', (one, other) => {
  expect(isSameWord(one, other)).toBe(true)
})

test('a name is the id of records without one where the description of the path says so', () => {
  const created = new Set(['name'])
  const context = { parameter: 'tag_id', word: 'tags', schema: TEXT, created }
  const said = 'The name of the tag. It may contain letters.'

  expect(idPropertyOf(objectOf(['color', 'name']), { ...context, said })?.name).toBe('name')
  expect(idPropertyOf(objectOf(['id', 'name']), { ...context, said })?.name).toBe('id')
  expect(idPropertyOf(objectOf(['color', 'name']), context)).toBeUndefined()
})

test('a path with a number or a text offers the keys that its description names', () => {
  const record = objectOf({ id: COUNT, fingerprint: TEXT, name: TEXT })
  const schema = { anyOf: [COUNT, TEXT] }
  const said = 'Either the ID or the fingerprint of an existing key.'

  expect(furtherKeysOf(record, 'id', { parameter: 'key_id', word: 'keys', schema, said })).toEqual([
    'fingerprint',
  ])
})
