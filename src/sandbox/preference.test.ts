import { describe, expect, it } from 'vitest'
import type { Ask } from '../message.ts'
import { type Preference, readPreference } from './preference.ts'

function asking(prefer: string | undefined): Ask {
  return {
    method: 'GET',
    base: 'http://localhost/v1',
    path: '/pets',
    query: '',
    header: (name) => (name === 'prefer' ? prefer : undefined),
    body: async () => new Uint8Array(),
  }
}

describe('a preference', () => {
  it.each<[header: string, preference: Preference]>([
    ['code=429', { code: 429, text: 'code=429' }],
    ['code="429"', { code: 429, text: 'code=429' }],
    ['code = 429', { code: 429, text: 'code=429' }],
    ['CODE=429', { code: 429, text: 'code=429' }],
    ['outcome=day-exhausted', { outcome: 'day-exhausted', text: 'outcome=day-exhausted' }],
    ['code=429, retry-after=1', { code: 429, retryAfter: 1, text: 'code=429, retry-after=1' }],
    ['code=429; retry-after=1', { code: 429, retryAfter: 1, text: 'code=429, retry-after=1' }],
    ['respond-async, code=404', { code: 404, text: 'code=404' }],
    ['wait=10,code=404,handling=lenient', { code: 404, text: 'code=404' }],
    ['code=abc', { text: 'code=abc' }],
    ['code=4290000', { text: 'code=4290000' }],
    ['code=429, code=500', { code: 500, text: 'code=500' }],
  ])('is read of %j', (header, preference) => {
    expect(readPreference(asking(header))).toEqual(preference)
  })

  it.each<[header: string | undefined]>([
    [undefined],
    [''],
    ['respond-async'],
    ['return=minimal'],
    ['postcode=429'],
    ['barcode=429'],
    ['x-code=429'],
    ['code'],
    ['code='],
    ['example="code=429"'],
  ])('is not read of %j', (header) => {
    expect(readPreference(asking(header))).toBeUndefined()
  })

  it('is told back without what could break a header', () => {
    const { text = '' } = readPreference(asking('outcome=banned\r\nX-Evil: 1')) ?? {}

    expect(text).toBe('outcome=banned')
  })
})
