import { describePlaces } from './describe-places.ts'
import { PLACES } from './places.ts'

// `npm run test:long` tests all documents.
describePlaces(PLACES, { stories: ['envelopes with cursors', 'XML and CSV'] })
