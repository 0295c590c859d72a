import type { SandboxClient } from '../../../client/sandbox-client.ts'

/** A collection, and what its records consist of. */
export type CollectionDetails = Awaited<ReturnType<SandboxClient['describeCollection']>>

/** A property of the records of a collection. */
export type RecordProperty = CollectionDetails['properties'][number]

/** A collection with the number of its records. */
export type CollectionCount = Awaited<ReturnType<SandboxClient['collectionCounts']>>[number]

/** A record, as the control interface gives it. */
export type RecordValues = Readonly<Record<string, unknown>>
