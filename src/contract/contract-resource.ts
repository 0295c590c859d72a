import type { ResourceHints } from './resource-hints.ts'
import type { Schema, SchemaValidator } from './schema.ts'

/** A resource with the schemas that its hints lead to: plain data that is ready to be bound. */
export interface ContractResource extends ResourceHints {
  /** The schema of a record, in the response that shows most of it. */
  readonly schema: Schema
  /** Validates a record; absent when it is only a part of a body, which is validated as a whole. */
  readonly validate?: SchemaValidator
  /** The schema of ids: of the property, else of the path parameter. */
  readonly idSchema: Schema
  /** The path parameter that contains the id; absent when no path leads to one record. */
  readonly idParameter?: string
  /** The path parameters in `path`, which contain the ids of the parents; absent when there are none. */
  readonly parents?: readonly string[]
  /** The properties by which lists can be filtered. */
  readonly filters: readonly string[]
  /** The `operationId`s of the operations on the collection and on its records. */
  readonly operations: readonly string[]
  /** The `operationId`s of the operations on other records whose paths contain the id; absent when there are none. */
  readonly idOperations?: readonly string[]
  /** The schema of the record in the request that creates one, where it is a part of the body. */
  readonly created?: Schema
  /** The schemas of the records in requests. The shipped contract omits them, because its records have one view. */
  readonly sent?: readonly Schema[]
  /** The write-only properties, which no response shows; absent when there are none. */
  readonly hidden?: readonly string[]
}
