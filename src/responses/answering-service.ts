import type { Contract } from '../contract/contract.ts'
import type { UnknownIds } from '../contract/input.ts'
import type { Locale } from '../generate/locale.ts'

/** The service whose responses are made from a document. */
export interface AnsweringService {
  readonly settings: {
    readonly contract: Contract
    readonly seed: number
    readonly locale?: Locale
    readonly unknownIds?: UnknownIds
  }
  /** When the sandbox was created, in epoch milliseconds. */
  readonly startedAt: number
}

const DAY = 86_400_000

/** What generated dates count from: the start of a day, so that all sandboxes that start on a day generate the same dates. */
export function generationTime({ startedAt }: AnsweringService): number {
  return Math.floor(startedAt / DAY) * DAY
}
