import { shapeOf } from '../../inference/path-shape.ts'
import type { AdmittedRequest } from '../behaviour.ts'
import type { Resource } from '../resource.ts'

/** Where the record or the collection of a request lives. */
export interface Location {
  /** The values of the path parameters of the collection, by their names in `Resource.path`. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** The last segment of the record's path; absent when the request is for the collection. */
  readonly id?: string
}

/**
 * Where a request's record lives: the segments of its path up to the collection's, and the one after them. The operations on a
 * resource may call the same parameter by different names.
 */
export function locate({ binding, input }: AdmittedRequest, resource: Resource): Location {
  const own = shapeOf(binding.operation.path).path.split('/')
  const collection = decodeURI(resource.path).split('/')
  const parameters: Record<string, unknown> = {}
  for (const [at, segment] of collection.entries()) {
    const name = parameterIn(segment)
    if (name !== undefined) parameters[name] = input.path[parameterIn(own[at]) ?? name]
  }
  if (resource.isSingle) return { parameters, id: lastOf(collection, parameters) }
  const name = parameterIn(own[collection.length])

  return name === undefined ? { parameters } : { parameters, id: String(input.path[name]) }
}

function parameterIn(segment: string | undefined): string | undefined {
  return /\{([^{}]+)\}/.exec(segment ?? '')?.[1]
}

/** The id of a single record: the last segment of its path. */
function lastOf(
  segments: readonly string[],
  parameters: Readonly<Record<string, unknown>>,
): string {
  const last = segments.at(-1) ?? ''
  const name = parameterIn(last)

  return name === undefined ? last : String(parameters[name])
}
