import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { openControlsWith } from '../testing/control.ts'
import { findRedis } from '../testing/redis/find-redis.ts'
import { closeInstances } from '../testing/redis/instances.ts'
import { sharedControls } from '../testing/redis/shared-controls.ts'
import { type StartedRedis, startRedis } from '../testing/redis/start-redis.ts'

/** The examples of the control interface that cannot tell where the state is. */
const EXAMPLES = ['control', 'accounts', 'records', 'operations', 'report']

describe.skipIf(!findRedis())('two instances on one store', async () => {
  let redis: StartedRedis | undefined

  beforeAll(async () => {
    redis = await startRedis()
    openControlsWith(sharedControls(() => redis?.address ?? ''))
  })
  afterEach(closeInstances)
  afterAll(async () => {
    openControlsWith(undefined)
    await redis?.stop()
  })

  // Which examples there are is decided when their file is loaded.
  openControlsWith(sharedControls(() => redis?.address ?? ''))
  for (const name of EXAMPLES) {
    // The query makes it another module: the tests of the file itself run in the same process.
    await import(/* @vite-ignore */ `./${name}.test.ts?shared`)
  }
  openControlsWith(undefined)
})
