import { expect, test } from 'vitest'
import type { Operation } from '../../contract/contract.ts'
import type { ProbeRequest, ProbeResponse } from './messages.ts'
import { UniqueValues } from './unique-values.ts'

const schema = {
  type: 'object',
  properties: {
    code: { type: 'string', pattern: '^[A-Z]{2,4}-[0-9]{2}$' },
    term: { type: 'string', pattern: '^[0-9]{4}-(spring|autumn)$' },
  },
} as const

const operation = {
  body: { schema, mediaTypes: ['application/json'], validate: () => true },
} as unknown as Operation

test('codes of a form get other letters and digits, so that a run has hundreds of them', async () => {
  const unique = new UniqueValues(() => '')
  const body = '{"code":"MUC-01","term":"2025-spring"}'
  const refused = { status: 409, request: { operation, body } } as unknown as ProbeResponse

  await unique.find(refused, async (request: ProbeRequest) => {
    return { ...refused, status: 201, request } as ProbeResponse
  })
  const records = Array.from({ length: 100 }, () => unique.in(operation, JSON.parse(body)))
  const values = records as { readonly code: string; readonly term: string }[]

  expect(new Set(values.map(({ code }) => code)).size).toBeGreaterThan(90)
  expect(values.every(({ code }) => /^[A-Z]{3}-\d\d$/.test(code))).toBe(true)
  expect(values.every(({ term }) => /^\d{4}-spring$/.test(term))).toBe(true)
})
