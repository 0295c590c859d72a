import { describe, expect, test } from 'vitest'
import { type BreakDraft, isBreakable, toBreakRule } from './break-dialog.tsx'

const REQUESTS = { operation: 'listBooks', method: 'GET', target: '/books?limit=3' }

function draftOf(changes: Partial<BreakDraft>): BreakDraft {
  const draft = { answer: 'server-error', example: '', fault: '', delay: '', number: '3' }
  return { ...draft, extent: 'once', share: '20%', ...changes }
}

describe('the rule that breaks requests', () => {
  test.each<[Partial<BreakDraft>, object]>([
    [{}, { outcome: 'server-error', times: 1 }],
    [
      { answer: 'status 409', example: 'taken' },
      { status: 409, example: 'taken', times: 1 },
    ],
    [
      { extent: 'next', number: '5' },
      { outcome: 'server-error', times: 5 },
    ],
    [
      { extent: 'share', share: '20%' },
      { outcome: 'server-error', probability: 0.2 },
    ],
    [{ extent: 'always' }, { outcome: 'server-error' }],
    [
      { answer: '', fault: 'slow-bytes' },
      { fault: 'slow-bytes', times: 1 },
    ],
    [
      { answer: '', delay: '100ms..2s' },
      { latency: '100ms..2s', times: 1 },
    ],
  ])('of %j is %j', (changes, rule) => {
    expect(toBreakRule(draftOf(changes), REQUESTS)).toEqual({
      rule: { operation: 'listBooks', ...rule },
      errors: {},
    })
  })

  test('is for the method and the path of requests that match no operation', () => {
    const { rule } = toBreakRule(draftOf({}), { method: 'GET', target: '/books?limit=3' })

    expect(rule).toMatchObject({ method: 'GET', path: '/books' })
  })

  test.each<[Partial<BreakDraft>, string]>([
    [{ answer: '' }, 'answer'],
    [{ delay: 'long' }, 'delay'],
    [{ extent: 'next', number: '0' }, 'number'],
    [{ extent: 'share', share: '120%' }, 'share'],
  ])('of %j is wrong in the field %s', (changes, field) => {
    expect(Object.keys(toBreakRule(draftOf(changes), REQUESTS).errors)).toEqual([field])
  })
})

test.each([
  [{ operation: 'listBooks', method: 'GET', status: 404 }, true],
  [{ method: 'POST', status: 401 }, true],
  [{ method: 'GET', status: 404 }, false],
  [{ method: 'PATCH', status: 405 }, false],
  [{ method: 'OPTIONS', status: 204 }, false],
])('an answer can be forced on requests like %j: %s', (exchange, isPossible) => {
  expect(isBreakable(exchange)).toBe(isPossible)
})
