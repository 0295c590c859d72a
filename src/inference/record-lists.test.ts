import { describe, expect, test } from 'vitest'
import type { Operation, Schema } from '../contract/contract.ts'
import { listOf, objectOf, operationOn } from '../testing/operation-on.ts'
import { inferHints } from './infer-hints.ts'

const TEXT = { type: 'string' } as const
const LABEL = objectOf(['id', 'name', 'color'])
const ISSUE = objectOf({
  ...{ id: TEXT, title: TEXT, labels: listOf(LABEL) },
  drive_ids: { type: 'array', items: { type: 'integer' } },
  tags: { type: 'array', items: TEXT },
})

const OTHERS: readonly Operation[] = [
  operationOn('POST /issues', { sent: objectOf(['title']), shown: ISSUE }),
  operationOn('GET /issues/{id}', { shown: ISSUE }),
  operationOn('GET /labels', { shown: listOf(LABEL) }),
  operationOn('GET /labels/{id}', { shown: LABEL }),
]
const LIST = operationOn('GET /issues/{id}/labels', { shown: listOf(LABEL) })
const NAMES: Schema = { type: 'array', items: TEXT }

function hintOf(operation: Operation, others: readonly Operation[] = [LIST]): unknown {
  const { resource, list } = inferHints([...OTHERS, ...others, operation]).of(operation)
  return list && resource === 'issues' ? list : undefined
}

describe('a path to a list in a record', () => {
  const labels = { property: 'labels', of: 'labels' }

  test('shows the list', () => {
    const addition = operationOn('POST /issues/{id}/labels', { sent: NAMES })
    expect(hintOf(LIST, [addition])).toEqual(labels)
  })

  test.each<[target: string, sent: Schema | undefined, change: object]>([
    ['POST /issues/{id}/labels', objectOf({ labels: NAMES }), { change: 'add', sent: '/labels' }],
    ['POST /issues/{id}/labels', NAMES, { change: 'add', sent: '' }],
    ['PUT /issues/{id}/labels', objectOf({ ids: NAMES }), { change: 'replace', sent: '/ids' }],
    ['DELETE /issues/{id}/labels', undefined, { change: 'clear' }],
    ['DELETE /issues/{id}/labels/{name}', undefined, { change: 'remove' }],
    ['PUT /issues/{id}/labels/{name}', undefined, { change: 'add' }],
    ['POST /issues/{id}/addLabel', objectOf(['label']), { change: 'add', sent: '/label' }],
    [
      'POST /issues/{id}/removeLabel',
      objectOf({ data: objectOf(['label']) }),
      { change: 'remove', sent: '/data/label' },
    ],
  ])('changes it by %s', (target, sent, change) => {
    const operation = operationOn(target, { ...(sent && { sent }), shown: listOf(LABEL) })
    expect(hintOf(operation)).toEqual({ ...labels, ...change })
  })

  test.each([
    ['POST /issues/{id}/change_labels', objectOf({ add: NAMES, remove: NAMES })],
    ['PATCH /issues/{id}/labels', objectOf({ add: NAMES, remove: NAMES })],
  ])('changes it by what %s adds and removes', (target, sent) => {
    const operation = operationOn(target, { sent, shown: ISSUE })
    const change = { change: 'add', sent: '/add', removed: '/remove' }
    expect(hintOf(operation)).toEqual({ ...labels, ...change })
  })

  test('changes what the properties of the body name', () => {
    const sent = objectOf({ addTags: NAMES, removeTags: NAMES })
    const operation = operationOn('POST /issues/{id}/modify', { sent, status: 204 })
    const removal = objectOf({ tags_to_remove: NAMES })
    const other = operationOn('POST /issues/{id}/modify', { sent: removal, status: 204 })

    expect(hintOf(operation)).toEqual({
      ...{ property: 'tags', change: 'add', sent: '/addTags', removed: '/removeTags' },
    })
    expect(hintOf(other)).toEqual({ property: 'tags', change: 'remove', sent: '/tags_to_remove' })
  })

  test('changes a list of ids', () => {
    const sent = objectOf({ drive_ids: { type: 'array', items: { type: 'integer' } } })
    const operation = operationOn('POST /issues/{id}/drives', { sent, status: 204 })
    const expected = { property: 'drive_ids', change: 'add', sent: '/drive_ids' }
    expect(hintOf(operation)).toEqual(expected)
  })

  test.each<[why: string, other: Operation]>([
    [
      'a record is created there',
      operationOn('POST /issues/{id}/labels', { sent: objectOf(['name', 'color']) }),
    ],
    ['one item is read there', operationOn('GET /issues/{id}/labels/{name}', { shown: LABEL })],
  ])('is none where %s', (_why, other) => {
    expect(hintOf(LIST, [other])).toBeUndefined()
  })
})
