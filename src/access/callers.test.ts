import { describe, expect, it } from 'vitest'
import type { CoreRequest } from '../http/message.ts'
import { identify, type Plan } from './callers.ts'
import { Keys } from './keys.ts'
import { bearerScheme } from './security-scheme.ts'

const BEARER = bearerScheme('token')
const FREE: Plan = { name: 'free', minute: 60, day: 1000 }
const PRO: Plan = { name: 'pro', minute: 300, day: 10_000 }
const { callers: CALLERS } = new Keys({
  plans: [FREE, PRO],
  keys: [
    ['sk_free', { plan: 'free' }],
    ['sk_pro', { plan: 'pro' }],
    ['sk_banned', { plan: 'free', always: 'banned' }],
  ],
})

function asking(authorization: string | undefined): CoreRequest {
  return {
    method: 'GET',
    base: 'http://localhost/v1',
    path: '/pets',
    query: '',
    header: (name) => (name === 'authorization' ? authorization : undefined),
    headers: () => [],
    body: async () => new Uint8Array(),
  }
}

describe('a caller', () => {
  it('with a valid key has the plan of the key', () => {
    expect(identify(asking('Bearer sk_pro'), CALLERS, [BEARER])).toEqual({
      account: 'sk_pro',
      plan: PRO,
      key: 'valid',
      credential: 'sk_pro',
    })
  })

  it('with a magic key has the outcome of the key', () => {
    expect(identify(asking('Bearer sk_banned'), CALLERS, [BEARER])).toMatchObject({
      always: 'banned',
    })
  })

  it.each([
    'bearer sk_pro',
    'BEARER sk_pro',
    'Bearer  sk_pro',
    'Bearer sk_pro ',
    'Bearer \tsk_pro',
  ])('can send the key as %j', (authorization) => {
    expect(identify(asking(authorization), CALLERS, [BEARER]).account).toBe('sk_pro')
  })

  it.each<[authorization: string | undefined]>([
    [undefined],
    [''],
    ['Bearer'],
    ['Bearer '],
    ['Bearer   '],
    ['sk_pro'],
    ['Basic sk_pro'],
    ['Bearersk_pro'],
    ['Bearer:sk_pro'],
    ['Bearer\tsk_pro'],
    ['Token Bearer sk_pro'],
    [' Bearer sk_pro'],
  ])('that sends %j has sent no key', (authorization) => {
    expect(identify(asking(authorization), CALLERS, [BEARER])).toMatchObject({
      key: 'missing',
      account: '(anonymous)',
      plan: { name: 'free' },
    })
  })

  it.each([
    'Bearer sk_unknown',
    'Bearer SK_PRO',
    'Bearer sk_pro sk_pro',
    'Bearer sk_pro, Bearer sk_pro',
    'Bearer sk_pro,',
    'Bearer \u00a0sk_pro',
    'Bearer sk_pro\ufeff',
    'Bearer \u00a0',
    'Bearer "sk_pro"',
    'Bearer __proto__',
    'Bearer constructor',
    'Bearer (anonymous)',
  ])('that sends %j has sent an invalid key', (authorization) => {
    expect(identify(asking(authorization), CALLERS, [BEARER])).toMatchObject({
      key: 'invalid',
      account: '(anonymous)',
      plan: { name: 'free' },
    })
  })
})
