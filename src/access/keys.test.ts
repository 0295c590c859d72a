import { describe, expect, it } from 'vitest'
import type { Plan } from './callers.ts'
import { Keys } from './keys.ts'

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

describe('API keys', () => {
  it('are listed with their plans', () => {
    expect(createKeys().list()).toEqual([
      { key: 'sk_free', plan: FREE },
      { key: 'sk_banned', plan: FREE, always: 'banned' },
    ])
  })

  it('can be assigned to another plan, and new ones are valid at once', () => {
    const keys = createKeys()

    keys.setKey('sk_free', 'pro')
    keys.setKey('mine', 'free')

    expect(keys.callers.by('sk_free').plan).toEqual(PRO)
    expect(keys.callers.by('mine')).toEqual({
      account: 'mine',
      plan: FREE,
      key: 'valid',
      credential: 'mine',
    })
  })

  it('are invalid after they are removed', () => {
    const keys = createKeys()

    keys.removeKey('sk_free')

    expect(keys.callers.by('sk_free').key).toBe('invalid')
    expect(() => keys.removeKey('sk_free')).toThrow(
      'Cannot find the API key: unknown API key "sk_free". Known: sk_banned.',
    )
  })

  it('need an existing plan, and must be bearer tokens', () => {
    const keys = createKeys()

    expect(() => keys.setKey('mine', 'fre')).toThrow('Did you mean "free"?')
    expect(() => keys.setKey('a b', 'free')).toThrow(
      'a bearer token consists of letters, digits and -._~+/ only (RFC 6750, section 2.1)',
    )
    expect(keys.list()).toHaveLength(2)
  })

  it('follow changes of their plan, as do callers without a key', () => {
    const keys = createKeys()

    keys.setPlan('free', { minute: 5 })

    const changed = { name: 'free', minute: 5, day: 1000 }
    expect(keys.callers.by('sk_free').plan).toEqual(changed)
    expect(keys.callers.by(undefined).plan).toEqual(changed)
    expect(keys.plans).toEqual([changed, PRO])
  })

  it('reject a new plan without both windows, and unknown windows', () => {
    const keys = createKeys()

    expect(() => keys.setPlan('gold', { minute: 5 })).toThrow(
      'Cannot add the plan "gold": a new plan needs both minute and day. Known: free, pro.',
    )
    expect(() => keys.setPlan('free', { hour: 5 } as object)).toThrow('hour')
    expect(keys.plans).toEqual([FREE, PRO])
  })

  it('can be copied by a snapshot, and the copy is independent', () => {
    const keys = createKeys()
    const copy = new Keys(JSON.parse(JSON.stringify(keys.snapshot())))

    keys.setPlan('free', { minute: 1 })
    copy.setKey('mine', 'pro')

    expect(copy.callers.by('sk_free').plan).toEqual(FREE)
    expect(copy.callers.by('sk_banned').always).toBe('banned')
    expect(keys.callers.by('mine').key).toBe('invalid')
  })

  it('are returned as copies', () => {
    const keys = createKeys()

    for (const plan of [...keys.plans, ...keys.list().flatMap((key) => key.plan ?? [])]) {
      Object.assign(plan, { minute: 1 })
    }

    expect(keys.plans).toEqual([FREE, PRO])
    expect(keys.callers.by('sk_free').plan).toEqual(FREE)
  })

  it('never share an account with callers without a key, whatever their name', () => {
    const keys = createKeys()

    for (const name of ['anonymous', 'missing', 'invalid']) keys.setKey(name, 'pro')

    const accounts = keys.list().map(({ key }) => keys.callers.by(key).account)
    expect(accounts).not.toContain(keys.callers.by(undefined).account)
    expect(() => keys.setKey(keys.callers.by(undefined).account, 'pro')).toThrow(
      'Cannot add the API key "(anonymous)": a bearer token consists of letters, digits and -._~+/ only (RFC 6750, section 2.1)',
    )
  })
})
