/** The number of random requests of `npm test`. */
export const DEFAULT_CASES = 1000

/** The number of random requests of `npm run fuzz`, which sets it. */
const { FUZZ_CASES } = process.env

/** Whether this is `npm run fuzz`, which runs the property tests with many more cases than `npm test`. */
export const isLongRun: boolean = FUZZ_CASES !== undefined

/** The number of random requests of this run. */
export const CASES: number = Number(FUZZ_CASES ?? DEFAULT_CASES)

/** The number of cases of a property test: `cases` in `npm test`, and in `npm run fuzz` more in proportion to its requests. */
export function scaledRuns(cases: number): number {
  return isLongRun ? Math.ceil((cases * CASES) / DEFAULT_CASES) : cases
}
