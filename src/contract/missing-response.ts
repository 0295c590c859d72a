/** A response whose body cannot be made, because no value matches its schema. */
export interface MissingResponse {
  /** Method and path of the operation, such as `GET /books`. */
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly mediaType: string
  /** Why: a clause without a full stop. */
  readonly reason: string
}
