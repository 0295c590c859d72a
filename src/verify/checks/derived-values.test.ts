import { expect, test } from 'vitest'
import { createTexts } from '../../document/document-texts.ts'
import type { JsonObject } from '../../document/json-value.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import type { ProbeResponse } from '../messages.ts'
import { SeenRecords } from '../session/seen-records.ts'
import { derivedValueChecks } from './derived-values.ts'

/** Whether a value is right by its description, in a response with a record. */
async function outcomeOf(description: string, record: JsonObject): Promise<unknown> {
  const schema = { type: 'object', properties: { value: { description } } }
  const responses = { 200: { description: 'OK', content: { 'application/json': { schema } } } }
  const paths = { '/stays': { get: { operationId: 'readStay', responses } } }
  const contract = await loadDocumentOf(paths)
  const [check] = derivedValueChecks(contract, createTexts({ paths }))
  const [operation] = contract.operations
  const request = { operation, method: 'GET', target: '/stays', credentials: 'key' } as const
  const response = { request, status: 200, json: record, headers: new Headers(), text: '' }
  const found = check?.evaluate([response as unknown as ProbeResponse], new SeenRecords())

  return typeof found === 'object' && found !== null && 'expected' in found ? found.expected : found
}

const STAY = { arrival: '2031-07-01', departure: '2031-07-09', price: 30, count: 4 }

test.each<[description: string, right: unknown, wrong: unknown]>([
  ['count × price, in cents.', 120, 121],
  ['`count` * `price`.', 120, 30],
  ['price + count.', 34, 120],
  ['price − count.', 26, 34],
  ['Number of nights from arrival to departure.', 8, 9],
  ['Number of days of the stay, `arrival` and `departure` both included.', 9, 8],
  ['True when price is 30 or more.', true, false],
  ['True when price is more than 30.', false, true],
  ['True while count is 4 or less.', true, false],
])('a value follows from its description: %s', async (description, right, wrong) => {
  expect(await outcomeOf(description, { ...STAY, value: right })).toBe('passed')
  expect(await outcomeOf(description, { ...STAY, value: wrong })).toContain(String(right))
})

test.each([
  'count × price; for stays of 7 nights or more, 10 % less.',
  'Number of days from arrival to departure.',
  'True when price is 30 or more. It is true for members, too.',
])('a value does not follow from its description: %s', async (description) => {
  for (const value of [1, true, false])
    expect(await outcomeOf(description, { ...STAY, value })).not.toContain('value')
})
