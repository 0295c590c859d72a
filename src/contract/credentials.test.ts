import { expect, test } from 'vitest'
import type { Contract, Operation } from './contract.ts'
import { credentialsOf } from './credentials.ts'

const operation = { secured: true } as Operation
const contractWith = (type: 'bearer' | 'basic'): Contract =>
  ({ operations: [], securitySchemes: [{ name: 'key', type }] }) as unknown as Contract

test.each([
  ['sk_Live-9', 'SK_lIVE-9'],
  ['0a1b-22ff', '0a1b-22ffx'],
  ['12_34', '12_34x'],
])('the key %s in other capitals is %s, and never the valid one', (key, sent) => {
  const { headers } = credentialsOf(
    { operation, credentials: 'other-case' },
    contractWith('bearer'),
    key,
  )

  expect(headers).toEqual([['Authorization', `Bearer ${sent}`]])
})

test.each([
  ['Ann:Secret', 'other-case', 'Ann:sECRET'],
  ['Ann', 'other-case', 'Ann:x'],
  ['Ann:Secret', 'invalid-key', 'Annx:Secret'],
  ['Ann:Secret', 'cut-key', 'An:Secret'],
  ['A:b', 'cut-key', 'Ax:b'],
  ['Ann:Secret', 'empty-key', ':'],
  ['Ann:a:b', 'key', 'Ann:a:b'],
] as const)('the user %s is sent with the credentials %s as %s', (key, credentials, sent) => {
  expect(credentialsOf({ operation, credentials }, contractWith('basic'), key).user).toBe(sent)
})
