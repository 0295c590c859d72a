import { describe, expect, test } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import { listOf, objectOf, operationOn } from '../testing/operation-on.ts'
import { inferHints } from './infer-hints.ts'
import { showsOneRecord } from './one-record.ts'

const ITEM = objectOf(['itemId', 'title'])
const TEXT: Schema = { type: 'string' }
const ORDER = objectOf({ orderId: TEXT, status: TEXT, address: TEXT, items: listOf(ITEM) })

describe('a response at the path of a record, below which there are others,', () => {
  test.each<[title: string, body: Schema, path: string, isOne: boolean]>([
    ['shows the record by its id', ORDER, '/orders/{orderId}', true],
    ['shows the record in an envelope', objectOf({ data: ORDER }), '/orders/{orderId}', true],
    ['is a list', listOf(ORDER), '/orders/{orderId}', false],
    ['is a list in an envelope', objectOf({ items: listOf(ITEM) }), '/orders/{orderId}', false],
    [
      'is a list beside the id',
      objectOf({ orderId: TEXT, count: TEXT, items: listOf(ITEM) }),
      '/orders/{orderId}',
      false,
    ],
    ['shows no id', objectOf({ status: TEXT, items: listOf(ITEM) }), '/orders/{orderId}', false],
    ['belongs to a collection', ORDER, '/orders', false],
  ])('%s', (_title, body, path, isOne) => {
    expect(showsOneRecord(body, path)).toBe(isOne)
  })

  test('is no list of the records below it', () => {
    const order = operationOn('GET /orders/{orderId}', { shown: ORDER })
    const item = operationOn('GET /orders/{orderId}/{itemId}', { shown: ITEM })

    const inferred = inferHints([operationOn('GET /orders', { shown: listOf(ORDER) }), order, item])

    expect(inferred.of(order)).toMatchObject({ action: 'read', resource: 'orders', record: '' })
    expect(inferred.of(item).action).toBe('read')
  })
})
