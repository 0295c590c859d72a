import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { stopCommands } from '../command.ts'
import { STORIES } from '../places/documents.ts'
import { IN_MEMORY } from '../places/places.ts'
import { onKilledServers, RESTARTED } from '../places/processes.ts'
import { recordStory, replayStory } from '../places/story.ts'
import { type StartedRedis, startRedis, stopRedis } from '../redis/start-redis.ts'

let redis: StartedRedis | undefined

beforeAll(async () => {
  redis = await startRedis()
})

afterEach(stopCommands)

afterAll(stopRedis)

describe.each(STORIES)('$name: the responses have the same bytes as in memory', (document) => {
  const recorded = recordStory(document, IN_MEMORY, { random: 0 })

  it.each([RESTARTED, onKilledServers(() => redis?.address ?? '')])(
    '$name',
    async (place) => {
      const steps = await recorded
      const opened = await place.open(document)
      try {
        expect(await replayStory(steps, opened)).toEqual(steps)
      } finally {
        await opened.close()
      }
    },
    120_000,
  )
})
