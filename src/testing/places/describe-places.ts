import { describe, expect, it } from 'vitest'
import { STORIES } from './documents.ts'
import { IN_MEMORY, type Place } from './places.ts'
import { recordStory, replayStory } from './story.ts'

/** The stories of these names; all without names. `random`: the number of random requests after those of the story. */
interface Selection {
  readonly stories?: readonly string[]
  readonly random?: number
}

/** Tests that the requests of each story get the same bytes in each of the places as in memory. */
export function describePlaces(
  places: readonly Place[],
  { stories = STORIES.map(({ name }) => name), random = 20 }: Selection = {},
): void {
  const chosen = STORIES.filter(({ name }) => stories.includes(name))
  if (chosen.length < stories.length)
    throw new Error(`There are not all of: ${stories.join(', ')}.`)

  describe.each(chosen)('$name: the responses have the same bytes as in memory', (document) => {
    const recorded = recordStory(document, IN_MEMORY, { random })

    it.each(places.filter(({ isAvailable }) => isAvailable))(
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
}
