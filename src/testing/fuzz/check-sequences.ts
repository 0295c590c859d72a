import fc from 'fast-check'
import type { Contract } from '../../contract/contract.ts'
import { createSandbox, type Sandbox } from '../../index.ts'
import { CASES, DEFAULT_CASES, isLongRun } from '../long-run.ts'
import { anySequence, type Step } from './any-sequence.ts'
import type { Api } from './api.ts'
import type { FuzzConnection } from './connections.ts'
import { PLANS } from './quota.ts'
import { SequenceRun } from './sequence-run.ts'

/** The same stories for the same seed. `npm test` has one of its own, so that it does not fail by chance. */
export const SEED: number = Number(process.env.FUZZ_SEED ?? (isLongRun ? Date.now() % 2 ** 31 : 1))

/** Leads to the shortest story that fails, where one did. */
const PATH = process.env.FUZZ_PATH

/** Whether the run is one of those that meet every outcome: the one of `npm test`, or a long one. */
export const coversAllOutcomes: boolean =
  PATH === undefined && (CASES >= 20_000 || (CASES === DEFAULT_CASES && SEED === 1))

/** Deeds in a story at the most, and stories that one seed gives. */
const LENGTH = 30
const STORIES = 20

/** Where stories are told. */
export interface SequenceTarget {
  readonly api: Api
  /** The one that ships when left out. */
  readonly contract?: Contract
  readonly open: (sandbox: Sandbox) => Promise<FuzzConnection>
}

/** A sandbox for stories: with few records, and one small plan. */
export function createFuzzSandbox(contract?: Contract): Sandbox {
  return createSandbox({ records: 6, plans: PLANS, ...(contract && { contract }) })
}

/**
 * Tells stories until `share` of the run's requests were sent, and gives how often each outcome was seen. Throws the shortest
 * story in which something is wrong.
 */
export async function checkSequences(
  stage: SequenceTarget,
  share: number,
): Promise<Map<string, number>> {
  const wanted = PATH === undefined ? CASES * share : 1
  const outcomes = new Map<string, number>()
  let requests = 0
  const property = fc.asyncProperty(anySequence(stage.api, LENGTH), async (steps) => {
    for (const outcome of await tell(stage, steps)) {
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      requests += 1
    }
  })
  for (let seed = SEED; requests < wanted; seed += 1) await checkProperty(property, STORIES, seed)

  return outcomes
}

async function tell(
  { api, contract, open }: SequenceTarget,
  steps: readonly Step[],
): Promise<readonly string[]> {
  const sandbox = createFuzzSandbox(contract)
  const face = await open(sandbox)
  try {
    return await SequenceRun.execute(api, sandbox, face, steps)
  } finally {
    await face.close()
  }
}

/** Checks a property so many times. Throws the shortest case that fails, with what brings it back. */
export async function checkProperty<Case>(
  property: fc.IAsyncProperty<Case>,
  numRuns: number,
  seed: number = SEED,
): Promise<void> {
  const parameters = { seed, numRuns, ...(PATH !== undefined && { path: PATH }) }
  const { failed, counterexamplePath, errorInstance } = await fc.check(property, parameters)
  if (!failed) return
  const why = errorInstance instanceof Error ? errorInstance.stack : errorInstance
  throw new Error(`FUZZ_SEED=${seed} FUZZ_PATH=${counterexamplePath} ${why}`)
}
