import type { Schema } from '../../contract/contract.ts'
import type { OperationHints } from '../../contract/hints.ts'
import type { Input } from '../../contract/input.ts'
import { isNumeric, propertiesOf, typesIn } from '../../contract/schema.ts'
import type { CoreRequest } from '../../http/message.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { isSent, queryValue } from './query-value.ts'

/** The request for a list, with the values of its query parameters. */
export interface FilterRequest {
  readonly request: Pick<CoreRequest, 'query'>
  readonly query: Input['query']
  /** The schema of a record. */
  readonly schema: Schema
}

/**
 * The values that the properties of listed records must have, or lists of values of which they must have one. A default filters
 * nothing: a record that a client creates is in the list.
 */
export function readFilters(
  filters: OperationHints['filters'],
  { request, query, schema }: FilterRequest,
): StoredRecord {
  const properties = propertiesOf(schema)
  const where = Object.entries(filters ?? {}).flatMap(([parameter, property]) => {
    const value = queryValue(query, parameter)
    if (value === undefined || value === '' || !isSent(request, parameter)) return []
    return [[property, typedValue(value, properties.get(property) ?? {})] as const]
  })
  return Object.fromEntries(where)
}

/** A value of a query as the property has it: numbers and booleans may be declared as texts. */
function typedValue(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value)) return value.map((one) => typedValue(one, schema))
  const types = typesIn(schema)
  if (typeof value === 'number' && types.has('string') && !isNumeric(schema)) return String(value)
  if (typeof value !== 'string' || types.has('string')) return value
  if (isNumeric(schema) && String(Number(value)) === value) return Number(value)
  if (types.has('boolean') && /^(true|false)$/.test(value)) return value === 'true'

  return value
}
