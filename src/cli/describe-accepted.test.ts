import { expect, test } from 'vitest'
import type { SecurityScheme } from '../access/security-scheme.ts'
import { contract } from '../generated/contract.ts'
import { describeAccepted } from './describe-accepted.ts'

/** What is accepted when operations require these alternatives of these schemes; by default any one scheme. */
function acceptedBy(
  securitySchemes: readonly SecurityScheme[],
  ...requirements: readonly (readonly (readonly string[])[])[]
): string {
  const operations = contract.operations.map(({ security: _, ...operation }, at) => {
    const security = requirements[at]
    const secured = requirements.length === 0 || security?.every(({ length }) => length > 0)
    return { ...operation, secured: secured === true, ...(security && { security }) }
  })
  return describeAccepted('any', { operations, securitySchemes })
}

function apiKeys(count: number, start = 'X-Key-'): readonly SecurityScheme[] {
  return Array.from({ length: count }, (_, at) => ({
    name: `key${at}`,
    type: 'header',
    parameter: `${start}${at}`,
  }))
}

const BEARERS = ['oauth', 'jwt'].map((name) => ({ name, type: 'bearer' }) as const)
const DIGEST = { name: 'digest', type: 'http', scheme: 'digest' } as const

test('schemes of one kind are named once', () => {
  expect(acceptedBy(BEARERS)).toBe('Accepted: any bearer token.')
  expect(acceptedBy([...apiKeys(2), ...BEARERS, DIGEST])).toBe(
    'Accepted: any API key in the header X-Key-0 or the header X-Key-1, or any bearer token, or any credential in the scheme digest.',
  )
})

test('of many places, the first three are named, and the others are counted', () => {
  expect(acceptedBy(apiKeys(7))).toBe(
    'Accepted: any API key in the header X-Key-0, the header X-Key-1, the header X-Key-2 or 4 other places.',
  )
})

test('fewer places are named when the line would be too long', () => {
  expect(acceptedBy(apiKeys(4, 'X-Key-Of-A-Customer-Or-Partner-'))).toBe(
    'Accepted: any API key in the header X-Key-Of-A-Customer-Or-Partner-0 or 3 other places.',
  )
  expect(acceptedBy(apiKeys(2, 'X'.repeat(200)))).toBe('Accepted: any API key.')
})

test('the schemes that operations require are named in the order in which operations prefer them', () => {
  const schemes = [...apiKeys(2), ...BEARERS]

  expect(acceptedBy(schemes, [['jwt'], ['key1']])).toBe(
    'Accepted: any bearer token, or any API key in the header X-Key-1.',
  )
  expect(acceptedBy(schemes, [])).toBe('No credentials are needed.')
  expect(acceptedBy(schemes, [[], ['jwt']])).toBe('No credentials are needed.')
})
