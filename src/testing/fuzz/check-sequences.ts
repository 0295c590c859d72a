import fc from 'fast-check'
import type { Contract } from '../../contract/contract.ts'
import { contract as shippedContract } from '../../generated/contract.ts'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../index.ts'
import { CASES, DEFAULT_CASES, isLongRun } from '../long-run.ts'
import { anySequence, type Step } from './any-sequence.ts'
import type { Api } from './api.ts'
import type { FuzzConnection, OpenedWorld } from './connections.ts'
import { PLANS } from './quota.ts'
import { SequenceRun } from './sequence-run.ts'

/** The seed of the sequences. `npm run test:long` has a fixed seed, so that it does not fail by chance. */
export const SEED: number = Number(process.env.FUZZ_SEED ?? (isLongRun ? Date.now() % 2 ** 31 : 1))

/** The path of fast-check to the shortest sequence that fails. */
const PATH = process.env.FUZZ_PATH

/** Whether this run contains every outcome: the run of `npm run test:long`, and long runs. */
export const coversAllOutcomes: boolean =
  PATH === undefined && (isLongRun || (CASES === DEFAULT_CASES && SEED === 1))

/** The maximum number of steps of a sequence. */
const MAX_STEPS = 30
/** The maximum number of sequences of one seed. */
const SEQUENCES = 20

/** Where sequences are executed. */
export interface SequenceTarget {
  readonly api: Api
  /** Default: the shipped contract. */
  readonly contract?: Contract
  readonly open: (options: SandboxOptions) => Promise<OpenedWorld>
}

/** The options of a sandbox with few records and one small plan. */
export function fuzzOptions(contract?: Contract): SandboxOptions {
  const { sandbox } = shippedContract
  return {
    records: 6,
    plans: PLANS,
    // The model has the keys, bans and limits of the shipped document.
    ...(contract && sandbox && { contract: { ...contract, sandbox } }),
  }
}

/** Opens a sandbox in the memory of this process, and connects to it through one transport. */
export function inMemory(
  connect: (sandbox: Sandbox) => Promise<FuzzConnection>,
): SequenceTarget['open'] {
  return async (options) => {
    const world = createSandbox(options)
    return { world, connection: await connect(world) }
  }
}

/**
 * Executes random sequences until they have sent this share of the run's requests, and returns the number of each outcome.
 * Throws an error with the shortest sequence in which a response or the state differs from the model.
 */
export async function checkSequences(
  target: SequenceTarget,
  share: number,
): Promise<Map<string, number>> {
  const limit = PATH === undefined ? CASES * share : 1
  const outcomes = new Map<string, number>()
  let requests = 0
  const property = fc.asyncProperty(anySequence(target.api, MAX_STEPS), async (steps) => {
    for (const outcome of await execute(target, steps)) {
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      requests += 1
    }
  })
  for (let seed = SEED; requests < limit; seed += 1) {
    const wanted = Math.ceil((limit - requests) / MAX_STEPS)
    await checkProperty(property, Math.min(SEQUENCES, wanted), seed)
  }

  return outcomes
}

async function execute(
  { api, contract, open }: SequenceTarget,
  steps: readonly Step[],
): Promise<readonly string[]> {
  const { world, connection } = await open(fuzzOptions(contract))
  try {
    return await SequenceRun.execute(api, world, connection, steps)
  } finally {
    await connection.close()
  }
}

/** Checks a property with this number of cases. Throws an error with the shortest failing case and how to reproduce it. */
export async function checkProperty<Case>(
  property: fc.IAsyncProperty<Case>,
  numRuns: number,
  seed: number = SEED,
): Promise<void> {
  const parameters = { seed, numRuns, ...(PATH !== undefined && { path: PATH }) }
  const { failed, counterexamplePath, errorInstance } = await fc.check(property, parameters)
  if (!failed) return
  const details = errorInstance instanceof Error ? errorInstance.stack : errorInstance
  throw new Error(`FUZZ_SEED=${seed} FUZZ_PATH=${counterexamplePath} ${details}`)
}
