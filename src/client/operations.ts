import type { ListedOperation, OperationDetails } from '../sandbox/operation-details.ts'
import type { OperationRequest } from '../sandbox/sample-request.ts'
import { refuseUnknown } from '../validation/usage-error.ts'
import { type RemoteWorld, request } from './connection.ts'
import type { SandboxClient } from './sandbox-client.ts'
import { toQueryParameters } from './serialize.ts'

/** Creates the methods for the operations of the API. */
export function createOperations(
  remote: RemoteWorld,
): Pick<SandboxClient, 'operations' | 'operation' | 'sampleRequest'> {
  return {
    operations: async (options = {}) => {
      refuseUnknown('operations', options, ['diagnostics'])
      const query = toQueryParameters([['diagnostics', options.diagnostics]])
      return request<readonly ListedOperation[]>(remote, 'GET /operations', { query })
    },
    operation: (id) =>
      request<OperationDetails>(remote, 'GET /operations/{operation}', { path: [id] }),
    sampleRequest: async (id, options = {}) => {
      refuseUnknown('sampleRequest', options, ['key'])
      const query = toQueryParameters([['key', options.key]])
      return request<OperationRequest>(remote, 'GET /operations/{operation}/request', {
        path: [id],
        query,
      })
    },
  }
}
