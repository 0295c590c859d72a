import fc from 'fast-check'
import { anyStory } from './any-story.ts'
import { type Stage, Story } from './story.ts'

/** Requests that a run sends in all; `npm run fuzz` sets it. */
const CASES = Number(process.env.FUZZ_CASES ?? 2500)

/** The same stories for the same seed. `npm test` has one of its own, so that it does not fail by chance. */
const SEED = Number(process.env.FUZZ_SEED ?? (process.env.FUZZ_CASES ? Date.now() % 2 ** 31 : 1))

/** Leads to the shortest story that fails, where one did. */
const PATH = process.env.FUZZ_PATH

/** Whether one story is told, and not a run of them. */
export const isReplay: boolean = PATH !== undefined

/** Deeds in a story at the most, and stories that one seed gives. */
const LENGTH = 30
const STORIES = 20

/**
 * Tells stories until `share` of the run's requests were sent, and gives how often each outcome was seen. Throws the shortest
 * story in which something is wrong.
 */
export async function checkStories(stage: Stage, share: number): Promise<Map<string, number>> {
  const wanted = PATH === undefined ? CASES * share : 1
  const outcomes = new Map<string, number>()
  let requests = 0
  const property = fc.asyncProperty(anyStory(stage.api, LENGTH), async (steps) => {
    for (const outcome of await Story.tell(stage, steps)) {
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      requests += 1
    }
  })
  for (let seed = SEED; requests < wanted; seed += 1) {
    const parameters = { seed, numRuns: STORIES, ...(PATH !== undefined && { path: PATH }) }
    const { failed, counterexamplePath, errorInstance } = await fc.check(property, parameters)
    if (failed)
      throw new Error(`FUZZ_SEED=${seed} FUZZ_PATH=${counterexamplePath} ${errorInstance}`)
  }
  return outcomes
}
