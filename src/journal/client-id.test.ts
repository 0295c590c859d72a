import { expect, test } from 'vitest'
import { createClientIds, randomSalt, sipHash } from './client-id.ts'

test('the hash is SipHash-2-4, by the example of its authors', () => {
  const key = [0x0706050403020100n, 0x0f0e0d0c0b0a0908n] as const
  const bytes = Uint8Array.from({ length: 15 }, (_, at) => at)

  expect(sipHash(bytes, key)).toBe(0xa129ca6149be45e5n)
})

test('a credential has the same id each time, and another one with another salt', () => {
  const salt = randomSalt()

  const [ids, again, others] = [salt, salt, randomSalt()].map(createClientIds)

  expect(ids?.('alice-key-test')).toMatch(/^[0-9a-z]{13}$/)
  expect(again?.('alice-key-test')).toBe(ids?.('alice-key-test'))
  expect(others?.('alice-key-test')).not.toBe(ids?.('alice-key-test'))
})
