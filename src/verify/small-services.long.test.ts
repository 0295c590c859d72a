import { CABINS } from '../testing/faulty-services/cabins.ts'
import { CLINIC } from '../testing/faulty-services/clinic.ts'
import { CLUB } from '../testing/faulty-services/club.ts'
import { describeFaultyService } from '../testing/faulty-services/describe-faulty-service.ts'
import { GALLERY } from '../testing/faulty-services/gallery.ts'
import { LEDGER } from '../testing/faulty-services/ledger.ts'

for (const service of [CABINS, CLINIC, CLUB, GALLERY, LEDGER]) describeFaultyService(service)
