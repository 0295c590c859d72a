import type { Contract } from '../contract/contract.ts'
import type { CheckDefinition } from './checks/check.ts'
import { quotaChecks } from './checks/quota-checks.ts'
import { responseChecks } from './checks/response-checks.ts'
import { authenticationProbes } from './probes/authentication.ts'
import { changeProbes } from './probes/changes.ts'
import { createProbes } from './probes/creation.ts'
import { listProbes } from './probes/list.ts'
import { headProbe, pageProbes } from './probes/pages.ts'
import { parameterProbes, validParameterProbes } from './probes/parameters.ts'
import type { Probe } from './probes/probe.ts'
import { quotaProbe } from './probes/quota.ts'
import { readProbes } from './probes/read.ts'
import { readingProbes } from './probes/reading.ts'
import { refusalProbes } from './probes/refusals.ts'
import { needsNoInput, statelessProbes } from './probes/stateless.ts'
import { storyProbes } from './probes/stories.ts'
import { unknownRouteProbes } from './probes/unknown-routes.ts'
import { fallbackProbe } from './probes/valid-request.ts'
import { groupByResource } from './resource-operations.ts'
import { shadowedOperations } from './shadowed-operations.ts'

/** The probes and checks for a contract. */
export interface TestPlan {
  /** In the order in which they are sent. */
  readonly probes: readonly Probe[]
  /** Checks that evaluate the responses of all probes together. */
  readonly checksOfAllResponses: readonly CheckDefinition[]
}

export function createTestPlan(contract: Contract): TestPlan {
  const { simple, others, general } = groupByResource(contract)
  const lists = simple.flatMap(({ operations: { list } }) => (list ? [list] : []))
  const withoutResource = new Set(general)
  const bound = contract.operations.filter((operation) => !withoutResource.has(operation))
  const shadowed = new Set(shadowedOperations(contract).map(({ id }) => id))
  const isReachable = ({ operation }: CheckDefinition): boolean => !shadowed.has(operation ?? '')
  const quota = quotaChecks(contract)
  const [first] = lists
  const probes = [
    ...simple.flatMap((group) => [
      ...listProbes(group),
      ...pageProbes(group),
      ...readProbes(group),
      ...createProbes(group, contract.sandbox?.bodyLimit),
      ...changeProbes(group),
    ]),
    ...lists.flatMap((list) => [...parameterProbes(list), headProbe(list)]),
    ...others.flatMap((group) => [...readingProbes(group), ...storyProbes(group)]),
    ...statelessProbes(general),
    ...general
      .filter(needsNoInput)
      .flatMap((one) => [...parameterProbes(one), ...validParameterProbes(one)]),
    ...authenticationProbes(contract),
    ...refusalProbes(general, contract),
    ...bound.map(fallbackProbe),
    ...unknownRouteProbes(contract, simple),
    ...(first && quota.length > 0 ? [quotaProbe(first)] : []),
  ]

  return {
    probes: probes
      .filter(({ checks }) => checks.length > 0 && checks.every(isReachable))
      .sort((one, other) => one.order - other.order),
    checksOfAllResponses: [...responseChecks(contract), ...quota],
  }
}
