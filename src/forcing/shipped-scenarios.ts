import type { Contract } from '../contract/contract.ts'
import { contract as shippedContract } from '../generated/contract.ts'
import { scenarios } from '../generated/fixtures.ts'
import type { Scenario, ScenarioRule } from './scenario.ts'

const SHIPPED: Readonly<Record<string, Scenario>> = scenarios

/** The scenarios that a sandbox of the contract starts with: all for the shipped one, else those that fit every service. */
export function scenariosFor(contract: Contract): Readonly<Record<string, Scenario>> {
  if (contract === shippedContract) return SHIPPED
  return Object.fromEntries(Object.entries(SHIPPED).filter(([, one]) => fitsEveryService(one)))
}

/** Whether a scenario only forces outcomes, on any operation and any caller. */
function fitsEveryService({ description: _, rules = [], ...start }: Scenario): boolean {
  return Object.keys(start).length === 0 && rules.length > 0 && rules.every(isGeneral)
}

function isGeneral({ operation, path, key }: ScenarioRule): boolean {
  return operation === undefined && path === undefined && key === undefined
}
