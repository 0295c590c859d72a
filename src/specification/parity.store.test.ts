import { expect, it } from 'vitest'
import { createParityReference } from '../testing/parity.ts'
import { findRunStore } from '../testing/redis/run-store.ts'
import { replaySteps, TRACE_BASE_URL } from '../testing/replay.ts'
import { connectByStore } from '../testing/store-sandbox.ts'

it.skipIf(!findRunStore())(
  'the parity trace gets the same bytes from two servers on one store as in process',
  async () => {
    const { trace, inProcess } = await createParityReference()
    const { origin } = new URL(TRACE_BASE_URL)
    const { sandbox, fetch, close } = await connectByStore(trace.options, origin)

    const result = await replaySteps(trace.steps, sandbox, fetch)
    await close?.()

    expect(result).toEqual(inProcess)
  },
)
