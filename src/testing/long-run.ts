/** Requests that the stories of `npm test` send in all. */
export const SHORT = 1000

/** `npm run fuzz` sets it: requests that the stories send in all. */
const { FUZZ_CASES } = process.env

/** Whether this is `npm run fuzz`, which does at length what `npm test` does in short. */
export const isLong: boolean = FUZZ_CASES !== undefined

/** Requests that the stories of this run send in all. */
export const CASES: number = Number(FUZZ_CASES ?? SHORT)

/** Cases that a property is tried on: `few` in `npm test`, and as many times more in `npm run fuzz` as it sends more requests. */
export function runs(few: number): number {
  return isLong ? Math.ceil((few * CASES) / SHORT) : few
}
