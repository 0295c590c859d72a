import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { NOON } from '../testing/control.ts'
import { printTrace } from '../testing/golden-trace.ts'
import { STORIES, shortName } from '../testing/places/documents.ts'
import { IN_MEMORY } from '../testing/places/places.ts'
import { recordStory } from '../testing/places/story.ts'

// Dates of generated records count from the day on which the sandbox is created.
beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(NOON) })
})
afterAll(() => {
  vi.useRealTimers()
})

describe('the trace of a document of another API', () => {
  // Written by `vitest --update`. Explain each change of a file in its commit message.
  it.each(STORIES)(
    'has the status, headers and body of every response: $name',
    async (document) => {
      const steps = await recordStory(document, IN_MEMORY)

      const trace = { options: {}, steps: steps.map(({ request }) => ({ send: request })) }
      const responses = steps.map(({ response }) => response)
      await expect(printTrace(trace, { responses, journal: [] })).toMatchFileSnapshot(
        `strangers/${shortName(document)}.txt`,
      )
    },
  )
})
