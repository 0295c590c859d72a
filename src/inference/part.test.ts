import { describe, expect, test } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import { listOf, objectOf, operationOn } from '../testing/operation-on.ts'
import { inferHints } from './infer-hints.ts'
import { partOf } from './part.ts'

const AREA = objectOf(['name', 'note', 'colour'])
const ID: Schema = { type: 'string' }

describe('the property of a record whose value a request contains', () => {
  test.each<[title: string, sent: Schema, record: Schema, part: string | undefined]>([
    ['has the same schema', AREA, objectOf({ id: ID, area: AREA }), 'area'],
    [
      'has most of the names in the request',
      objectOf(['name', 'note', 'draft']),
      objectOf({ id: ID, area: AREA, owner: objectOf(['name']) }),
      'area',
    ],
    [
      'is not needed where the record has one of the names',
      AREA,
      objectOf({ id: ID, name: ID, area: AREA }),
      undefined,
    ],
    [
      'needs more than one name of an object in the record',
      objectOf(['name']),
      objectOf({ id: ID, owner: objectOf(['id', 'name']) }),
      undefined,
    ],
    [
      'needs most of the names',
      objectOf(['name', 'note', 'size', 'age', 'shape']),
      objectOf({ id: ID, area: AREA }),
      undefined,
    ],
    ['is an object', AREA, objectOf({ id: ID, areas: listOf(AREA) }), undefined],
  ])('%s', (_title, sent, record, part) => {
    expect(partOf(sent, record)).toBe(part)
  })

  test('is a hint of each request with a body', () => {
    const shown = objectOf({ id: ID, area: AREA })
    const operations = [
      operationOn('POST /areas', { sent: AREA, shown: objectOf(['id']) }),
      operationOn('GET /areas/{id}', { shown }),
      operationOn('PUT /areas/{id}', { sent: AREA, shown }),
    ]

    const inferred = inferHints(operations)

    expect(operations.map((one) => inferred.of(one).part)).toEqual(['area', undefined, 'area'])
  })
})
