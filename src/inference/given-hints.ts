import type { OperationHints, ResourceHints } from '../contract/resource-hints.ts'

/** What a document says about an operation by `x-sandbox`. `false` says that the operation has no such thing. */
export type GivenOperationHints = {
  readonly [Name in keyof OperationHints]?: OperationHints[Name] | false
}

/** What a document says about the records at a path by the `x-sandbox` of a path item. */
export interface GivenResourceHints {
  /** The name of the resource; `false` when the path has no records. */
  readonly resource?: string | false
  /** The path template of the collection; default: the path that has the hint. */
  readonly collection?: string
  /** The path template of one record; `false` when no path leads to one. */
  readonly item?: string | false
  readonly id?: string
  readonly hiddenIds?: boolean
  readonly ids?: NonNullable<ResourceHints['ids']>
  readonly single?: boolean
  readonly view?: string | false
}

/** The hints of a document about its records. */
export interface GivenHints {
  /** Whether what the hints do not say is inferred. Default: yes. */
  readonly inference: boolean
  /** By the path template. */
  readonly paths: ReadonlyMap<string, GivenResourceHints>
  /** By the id of the operation. */
  readonly operations: ReadonlyMap<string, GivenOperationHints>
}
