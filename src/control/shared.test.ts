import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { openControlsWith } from '../testing/control.ts'
import { findRedis } from '../testing/redis/find-redis.ts'
import { closeInstances } from '../testing/redis/instances.ts'
import { sharedControls } from '../testing/redis/shared-controls.ts'
import { type StartedRedis, startRedis } from '../testing/redis/start-redis.ts'

describe.skipIf(!findRedis())('two instances on one store', async () => {
  let redis: StartedRedis | undefined

  beforeAll(async () => {
    redis = await startRedis()
  })
  afterEach(closeInstances)
  afterAll(() => redis?.stop())

  openControlsWith(sharedControls(() => redis?.address ?? ''))
  // The examples of the control interface: none of them can tell where the state is.
  await import('./control.test.ts')
  await import('./accounts.test.ts')
  await import('./collection-details.test.ts')
  await import('./operations.test.ts')
  await import('./report.test.ts')
})
