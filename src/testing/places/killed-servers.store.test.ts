import { afterAll, afterEach, beforeAll } from 'vitest'
import { stopCommands } from '../command.ts'
import { type StartedRedis, startRedis, stopRedis } from '../redis/start-redis.ts'
import { describePlaces } from './describe-places.ts'
import { onKilledServers } from './processes.ts'

let redis: StartedRedis | undefined

beforeAll(async () => {
  redis = await startRedis()
})

afterEach(stopCommands)

afterAll(stopRedis)

describePlaces([onKilledServers(() => redis?.address ?? '')], { random: 0 })
