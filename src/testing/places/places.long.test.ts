import { describePlaces } from './describe-places.ts'
import { PLACES } from './places.ts'

describePlaces(PLACES)
