import { describe, expect, it } from 'vitest'
import { loadContract } from '../../load.ts'
import { readApi } from './api.ts'
import { checkSequences, coversAllOutcomes, inMemory } from './check-sequences.ts'
import { connectInProcess, connectToExpress, connectToServer } from './connections.ts'

/** All outcomes of the shipped API, including forced ones. */
const OUTCOMES = [
  '200',
  '201',
  '204',
  'api_key_banned',
  'internal_error',
  'invalid_request',
  'method_not_allowed',
  'not_found',
  'operation_removed',
  'payload_too_large',
  'rate_limit_exceeded',
  'service_unavailable',
  'unauthorized',
  'unsupported_media_type',
]

const TIMEOUT = 1_200_000

describe('random requests to the shipped API get the responses of the model', () => {
  const api = readApi('openapi.yaml')

  it(
    'in process',
    async () => {
      const outcomes = await checkSequences({ api, open: inMemory(connectInProcess) }, 0.6)
      // A run with fewer outcomes would test little.
      if (coversAllOutcomes) expect([...outcomes.keys()].sort()).toEqual(OUTCOMES)
    },
    TIMEOUT,
  )

  it('over HTTP', () => checkSequences({ api, open: inMemory(connectToServer) }, 0.1), TIMEOUT)

  it(
    'in an Express app',
    () => checkSequences({ api, open: inMemory(connectToExpress) }, 0.1),
    TIMEOUT,
  )
})

describe('random requests to another API get the responses of the model', () => {
  const api = readApi('src/testing/library.yaml')
  const contract = loadContract('src/testing/library.yaml')

  it(
    'in process',
    async () =>
      checkSequences({ api, contract: await contract, open: inMemory(connectInProcess) }, 0.15),
    TIMEOUT,
  )

  it(
    'over HTTP',
    async () =>
      checkSequences({ api, contract: await contract, open: inMemory(connectToServer) }, 0.05),
    TIMEOUT,
  )
})
