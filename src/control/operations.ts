import type { Operation } from '../contract/contract.ts'
import { json } from '../http/message.ts'
import { problems } from '../http/problem.ts'
import { explainOperations } from '../resources/explain-operations.ts'
import { type ListedOperation, operationDetails } from '../sandbox/operation-details.ts'
import { sampleOperation } from '../sandbox/sample-request.ts'
import type { World } from '../sandbox/world.ts'
import type { Handlers } from './call.ts'
import { refuseUnknownName } from './field-errors.ts'

/** What a sandbox without keys is sent, as it accepts any credential. */
const ANY_KEY = 'sk_sandbox'

/** Handlers for the operations of the API. */
export const operations: Handlers<'listOperations' | 'getOperation' | 'sampleRequest'> = {
  listOperations: async ({ world, input: { query }, findDiagnostics }) => {
    const operations: readonly ListedOperation[] = explainOperations(world.contract)
    if (!query.diagnostics) return json(200, operations)
    const found = await findDiagnostics()
    const count = ({ operation }: ListedOperation): number => found.get(operation)?.length ?? 0

    return json(
      200,
      operations.map((one) => ({ ...one, diagnosticCount: count(one) })),
    )
  },

  getOperation: async ({ world, input: { path }, findDiagnostics }) => {
    findOperation(world, path.operation)
    const diagnostics = await findDiagnostics()
    const found = diagnostics.get(path.operation) ?? []
    return json(200, operationDetails(world, path.operation, found))
  },

  sampleRequest: async ({ world, input: { path, query } }) => {
    const operation = findOperation(world, path.operation)
    const own = world.keys.find(({ always }) => always === undefined)?.key
    const { key = own ?? ANY_KEY } = query
    const request = await sampleOperation(world, operation, operation.secured ? key : undefined)
    if (request) return json(200, request)
    throw problems.notFound(`No valid request for ${path.operation} was found.`)
  },
}

/** The operation with this id. Throws a 404 for an unknown one. */
function findOperation({ contract }: World, id: string): Operation {
  const found = contract.operations.find((operation) => operation.id === id)
  if (found) return found
  const known = contract.operations.map((operation) => operation.id)
  refuseUnknownName('operation', id, known)
  throw new TypeError(`The operation ${id} is known, but was not found`)
}
