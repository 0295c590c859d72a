import { describe, expect, test } from 'vitest'
import { UsageError } from '../../validation/usage-error.ts'
import {
  describeConditions,
  describeSettings,
  EMPTY_DRAFT,
  fieldOf,
  type RuleDraft,
  toRules,
} from './rule-draft.ts'

const draftOf = (changes: Partial<RuleDraft>): RuleDraft => ({ ...EMPTY_DRAFT, ...changes })

describe('toRules', () => {
  test('makes one rule without conditions of an empty form', () => {
    expect(toRules(EMPTY_DRAFT)).toEqual({ rules: [{ outcome: 'server-error' }], errors: {} })
  })

  test('makes one rule for each operation, with the same conditions', () => {
    const { rules } = toRules(draftOf({ operations: ['list', 'read'], times: ' 2 ', key: 'k' }))

    expect(rules).toEqual([
      { outcome: 'server-error', operation: 'list', times: 2, key: 'k' },
      { outcome: 'server-error', operation: 'read', times: 2, key: 'k' },
    ])
  })

  test('reads all fields', () => {
    const draft = draftOf({
      outcome: 'unavailable',
      method: 'POST',
      path: '/books/*',
      skip: '1',
      probability: '0.5',
      retryAfter: '3',
      latency: '100ms..2s',
    })

    expect(toRules(draft).rules).toEqual([
      {
        outcome: 'unavailable',
        method: 'POST',
        path: '/books/*',
        skip: 1,
        probability: 0.5,
        retryAfter: 3,
        latency: '100ms..2s',
      },
    ])
  })

  test('leaves out a Retry-After that the outcome does not send', () => {
    expect(toRules(draftOf({ outcome: 'slow', retryAfter: '3' })).rules).toEqual([
      { outcome: 'slow' },
    ])
  })

  test('reads an answer', () => {
    const draft = draftOf({
      outcome: 'answer',
      status: ' 429 ',
      example: 'taken',
      fields: 'label: is taken\n\n tags[0].name : is: too long ',
      body: '{ "message": "no" }',
      headers: 'X-Reason: maintenance',
      fault: 'truncated',
      retryAfter: '3',
    })

    expect(toRules(draft)).toEqual({
      rules: [
        {
          status: 429,
          example: 'taken',
          fields: { label: 'is taken', 'tags[0].name': 'is: too long' },
          body: { message: 'no' },
          headers: { 'X-Reason': 'maintenance' },
          fault: 'truncated',
          retryAfter: 3,
        },
      ],
      errors: {},
    })
  })

  test('says what cannot be read of an answer', () => {
    const wrong = { status: 'x', fields: 'label', body: '{', headers: 'X-Reason' }

    expect(toRules(draftOf({ outcome: 'answer', ...wrong })).errors).toEqual({
      status: 'It is not a number.',
      fields: 'Each line needs a name, a colon and a text.',
      body: 'It is not JSON.',
      headers: 'Each line needs a name, a colon and a value.',
    })
  })

  test('reads a series with its conditions, and a flow', () => {
    const draft = draftOf({
      outcome: 'series',
      series: '503\n rate-limited \n\nnext\n{ "status": 409, "example": "taken" }',
      ...{ tag: 'Books', query: 'color=red\nsize=2', content: '{ "name": "Ada" }' },
      ...{ flow: 'payment', from: 'start', to: 'paid', retryAfter: '2' },
    })

    expect(toRules(draft)).toEqual({
      rules: [
        {
          series: [503, 'rate-limited', 'next', { status: 409, example: 'taken' }],
          tag: 'Books',
          where: { query: { color: 'red', size: '2' }, body: { name: 'Ada' } },
          ...{ flow: 'payment', from: 'start', to: 'paid', retryAfter: 2 },
        },
      ],
      errors: {},
    })
  })

  test('reads a fault of deliveries, without the conditions of requests', () => {
    const draft = draftOf({
      outcome: 'delivery',
      operations: ['list'],
      ...{
        delivery: 'late',
        event: 'order.*',
        subscription: 'hooks/1',
        latency: '10s',
        times: '1',
      },
      ...{ method: 'GET', path: '/books', key: 'k', query: 'a=1', content: '{' },
    })

    expect(toRules(draft)).toEqual({
      rules: [
        {
          ...{ delivery: 'late', event: 'order.*', subscription: 'hooks/1' },
          ...{ times: 1, latency: '10s' },
        },
      ],
      errors: {},
    })
  })

  test.each(['', 'often', '[503]'])('says that a series of %j cannot be read', (series) => {
    const { errors } = toRules(draftOf({ outcome: 'series', series, content: '{' }))

    expect(errors.series).toMatch(/^Each line needs/)
    expect(errors.content).toBe('It is not JSON.')
  })

  test('leaves out what was typed of an answer, when an outcome is chosen', () => {
    expect(toRules(draftOf({ outcome: 'banned', status: '409', body: '{' }))).toEqual({
      rules: [{ outcome: 'banned' }],
      errors: {},
    })
  })

  test('says which fields have no number and no duration', () => {
    const { errors } = toRules(draftOf({ times: 'two', skip: '-1', latency: 'long' }))

    expect(errors.times).toBe('It must be an integer ≥ 1.')
    expect(errors.skip).toBe('It must be an integer ≥ 0.')
    expect(errors.latency).toMatch(/^It is not a duration\. Write/)
  })

  test.each([
    ['20%', 0.2],
    ['100 %', 1],
    ['0.5', 0.5],
  ])('reads the probability %s', (probability, value) => {
    const { rules, errors } = toRules(draftOf({ probability }))

    expect(errors).toEqual({})
    expect(rules).toEqual([expect.objectContaining({ probability: value })])
  })

  test.each(['0', '120%', '2', '%', 'half'])('refuses the probability %s', (probability) => {
    expect(toRules(draftOf({ probability })).errors.probability).toMatch(/such as 20%/)
  })
})

test('fieldOf finds the field that the sandbox refused', () => {
  const errorAt = (location?: string) =>
    new UsageError({ code: 'invalid_rule', task: 'force', reason: 'no', location })

  expect(fieldOf(errorAt('body.times'))).toBe('times')
  expect(fieldOf(errorAt('path'))).toBe('path')
  expect(fieldOf(errorAt('body.headers.Date'))).toBe('headers')
  expect(fieldOf(errorAt('body.series[0].status'))).toBe('series')
  expect(fieldOf(errorAt('body.where.query.color'))).toBe('query')
  expect(fieldOf(errorAt('body.where.body'))).toBe('content')
  expect(fieldOf(errorAt('body.body'))).toBe('body')
  expect(fieldOf(errorAt('body.other'))).toBeUndefined()
  expect(fieldOf(errorAt())).toBeUndefined()
  expect(fieldOf(new Error('failed'))).toBeUndefined()
})

test('a rule is described by its conditions and settings', () => {
  const rule = { id: 1, outcome: 'slow', matched: 0, forced: 0 } as const

  expect(describeConditions(rule)).toBe('every request')
  expect(describeSettings(rule)).toBe('')
  const limited = { ...rule, operation: 'list', key: 'k', probability: 0.5, latency: '2s' } as const
  expect(describeConditions(limited)).toBe('list, key k')
  expect(describeSettings({ ...limited, probability: 0.07 })).toBe('probability 7%, delay 2s')
  expect(describeSettings(limited)).toBe('probability 50%, delay 2s')
})
