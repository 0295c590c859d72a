import type { Contract } from '../contract/contract.ts'
import type { UnknownIds } from '../contract/input.ts'
import type * as Generation from '../generate/generate-value.ts'
import type { GeneratedValue, ValueRequest } from '../generate/generate-value.ts'
import type { Locale } from '../generate/locale.ts'

/** The service whose responses are made from a document. */
export interface AnsweringService {
  readonly settings: {
    readonly contract: Contract
    readonly seed: number
    readonly locale?: Locale
    readonly unknownIds?: UnknownIds
    /** What its collections start with: `default`, or what a user said. */
    readonly records?: unknown
  }
  /** When the sandbox was created, in epoch milliseconds. */
  readonly startedAt: number
}

const DAY = 86_400_000

/** What generated dates count from: the start of a day, so that all sandboxes that start on a day generate the same dates. */
export function generationTime({ startedAt }: AnsweringService): number {
  return Math.floor(startedAt / DAY) * DAY
}

/** What a value of a response is generated for. `seed` is what tells it from others of the same sandbox. */
export interface WantedValue extends Omit<ValueRequest, 'now' | 'seed'> {
  readonly seed: readonly (number | string)[]
}

/** What generates values: Node looks for a module at each import, which takes longer than a value of a few properties. */
let generation: typeof Generation | undefined

/**
 * Generates a value that no record and no example gives, the same for the same sandbox and seed. What generates values is loaded
 * with the first of them.
 */
export async function generateFor(
  service: AnsweringService,
  wanted: WantedValue,
): Promise<GeneratedValue> {
  const { settings } = service
  generation ??= await import('../generate/generate-value.ts')

  return generation.generateDocumentedValue({
    locale: settings.locale,
    ...wanted,
    seed: [settings.seed, ...wanted.seed].join(' '),
    now: generationTime(service),
  })
}
