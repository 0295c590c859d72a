import { expect, test } from 'vitest'
import type { OperationDetails } from './operation.ts'
import { formFor } from './operation-coverage.tsx'
import { bodyOf } from './request-body.ts'
import { toForm } from './request-form.ts'

const SCHEMA = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string' },
    owner: { type: 'object', properties: {} },
    kind: { type: 'string', enum: ['cat', 'dog'] },
    any: {},
  },
} as const

const DETAILS: OperationDetails = {
  operation: 'add',
  method: 'POST',
  path: '/things',
  behaviour: 'create',
  reason: '',
  certainty: 'sure',
  hint: '',
  deprecated: false,
  secured: true,
  diagnostics: [],
  responses: [],
  parameters: [
    { name: 'limit', in: 'query', required: false, schema: { type: 'integer' } },
    { name: 'kinds', in: 'query', required: false, schema: { type: 'array', items: {} } },
    { name: 'note', in: 'query', required: false, schema: { type: 'string' } },
    { name: 'code', in: 'query', required: false, schema: { type: 'string', maxLength: 3 } },
  ],
  body: { required: true, contentTypes: ['application/json'], schema: SCHEMA },
}

const BODY = { mediaType: 'application/json', value: { name: 'a' }, isText: false }
const FORM = toForm(
  DETAILS,
  { method: 'POST', path: '/v1/things', query: [], headers: [] },
  'k',
  BODY,
)
const LOADED = { form: FORM, credentials: [], keys: [], options: bodyOf(DETAILS) }

/** What differs in the request that covers an item. */
function changes(name: string): unknown {
  const form = formFor(name, { details: DETAILS, form: FORM, loaded: LOADED })
  if (!form) return undefined
  const { prefer, key, body, parameters } = form
  const values = parameters.flatMap((one) => (one.value === undefined ? [] : [one.value]))

  return [prefer, key, body?.value, ...values]
}

test.each([
  ['404', ['code=404', 'k', { name: 'a' }]],
  ['5XX', ['code=500', 'k', { name: 'a' }]],
  ['default', ['code=500', 'k', { name: 'a' }]],
  ["429 by the minute's quota", ['outcome=rate-limited', 'k', { name: 'a' }]],
  ['404 after its removal', ['outcome=removed', 'k', { name: 'a' }]],
  ['401 without a key', ['', '', { name: 'a' }]],
  ['401 with a wrong key', ['', 'a-wrong-key', { name: 'a' }]],
  ['400 for query.limit', ['', 'k', { name: 'a' }, '~wrong~']],
  ['400 for query.code', ['', 'k', { name: 'a' }, 'xxxx']],
  ['400 for query.note', undefined],
  ['400 for query.other', undefined],
  ['400 for body.name is required', ['', 'k', {}]],
  ['400 for body.name', ['', 'k', { name: { '~wrong~': true } }]],
  ['422 for body.owner', ['', 'k', { name: 'a', owner: '~wrong~' }]],
  ['400 for body.any', undefined],
  ['400 for body.__proto__', undefined],
  ['query.kinds=x=y', ['', 'k', { name: 'a' }, ['x=y']]],
  ['body.kind=dog', ['', 'k', { name: 'a', kind: 'dog' }]],
  ['body.kind=bird', undefined],
  ['something else', undefined],
])('the request that covers %s is known, where there is one', (name, expected) => {
  expect(changes(name)).toEqual(expected)
})
