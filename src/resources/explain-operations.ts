import type { Contract } from '../contract/contract.ts'
import { type Binding, bind } from './bind.ts'
import { describeBinding } from './describe-binding.ts'

/** How an operation is answered and why. `explain`, the control interface and its client give the same. */
export interface ExplainedOperation {
  /** The operation's id. */
  readonly operation: string
  readonly method: string
  /** The path below the base path, with the names of its parameters. */
  readonly path: string
  /** What the operation does with records, such as `list`; `stateless` when it uses none. */
  readonly behaviour: Binding['action']
  /** The name of the resource; absent for a stateless operation. */
  readonly resource?: string
  /** The collection or record that is used, or why the operation is stateless. */
  readonly reason: string
  readonly deprecated: boolean
}

/** Explains the operations of a contract, in the order of its document. */
export function explainOperations(contract: Contract): readonly ExplainedOperation[] {
  return bind(contract).map(explain)
}

function explain(binding: Binding): ExplainedOperation {
  const { operation, action: behaviour } = binding
  const { id, method, path, deprecation } = operation
  const resource = 'resource' in binding && { resource: binding.resource.name }
  const reason = describeBinding(binding)

  return { operation: id, method, path, behaviour, ...resource, reason, deprecated: !!deprecation }
}
