import type { Operation, Parameter } from '../contract/contract.ts'
import { plainName } from '../contract/plain-name.ts'

/** A query parameter, with its name without spelling and without the prefix of a group: `page[size]` is `pagesize`, `paging.limit` is `limit`. */
export interface QueryParameter {
  readonly parameter: Parameter
  readonly plain: string
}

/** Groups of parameters for paging. Their names say nothing that the rest does not. */
const GROUP = /^(?:query_?options|paging|paginate|pagination|filter)[._[]/i

/** The query parameters of an operation in document order. */
export function queryParametersOf({ parameters }: Operation): readonly QueryParameter[] {
  return parameters
    .filter((parameter) => parameter.in === 'query')
    .map((parameter) => ({ parameter, plain: plainName(parameter.name.replace(GROUP, '')) }))
}
