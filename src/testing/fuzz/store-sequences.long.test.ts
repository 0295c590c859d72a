import { describe, it } from 'vitest'
import { loadContract } from '../../load.ts'
import { findRunStore } from '../redis/run-store.ts'
import { readApi } from './api.ts'
import { checkSequences } from './check-sequences.ts'
import { connectToStore } from './connections.ts'

const TIMEOUT = 1_200_000

describe.skipIf(!findRunStore())('two servers on one store give the responses of the model', () => {
  it(
    'to random requests to the shipped API',
    () => checkSequences({ api: readApi('openapi.yaml'), open: connectToStore }, 0.1),
    TIMEOUT,
  )

  it(
    'to random requests to another API',
    async () => {
      const file = 'src/testing/library.yaml'
      const contract = await loadContract(file)

      await checkSequences({ api: readApi(file), contract, open: connectToStore }, 0.05)
    },
    TIMEOUT,
  )
})
