import type { Contract, Operation } from '../contract/contract.ts'
import { bind, type CrudAction } from '../resources/bind.ts'
import type { Resource } from '../resources/resource.ts'

/** A resource and the operations on it. */
export interface ResourceOperations {
  readonly resource: Resource
  readonly operations: Readonly<Partial<Record<CrudAction, Operation>>>
}

/** The operations of a contract, grouped by resource. */
export interface GroupedOperations {
  readonly resources: readonly ResourceOperations[]
  /** Operations without a resource. */
  readonly stateless: readonly Operation[]
}

export function groupByResource(contract: Contract): GroupedOperations {
  const bindings = bind(contract)
  const bound = bindings.flatMap((one) => (one.action === 'stateless' ? [] : [one]))
  const resources = [...new Set(bound.map(({ resource }) => resource))]

  return {
    resources: resources.map((resource) => ({
      resource,
      operations: Object.fromEntries(
        bound
          .filter((one) => one.resource === resource)
          .map(({ action, operation }) => [action, operation]),
      ),
    })),
    stateless: bindings.flatMap((one) => (one.action === 'stateless' ? [one.operation] : [])),
  }
}
