import { expect, test } from 'vitest'
import { toPlain } from '../journal/exchange.ts'
import { createMisusedSandbox } from '../testing/report-inputs.ts'
import { describeExchangesError } from './exchange-check.ts'

test('exchanges of a journal are valid, and an error in others has its location', async () => {
  const { journal } = await createMisusedSandbox()
  const exchanges = JSON.parse(JSON.stringify(journal.exchanges.map(toPlain)))

  expect(describeExchangesError(exchanges)).toBeUndefined()
  expect(describeExchangesError([{ ...exchanges[0], notes: null }])).toBe(
    'exchanges[0].notes must be an array (got null)',
  )
  expect(describeExchangesError([{ ...exchanges[0], request: { headers: [null] } }])).toBe(
    'exchanges[0].request.headers[0] must be a name with its value (got null)',
  )
  expect(describeExchangesError(null)).toBe('exchanges must be an array (got null)')
})
