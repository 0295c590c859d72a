/** Requests that the stories of `npm test` send in all. */
export const DEFAULT_CASES = 1000

/** `npm run fuzz` sets it: requests that the stories send in all. */
const { FUZZ_CASES } = process.env

/** Whether this is `npm run fuzz`, which does at length what `npm test` does in short. */
export const isLongRun: boolean = FUZZ_CASES !== undefined

/** Requests that the stories of this run send in all. */
export const CASES: number = Number(FUZZ_CASES ?? DEFAULT_CASES)

/** Cases that a property is tried on: `few` in `npm test`, and as many times more in `npm run fuzz` as it sends more requests. */
export function scaledRuns(few: number): number {
  return isLongRun ? Math.ceil((few * CASES) / DEFAULT_CASES) : few
}
