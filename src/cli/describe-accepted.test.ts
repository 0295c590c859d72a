import { expect, test } from 'vitest'
import type { SecurityScheme } from '../access/security-scheme.ts'
import { describeAccepted } from './describe-accepted.ts'

function apiKeys(count: number): readonly SecurityScheme[] {
  return Array.from({ length: count }, (_, at) => ({
    name: `key${at}`,
    type: 'header',
    parameter: `X-Key-${at}`,
  }))
}

test('schemes of one kind are named once', () => {
  const schemes = ['oauth', 'jwt'].map((name) => ({ name, type: 'bearer' }) as const)

  expect(describeAccepted('any', schemes)).toBe('Accepted: any bearer token.')
})

test('of many kinds, the first three are named, and the others are counted', () => {
  expect(describeAccepted('any', apiKeys(7))).toBe(
    'Accepted: any API key in the header X-Key-0, or any API key in the header X-Key-1, or any API key in the header X-Key-2, or 4 other kinds that the document names.',
  )
})
