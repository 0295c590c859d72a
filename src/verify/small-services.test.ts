import { expect, test } from 'vitest'
import {
  contractOf,
  describeFaultyService,
  verifyService,
} from '../testing/faulty-services/describe-faulty-service.ts'
import { KITCHEN } from '../testing/faulty-services/kitchen.ts'

describeFaultyService(KITCHEN)

test('a service that trims all texts has one mistake, whose others are consequences', async () => {
  const contract = await contractOf(KITCHEN)
  const { checks } = await verifyService(KITCHEN, contract, KITCHEN.create('trims texts'))
  const ofBlanks = checks.filter(({ id, status }) => /blanks/.test(id) && status === 'failed')

  expect(ofBlanks.length).toBeGreaterThan(2)
  expect(ofBlanks.filter(({ consequenceOf }) => consequenceOf === undefined)).toHaveLength(1)
})
