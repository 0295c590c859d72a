import { expect, test } from 'vitest'
import { ACADEMY } from '../testing/faulty-services/academy.ts'
import { BOATHOUSE } from '../testing/faulty-services/boathouse.ts'
import { BOX_OFFICE, BoxOffice } from '../testing/faulty-services/box-office.ts'
import { CABINS } from '../testing/faulty-services/cabins.ts'
import { CLINIC } from '../testing/faulty-services/clinic.ts'
import { CLUB } from '../testing/faulty-services/club.ts'
import { DEPOT } from '../testing/faulty-services/depot.ts'
import {
  contractOf,
  describeFaultyService,
  verifyService,
} from '../testing/faulty-services/describe-faulty-service.ts'
import { GALLERY } from '../testing/faulty-services/gallery.ts'
import { GREENHOUSE } from '../testing/faulty-services/greenhouse.ts'
import { HARBOUR } from '../testing/faulty-services/harbour.ts'
import { LABORATORY } from '../testing/faulty-services/laboratory.ts'
import { LEDGER } from '../testing/faulty-services/ledger.ts'
import { NURSERY } from '../testing/faulty-services/nursery.ts'
import { PARKING } from '../testing/faulty-services/parking.ts'
import { PRESS } from '../testing/faulty-services/press.ts'
import { SCHOOL } from '../testing/faulty-services/school.ts'
import { STUDIO } from '../testing/faulty-services/studio.ts'
import { TIMETABLE } from '../testing/faulty-services/timetable.ts'
import { TOY_LIBRARY } from '../testing/faulty-services/toy-library.ts'
import { WORKSHOP } from '../testing/faulty-services/workshop.ts'

for (const service of [
  ACADEMY,
  BOATHOUSE,
  BOX_OFFICE,
  CABINS,
  CLINIC,
  CLUB,
  DEPOT,
  GALLERY,
  GREENHOUSE,
  HARBOUR,
  LABORATORY,
  LEDGER,
  NURSERY,
  PARKING,
  PRESS,
  SCHOOL,
  STUDIO,
  TIMETABLE,
  TOY_LIBRARY,
  WORKSHOP,
])
  describeFaultyService(service)

test('a voucher that was used too often is replaced by another one, booked seats are of kinds that have many, and all bookings are removed', async () => {
  const boxOffice = new BoxOffice()

  await verifyService(BOX_OFFICE, await contractOf(BOX_OFFICE), boxOffice)

  expect(boxOffice.bookings).toEqual([])
  expect(boxOffice.uses.length).toBeGreaterThan(1)
  expect(boxOffice.fewest).toBeGreaterThanOrEqual(100)
})
