import { expect, test } from 'vitest'
import { BOX_OFFICE, BoxOffice } from '../testing/faulty-services/box-office.ts'
import {
  contractOf,
  describeFaultyService,
  verifyService,
} from '../testing/faulty-services/describe-faulty-service.ts'
import { KITCHEN } from '../testing/faulty-services/kitchen.ts'

for (const service of [BOX_OFFICE, KITCHEN]) describeFaultyService(service)

test('a voucher that was used too often is replaced by another one, booked seats are of kinds that have many, and all bookings are removed', async () => {
  const boxOffice = new BoxOffice()

  await verifyService(BOX_OFFICE, await contractOf(BOX_OFFICE), boxOffice)

  expect(boxOffice.bookings).toEqual([])
  expect(boxOffice.uses.length).toBeGreaterThan(1)
  expect(boxOffice.fewest).toBeGreaterThanOrEqual(100)
})

test('a service that trims all texts has one mistake, whose others are consequences', async () => {
  const contract = await contractOf(KITCHEN)
  const { checks } = await verifyService(KITCHEN, contract, KITCHEN.create('trims texts'))
  const ofBlanks = checks.filter(({ id, status }) => /blanks/.test(id) && status === 'failed')

  expect(ofBlanks.length).toBeGreaterThan(2)
  expect(ofBlanks.filter(({ consequenceOf }) => consequenceOf === undefined)).toHaveLength(1)
})
