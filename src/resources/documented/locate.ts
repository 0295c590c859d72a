import { shapeOf } from '../../inference/path-shape.ts'
import { once } from '../../validation/objects.ts'
import type { AdmittedRequest } from '../behaviour.ts'
import type { Binding } from '../bind.ts'
import type { Resource } from '../resource.ts'

/** Where the record or the collection of a request lives. */
export interface Location {
  /** The values of the path parameters of the collection, by their names in `Resource.path`. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** The last segment of the record's path; absent when the request is for the collection. */
  readonly id?: string
}

/** The names of the path parameters that say where a request's record lives. */
interface Route {
  /** The parameters of the collection, by their names in `Resource.path`. */
  readonly parameters: readonly (readonly [name: string, sent: string])[]
  /** The parameter with the id; absent when the request is for the collection. */
  readonly id: string | undefined
}

const NO_PARAMETERS = {}

/**
 * Where a request's record lives: the segments of its path up to the collection's, and the one after them. The operations on a
 * resource may call the same parameter by different names.
 */
export function locate({ binding, input }: AdmittedRequest, resource: Resource): Location {
  const { parameters: names, id } = routeOf(binding)(resource)
  const parameters =
    names.length === 0
      ? NO_PARAMETERS
      : Object.fromEntries(names.map(([name, sent]) => [name, input.path[sent]]))
  if (resource.isSingle) return { parameters, id: singleId(resource, parameters) }

  return id === undefined ? { parameters } : { parameters, id: String(input.path[id]) }
}

const routeOf = once(({ operation }: Binding) =>
  once((resource: Resource): Route => {
    const own = shapeOf(operation.path).path.split('/')
    const collection = decodeURI(resource.path).split('/')
    const parameters = collection.flatMap((segment, at) => {
      const name = parameterIn(segment)
      return name === undefined ? [] : [[name, parameterIn(own[at]) ?? name] as const]
    })
    return { parameters, id: parameterIn(own[collection.length]) }
  }),
)

function parameterIn(segment: string | undefined): string | undefined {
  return /\{([^{}]+)\}/.exec(segment ?? '')?.[1]
}

/** The id of a single record: the last segment of its path. */
function singleId({ path }: Resource, parameters: Location['parameters']): string {
  const last = decodeURI(path).split('/').at(-1) ?? ''
  const name = parameterIn(last)

  return name === undefined ? last : String(parameters[name])
}
