import type { Parameter, Schema } from '../../contract/contract.ts'
import { withBranches } from '../../contract/schema.ts'
import { matches } from '../../generate/matches.ts'
import type { Id } from '../../records/record-table.ts'

/** What a document says about the ids of a collection. */
export interface IdSources {
  /** The name of the property or of the path parameter, such as `slug`. */
  readonly name: string
  /** The schema of the property that contains the id; absent when no property does. */
  readonly property?: Schema
  /** The path parameters that contain the id: one for each operation on a record. They may be equal. */
  readonly parameters: readonly Parameter[]
  /** The parameters of other records' paths that contain the id, such as those below a record. Ids fit them if they can. */
  readonly further?: readonly Parameter[]
  /** Whether ids are texts, as those in paths. Default: texts or numbers, by the schemas. */
  readonly isText?: boolean
  /** Ids in the examples of the document, the most typical first. */
  readonly examples: readonly unknown[]
}

/** Whether the property may contain an id. */
export function fitsProperty({ property }: IdSources, id: Id): boolean {
  return property === undefined || matches(property, id)
}

/** Whether the paths of a record may contain an id. */
export function fitsPath({ parameters, isText }: IdSources, id: Id): boolean {
  const text = String(id)
  if (isText !== undefined && isText !== (typeof id === 'string')) return false
  if (text === '' || text === '.' || text === '..') return false
  return fitsAll(parameters, text)
}

/** Whether the paths of other records, such as those below a record, may contain an id of it. */
export function fitsFurther({ further = [] }: IdSources, id: Id): boolean {
  return fitsAll(further, String(id))
}

function fitsAll(parameters: readonly Parameter[], text: string): boolean {
  const number = Number(text)
  return parameters.every(
    ({ validate }) => validate(text) || (String(number) === text && validate(number)),
  )
}

/** The schemas that describe the id, the property's first, each with its branches. */
export function idSchemas({ property, parameters }: IdSources): readonly Schema[] {
  const schemas = [...(property ? [property] : []), ...parameters.map(({ schema }) => schema)]
  return [...new Set(schemas.flatMap(withBranches))]
}

/** The examples of ids: those of the document's messages, then those of the schemas and the parameters. */
export function idExamples(sources: IdSources): readonly Id[] {
  const { examples, parameters } = sources
  const given = [
    ...examples,
    ...parameters.map(({ example }) => example),
    ...idSchemas(sources).flatMap((schema) => [
      schema.example,
      ...(Array.isArray(schema.examples) ? schema.examples : []),
    ]),
  ]
  return given.filter((one) => typeof one === 'string' || Number.isSafeInteger(one))
}
