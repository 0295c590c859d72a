import { describe, expect, it } from 'vitest'
import { STORIES } from './documents.ts'
import { IN_MEMORY, PLACES } from './places.ts'
import { recordStory, replayStory } from './story.ts'

describe.each(STORIES)('$name: the responses have the same bytes as in memory', (document) => {
  const recorded = recordStory(document, IN_MEMORY)

  it.each(PLACES.filter(({ isAvailable }) => isAvailable))('$name', async (place) => {
    const steps = await recorded
    const opened = await place.open(document)
    try {
      expect(await replayStory(steps, opened)).toEqual(steps)
    } finally {
      await opened.close()
    }
  })
})
