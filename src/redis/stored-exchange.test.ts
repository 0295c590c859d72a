import { describe, expect, test } from 'vitest'
import { createService } from '../engine/service.ts'
import { recordedExchange } from '../engine/world-state.ts'
import { toPlain } from '../journal/exchange.ts'
import type { ExchangeFacts } from '../journal/exchange-facts.ts'
import type { JournalEntry } from '../journal/journal.ts'
import { resolveOptions } from '../sandbox/options.ts'
import { toEntry, toExchange, toExchangeText } from './stored-exchange.ts'

const service = createService(resolveOptions())

const FACTS: ExchangeFacts = {
  method: 'POST',
  base: 'http://localhost/v1',
  target: '/pets?x=1',
  operation: 'createPet',
  caller: 'valid',
  key: 'sk_0123456789',
  plan: undefined,
  status: 400,
  preflight: undefined,
  refusal: { code: 'invalid_request', message: 'No', errors: [{ location: 'body' }] },
  forced: undefined,
  source: undefined,
  sourceReason: undefined,
  notes: [{ kind: 'invalid-input', place: 'body' }],
  requestHeaders: ['Authorization', 'Bearer sk_0123456789'],
  requestBody: new Uint8Array([0, 128, 255]),
  responseHeaders: { 'Content-Type': 'application/json' },
  responseBody: '{}',
}

const ENTRY: JournalEntry<ExchangeFacts> = {
  numbers: [8, 5, 1000, 0.5, 60, 59, 60_000, Number.NaN, Number.NaN, Number.NaN, Number.NaN],
  facts: FACTS,
}

describe('an exchange in the store', () => {
  test('is read as it was written, with the id that the store gave', () => {
    const read = toExchange({ id: 8, text: toExchangeText(ENTRY) }, service)

    expect(toPlain(read)).toEqual(toPlain(recordedExchange(ENTRY, service)))
    expect(read.hasKey('sk_0123456789')).toBe(true)
  })

  test('keeps the bytes and the sizes of bodies', () => {
    const facts = { ...FACTS, requestBody: 70_000, responseBody: new Uint8Array([0, 200]) }
    const read = toEntry({ id: 8, text: toExchangeText({ ...ENTRY, facts }) })

    expect(read).toEqual({ ...ENTRY, facts })
  })

  test.each([
    ['no JSON', '{'],
    ['no exchange', '{"numbers":[],"facts":{}}'],
    ['a wrong status', toExchangeText(ENTRY).replace('"status":400', '"status":"400"')],
    ['a wrong body', toExchangeText(ENTRY).replace('"base64":"', '"base64":"!')],
  ])('is refused when it is %s', (_, text) => {
    expect(() => toEntry({ id: 8, text })).toThrow(/exchange 8 .* cannot be read/)
  })
})
