export { loadScenarios, type ScenarioOptions } from './cli/load-scenarios.ts'
export type { Contract } from './contract/contract.ts'
export { type LoadOptions, loadContract } from './document/load-contract.ts'
export type { Scenario, ScenarioRule } from './forcing/scenario.ts'
