import type { Contract, Operation } from '../contract/contract.ts'
import { suggest, UsageError } from '../validation/usage-error.ts'

/** The contract with only these operations, which are named by their id, or by method and path such as `GET /books`. */
export function selectOperations(contract: Contract, names: readonly string[]): Contract {
  const { operations } = contract
  const selected = new Set(names.flatMap((name) => findOperations(name, operations)))

  return { ...contract, operations: operations.filter((operation) => selected.has(operation)) }
}

function findOperations(name: string, operations: readonly Operation[]): readonly Operation[] {
  const found = operations.filter(
    (operation) => operation.id === name || requestOf(operation) === name,
  )
  if (found.length > 0) return found
  const known = name.includes('/')
    ? operations.map(requestOf)
    : operations.map((operation) => operation.id)
  const { suggestion } = suggest(name, known)
  throw new UsageError({
    code: 'unknown_operation',
    task: 'select the operations',
    reason: `the document has no operation "${name}"`,
    ...(suggestion === undefined
      ? { help: 'Run "pet-sandbox explain" with the document to list its operations.' }
      : { suggestion }),
    allowed: known,
  })
}

function requestOf({ method, path }: Operation): string {
  return `${method} ${path}`
}
