import { expect, test } from 'vitest'
import { listOf, objectOf, operationOn } from '../testing/operation-on.ts'
import { inferHints } from './infer-hints.ts'

const TEXT = { type: 'string' } as const
const ISSUE = objectOf({
  id: TEXT,
  title: TEXT,
  state: { type: 'string', enum: ['open', 'closed', 'archived'] },
})
const EVENT = objectOf({ id: TEXT, type: TEXT, created_at: TEXT })

const ISSUES = [
  operationOn('GET /issues', { shown: listOf(ISSUE) }),
  operationOn('POST /issues', { sent: objectOf(['title']), shown: ISSUE }),
  operationOn('GET /issues/{id}', { shown: ISSUE }),
]

function named(...actions: readonly string[]) {
  return { type: 'string', enum: actions } as const
}

test.each([
  ['PUT /issues/{id}', objectOf({ title: TEXT, state_event: named('close', 'reopen') })],
  ['PATCH /issues/{id}', objectOf({ title: TEXT, move: named('close', 'reopen') })],
  ['POST /issues/{id}', objectOf({ title: TEXT, action: named('close', 'reopen', 'ping') })],
])('a body names an action on the record of its path: %s', (target, sent) => {
  const operation = operationOn(target, { sent, shown: ISSUE })
  const { cases = [] } = inferHints([...ISSUES, operation]).of(operation)

  expect(cases.map(({ when, set }) => [Object.values(when), set])).toEqual([
    [['close'], { state: 'closed' }],
    [['reopen'], { state: 'open' }],
  ])
  expect(cases).toMatchObject([{ resource: 'issues' }, { resource: 'issues' }])
})

test('an action that is recorded below a record changes that record', () => {
  const sent = objectOf({ type: named('archive', 'ping') })
  const operations = [
    ...ISSUES,
    operationOn('GET /issues/{id}/actions', { shown: listOf(EVENT) }),
    operationOn('POST /issues/{id}/actions', { sent, shown: EVENT }),
    operationOn('GET /issues/{id}/actions/{action_id}', { shown: EVENT }),
  ]
  const hints = inferHints(operations).of(operations[4] ?? operationOn('GET /', {}))

  expect(hints).toMatchObject({ action: 'create', resource: 'actions' })
  expect(hints.cases).toEqual([
    {
      ...{ action: 'create', resource: 'actions', record: '', when: { 'body.type': 'archive' } },
      also: [{ in: '/issues', id: '{path.id}', set: { state: 'archived' } }],
    },
  ])
})

test.each([
  ['a property of the record', { state: named('open', 'closed') }],
  ['a property that may have other values', { kind: named('close', 'other') }],
  ['a property without listed values', { action: TEXT }],
])('%s names no action', (_which, properties) => {
  const operation = operationOn('PUT /issues/{id}', { sent: objectOf(properties), shown: ISSUE })

  expect(inferHints([...ISSUES, operation]).of(operation).cases).toBeUndefined()
})

test('a request that may have several records instead of one creates each, and its response shows what it has', () => {
  const one = objectOf(['title', 'state'])
  const sent = objectOf({ issue: one, issues: listOf(one) })
  const data = objectOf({ issue: ISSUE, issues: listOf(ISSUE) })
  const creation = operationOn('POST /issues', { sent, shown: objectOf({ data }) })
  const [list, , read] = ISSUES
  const operations = [...[list, read].flatMap((one) => one ?? []), creation]

  const { cases, ...hints } = inferHints(operations).of(creation)

  expect(hints).toMatchObject({
    ...{ action: 'create', body: '/issue', record: '/data/issue' },
    answer: { data: { issues: '{absent}' } },
  })
  expect(cases).toMatchObject([
    {
      when: { 'body.issues': { exists: true }, 'body.issue': '{absent}' },
      ...{ action: 'create', body: '/issues', record: '/data/issues' },
      answer: { data: { issue: '{absent}' } },
    },
  ])
})
