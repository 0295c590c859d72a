import { describe, expect, it } from 'vitest'
import type { CoreRequest } from '../http/message.ts'
import { type Preference, readPreference } from './force.ts'

function asking(prefer: string | undefined): CoreRequest {
  return {
    method: 'GET',
    base: 'http://localhost/v1',
    path: '/pets',
    query: '',
    header: (name) => (name === 'prefer' ? prefer : undefined),
    headers: () => [],
    body: async () => new Uint8Array(),
  }
}

describe('a preference', () => {
  it.each<[header: string, preference: Preference]>([
    ['code=429', { code: 429 }],
    ['code="429"', { code: 429 }],
    ['code = 429', { code: 429 }],
    ['CODE=429', { code: 429 }],
    ['outcome=day-exhausted', { outcome: 'day-exhausted' }],
    ['code=429, retry-after=1', { code: 429, retryAfter: 1 }],
    ['code=429, retry-after=0', { code: 429 }],
    ['code=429, retry-after=abc', { code: 429 }],
    ['code=429; retry-after=1', { code: 429, retryAfter: 1 }],
    ['respond-async, code=404', { code: 404 }],
    ['wait=10,code=404,handling=lenient', { code: 404 }],
    ['code=429, code=500', { code: 429 }],
  ])('is read from %j', (header, preference) => {
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
    ['example="a, code=429"'],
    ['example; code=429'],
    ['code=abc'],
    ['code=4290000'],
    ['retry-after=1'],
  ])('is not read from %j', (header) => {
    expect(readPreference(asking(header))).toBeUndefined()
  })
})
