import type { SandboxClient } from '../../../client/sandbox-client.ts'

/** An operation, with how it is answered and why. */
export type OperationSummary = Awaited<ReturnType<SandboxClient['operations']>>[number]

/** An operation with what a form for its requests needs. */
export type OperationDetails = Awaited<ReturnType<SandboxClient['operation']>>

/** A valid request for an operation. */
export type SampleRequest = Awaited<ReturnType<SandboxClient['sampleRequest']>>

/** The name of a parameter and its text. */
export type Pair = readonly [name: string, value: string]
