import { isObject } from '../../validation/objects.ts'
import type { JsonObject } from '../json-value.ts'

/** A part of a Swagger document that is changed in place. */
export type Changeable = Record<string, unknown>

/** What the conversion of a Swagger document could not keep. */
export interface ConversionNote {
  /** Why: a clause without a full stop. */
  readonly reason: string
  /** The place in the Swagger document. */
  readonly pointer: readonly string[]
}

/** The methods that a path of Swagger 2.0 can have. */
export const SWAGGER_METHODS: readonly string[] = [
  'get',
  'put',
  'post',
  'delete',
  'options',
  'head',
  'patch',
]

/** Whether a document is written in Swagger 2.0. YAML reads the version as a number when it has no quotes. */
export function isSwagger2(root: unknown): root is JsonObject {
  return isObject(root) && root.openapi === undefined && /^2(\.0)*$/.test(String(root.swagger))
}

/** The value if it is an object that can be changed, otherwise an empty one that belongs to nothing. */
export function changeable(value: unknown): Changeable {
  return isChangeable(value) ? value : {}
}

export function isChangeable(value: unknown): value is Changeable {
  return isObject(value)
}
