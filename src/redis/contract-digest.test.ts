import { expect, test } from 'vitest'
import { resolveOptions } from '../sandbox/options.ts'
import { contractIdentity, digestOf } from './contract-digest.ts'

const digest = async (options: Parameters<typeof resolveOptions>[0] = {}): Promise<string> =>
  (await contractIdentity(resolveOptions(options))).digest

test('the digest of a contract is the same for equal settings in another order', async () => {
  const one = { seed: 3, plans: { free: { minute: 5, day: 100 } } }
  const same = { plans: { free: { day: 100, minute: 5 } }, seed: 3 }

  expect(await digest(one)).toBe(await digest(same))
  expect(await digest()).toMatch(/^[0-9a-f]{64}$/)
})

test.each([
  ['another seed', { seed: 2 }],
  ['other plans', { plans: { free: { minute: 5, day: 100 } } }],
  ['other keys', { keys: { sk_other: 'free' } }],
  ['other records', { records: 7 }],
  ['another ban', { ban: { refusals: 3 } }],
  ['another size of the journal', { journal: 5 }],
  ['another limit of worlds', { worlds: 7 }],
  ['another scenario', { scenarios: { few: { description: 'Few', records: 1 } } }],
])('the digest of a contract is another one for %s', async (_, options) => {
  expect(await digest(options)).not.toBe(await digest())
})

test('the digest of a contract is another one when worlds are chosen by other rules', async () => {
  const byKey = { worldBy: 'key', worldTtl: 5000 }
  const identity = (options: Record<string, unknown>) => contractIdentity(resolveOptions(), options)

  const { digest: shared, parts } = await identity({ worldBy: undefined })
  const { digest: own, parts: ownParts } = await identity(byKey)
  const { digest: shorter } = await identity({ ...byKey, worldTtl: 1000 })

  expect(shared).toBe(await digest())
  expect(new Set([shared, own, shorter]).size).toBe(3)
  expect(Object.keys(ownParts ?? {}).filter((name) => !(name in (parts ?? {})))).toEqual([
    'worldBy',
    'worldTtl',
  ])
})

test('the digest of a text is its SHA-256', async () => {
  expect(await digestOf('abc')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
})
