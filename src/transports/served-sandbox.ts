import type { Contract } from '../contract/contract.ts'

/** What is served: `routerOf` has its router. */
export interface ServedSandbox {
  readonly contract: Contract
}
