/** The number of random requests of `npm run test:long`. */
export const DEFAULT_CASES = 1000

/** The number of random requests of this run: `npm run fuzz` and CI set it. */
export const CASES: number = Number(process.env.FUZZ_CASES ?? DEFAULT_CASES)

/** Whether property tests may take minutes each, as in `npm run fuzz`. They then test all of what they otherwise sample. */
export const isLongRun: boolean = CASES >= 20_000

/** The number of cases of a property test: `cases` in `npm run test:long`, and in other runs in proportion to their requests. */
export function scaledRuns(cases: number): number {
  return Math.ceil((cases * CASES) / DEFAULT_CASES)
}

/**
 * Options of verify that select the checks around `check`: those of its operation, or those with other words. A check sees its fault as well
 * without all others, whose requests take ten times as long. A long run sends all of them, as a user does.
 */
export function checksAround(
  check: string,
  words: string = check.replace(/\/.*/, ''),
): { readonly check?: string } {
  return isLongRun ? {} : { check: words }
}

/** The timeout, in milliseconds, of a test whose subject takes a few seconds at most: a loaded machine takes many times as long as an idle one. */
export const TIMEOUT_OF_SECONDS = 30_000
