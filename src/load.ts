export { type LoadOptions, loadContract } from './cli/load-contract.ts'
export type { Contract } from './contract/contract.ts'
