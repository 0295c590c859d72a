import { expect, test } from 'vitest'
import type { Operation } from '../../contract/contract.ts'
import type { ProbeRequest, ProbeResponse } from '../messages.ts'
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
  const unique = new UniqueValues(
    () => '',
    () => 'codes',
  )
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

test('codes of a form that has few get others, so that a run has dozens of them', async () => {
  const shelf = { type: 'string', pattern: '^[A-F][1-9][0-9]?$' } as const
  const placing = {
    ...operation,
    body: { ...operation.body, schema: { type: 'object', properties: { shelf } } },
  } as unknown as Operation
  const unique = new UniqueValues(
    () => '',
    () => 'codes',
  )
  const body = '{"shelf":"A7"}'
  const refused = { status: 409, request: { operation: placing, body } } as unknown as ProbeResponse

  await unique.find(refused, async (request: ProbeRequest) => {
    return { ...refused, status: 201, request } as ProbeResponse
  })
  const records = Array.from({ length: 40 }, () => unique.in(placing, JSON.parse(body)))

  expect(new Set(records.map((one) => JSON.stringify(one))).size).toBeGreaterThan(35)
})

test('a form that has few codes gives no record one that a change gave to another', async () => {
  const shelf = { type: 'string', pattern: '^[A-C][0-9]$' } as const
  const placing = {
    ...operation,
    body: { ...operation.body, schema: { type: 'object', properties: { shelf } } },
  } as unknown as Operation
  const change = { ...placing, id: 'change', method: 'PATCH' } as unknown as Operation
  const unique = new UniqueValues(
    () => '',
    () => 'places',
  )
  const send = async (request: ProbeRequest): Promise<ProbeResponse> =>
    ({ status: 201, request }) as ProbeResponse
  const body = '{"shelf":"A0"}'
  await unique.find(
    { status: 409, request: { operation: placing, body } } as unknown as ProbeResponse,
    send,
  )
  const taken = [1, 2, 3, 4, 5, 6, 7].map((digit) => `A${digit}`)
  for (const one of taken)
    unique.note(
      await send({ operation: change, body: JSON.stringify({ shelf: one }) } as ProbeRequest),
    )

  const next = unique.in(placing, JSON.parse(body)) as { readonly shelf: string }

  expect(taken).not.toContain(next.shelf)
})

test('numbers are large, so that none is accepted because it asks for less', async () => {
  const people = { type: 'integer', minimum: 1 } as const
  const asking = {
    body: {
      schema: { type: 'object', properties: { people } },
      mediaTypes: ['application/json'],
      validate: () => true,
    },
  } as unknown as Operation
  const unique = new UniqueValues(
    () => '',
    () => 'codes',
  )
  const refused = {
    status: 409,
    request: { operation: asking, body: '{"people":5}' },
  } as unknown as ProbeResponse
  const sent: number[] = []

  const last = await unique.find(refused, async (request: ProbeRequest) => {
    sent.push(JSON.parse(request.body ?? '').people)
    return { ...refused, request } as ProbeResponse
  })

  expect(last.status).toBe(409)
  expect(sent).toHaveLength(1)
  expect(sent[0]).toBeGreaterThan(10_000)
})

test('what makes a record unique may be inside of it, and a code may be that of another record', async () => {
  const line = { type: 'string' } as const
  const zone = { type: 'string', pattern: '^[A-Z]\\d\\d$' } as const
  const address = { type: 'object', properties: { street: line, city: line } } as const
  const housing = {
    ...operation,
    body: { ...operation.body, schema: { type: 'object', properties: { zone, address } } },
  } as unknown as Operation
  const unique = new UniqueValues(
    () => '',
    () => 'codes',
  )
  const body = '{"zone":"B04","address":{"street":"1 Mill Lane","city":"Leipzig"}}'
  const refused = { status: 409, request: { operation: housing, body } } as unknown as ProbeResponse

  const last = await unique.find(refused, async (request: ProbeRequest) => {
    const sent = JSON.parse(request.body ?? '')
    const taken = sent.address.street === '1 Mill Lane' ? 409 : 201
    const status = sent.zone === 'B04' ? taken : 422
    return { ...refused, status, request } as ProbeResponse
  })
  const records = Array.from({ length: 20 }, () => unique.in(housing, JSON.parse(body)))

  expect(last.status).toBe(201)
  expect(new Set(records.map((one) => JSON.stringify(one))).size).toBe(20)
  expect(records.every((one) => (one as { zone: string }).zone === 'B04')).toBe(true)
})
