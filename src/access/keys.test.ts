import { describe, expect, it } from 'vitest'
import { Keys } from './keys.ts'
import type { Plan } from './plan.ts'

const FREE: Plan = { name: 'free', minute: 60, day: 1000 }
const PRO: Plan = { name: 'pro', minute: 300, day: 10_000 }

function createKeys(): Keys {
  return new Keys({
    plans: [FREE, PRO],
    keys: [
      ['sk_free', { plan: 'free' }],
      ['sk_banned', { plan: 'free', always: 'banned' }],
    ],
  })
}

describe('the keys', () => {
  it('are listed with what their plans allow', () => {
    expect(createKeys().list()).toEqual([
      { key: 'sk_free', plan: FREE },
      { key: 'sk_banned', plan: FREE, always: 'banned' },
    ])
  })

  it('change plans, and new ones are valid at once', () => {
    const keys = createKeys()

    keys.setKey('sk_free', 'pro')
    keys.setKey('mine', 'free')

    expect(keys.callerByToken('sk_free').plan).toEqual(PRO)
    expect(keys.callerByToken('mine')).toEqual({ account: 'mine', plan: FREE, key: 'valid' })
  })

  it('are invalid once they are removed', () => {
    const keys = createKeys()

    keys.removeKey('sk_free')

    expect(keys.callerByToken('sk_free').key).toBe('invalid')
    expect(() => keys.removeKey('sk_free')).toThrow('Cannot find the key "sk_free": there is none.')
  })

  it('go on a plan that there is, and are bearer tokens', () => {
    const keys = createKeys()

    expect(() => keys.setKey('mine', 'fre')).toThrow('Did you mean "free"?')
    expect(() => keys.setKey('a b', 'free')).toThrow('a bearer token has letters')
    expect(keys.list()).toHaveLength(2)
  })

  it('are on the plan as it is changed, callers without a key too', () => {
    const keys = createKeys()

    keys.setPlan('free', { minute: 5 })

    const changed = { name: 'free', minute: 5, day: 1000 }
    expect(keys.callerByToken('sk_free').plan).toEqual(changed)
    expect(keys.callerByToken(undefined).plan).toEqual(changed)
    expect(keys.plans).toEqual([changed, PRO])
  })

  it('refuse a new plan without both windows, and windows of other names', () => {
    const keys = createKeys()

    expect(() => keys.setPlan('gold', { minute: 5 })).toThrow(
      'Cannot add the plan "gold": a new one needs both minute and day. Known: free, pro.',
    )
    expect(() => keys.setPlan('free', { hour: 5 } as object)).toThrow('hour')
    expect(keys.plans).toEqual([FREE, PRO])
  })

  it('are the same ones in a copy from their snapshot, which goes its own way', () => {
    const keys = createKeys()
    const copy = new Keys(JSON.parse(JSON.stringify(keys.snapshot())))

    keys.setPlan('free', { minute: 1 })
    copy.setKey('mine', 'pro')

    expect(copy.callerByToken('sk_free').plan).toEqual(FREE)
    expect(copy.callerByToken('sk_banned').always).toBe('banned')
    expect(keys.callerByToken('mine').key).toBe('invalid')
  })

  it('are told in copies', () => {
    const keys = createKeys()

    for (const plan of [...keys.plans, ...keys.list().map((key) => key.plan)]) {
      Object.assign(plan, { minute: 1 })
    }

    expect(keys.plans).toEqual([FREE, PRO])
    expect(keys.callerByToken('sk_free').plan).toEqual(FREE)
  })

  it('share no account with callers without a key, whatever they are called', () => {
    const keys = createKeys()

    for (const name of ['anonymous', 'missing', 'invalid']) keys.setKey(name, 'pro')

    const accounts = keys.list().map(({ key }) => keys.callerByToken(key).account)
    expect(accounts).not.toContain(keys.callerByToken(undefined).account)
    expect(() => keys.setKey(keys.callerByToken(undefined).account, 'pro')).toThrow(
      'Cannot use the key',
    )
  })
})
