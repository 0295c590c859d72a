import type { SandboxClient } from '../../client/sandbox-client.ts'
import type { NamedSchemas } from '../schema-view.ts'

type ListedOperation = Awaited<ReturnType<SandboxClient['operations']>>[number]
type Answer = 'behaviour' | 'certainty' | 'reason'

/** An operation, with how it is answered and why, when that is known. */
export type OperationSummary = Omit<ListedOperation, Answer> &
  Partial<Pick<ListedOperation, Answer>>

/** An operation with what the document and the sandbox say about it. */
export type OperationDetails = Awaited<ReturnType<SandboxClient['operation']>>

/** A valid request for an operation. */
export type SampleRequest = Awaited<ReturnType<SandboxClient['sampleRequest']>>

/** What a form for the requests of an operation needs. */
export type FormDetails = Pick<
  OperationDetails,
  'method' | 'path' | 'parameters' | 'body' | 'documentation'
>

export type ParameterDetails = OperationDetails['parameters'][number]

/** The schemas that those of an operation refer to. */
export function schemasOf({
  documentation,
}: Pick<OperationDetails, 'documentation'>): NamedSchemas {
  return documentation?.schemas ?? {}
}

/** What the document says about a parameter; `undefined` when that is not known. */
export function documentedParameter(
  { documentation }: Pick<OperationDetails, 'documentation'>,
  { name, in: place }: Pick<ParameterDetails, 'name' | 'in'>,
): NonNullable<OperationDetails['documentation']>['parameters'][number] | undefined {
  return documentation?.parameters.find((one) => one.name === name && one.in === place)
}
