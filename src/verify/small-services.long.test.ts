import { ACADEMY } from '../testing/faulty-services/academy.ts'
import { CABINS } from '../testing/faulty-services/cabins.ts'
import { CLINIC } from '../testing/faulty-services/clinic.ts'
import { CLUB } from '../testing/faulty-services/club.ts'
import { DEPOT } from '../testing/faulty-services/depot.ts'
import { describeFaultyService } from '../testing/faulty-services/describe-faulty-service.ts'
import { GALLERY } from '../testing/faulty-services/gallery.ts'
import { GREENHOUSE } from '../testing/faulty-services/greenhouse.ts'
import { HARBOUR } from '../testing/faulty-services/harbour.ts'
import { LEDGER } from '../testing/faulty-services/ledger.ts'
import { NURSERY } from '../testing/faulty-services/nursery.ts'
import { STUDIO } from '../testing/faulty-services/studio.ts'
import { TIMETABLE } from '../testing/faulty-services/timetable.ts'
import { WORKSHOP } from '../testing/faulty-services/workshop.ts'

for (const service of [
  ACADEMY,
  CABINS,
  CLINIC,
  CLUB,
  DEPOT,
  GALLERY,
  GREENHOUSE,
  HARBOUR,
  LEDGER,
  NURSERY,
  STUDIO,
  TIMETABLE,
  WORKSHOP,
])
  describeFaultyService(service)
