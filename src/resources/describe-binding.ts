import type { Contract } from '../contract/contract.ts'
import { describeAnswer } from '../responses/describe-answer.ts'
import type { Binding, StatelessCause } from './bind.ts'
import { ITEM_PATH } from './collection-operations.ts'

/** How an operation is answered and why, as `explain` prints it. */
export function describeBinding(binding: Binding, contract: Pick<Contract, 'operations'>): string {
  const { operation, action } = binding
  const { method, path } = operation
  const [, itemOf] = ITEM_PATH.exec(path) ?? []
  if (action === 'stateless') {
    const cause = describeCause(
      binding.cause,
      { ...operation, collection: itemOf ?? path },
      contract,
    )
    return `${describeAnswer(operation)}, because ${cause}`
  }
  const { resource } = binding
  const what =
    itemOf === undefined
      ? `the collection ${path}`
      : `a record of ${resource.name}, found by its ${resource.id}`

  return `${method} on ${what}`
}

interface Place {
  readonly method: string
  readonly path: string
  /** The path of the collection. */
  readonly collection: string
}

function describeCause(
  cause: StatelessCause,
  { method, path, collection }: Place,
  { operations }: Pick<Contract, 'operations'>,
): string {
  switch (cause) {
    case 'nested':
      return `${collection} is below a path parameter, and nested collections are not inferred`
    case 'no-record':
      return `no response of ${collection} has the schema of a record`
    case 'no-id': {
      const items = operations.map((one) => ITEM_PATH.exec(one.path) ?? [])
      const [, , parameter = 'id'] = items.find(([, itemOf]) => itemOf === collection) ?? []
      const names = [...new Set([parameter, 'id'])].join(' or ')
      return `records of ${collection} have no property ${names}`
    }
    case 'no-id-generator':
      return `ids of ${collection} cannot be generated: they are not integers, UUIDs, email addresses or strings without a format`
    case 'refused-ids':
      return `the path parameter of ${method} ${path} does not accept the ids that can be generated`
    default:
      return `no action on ${collection} can be inferred from the schemas of ${method} ${path}`
  }
}
