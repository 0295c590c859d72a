import type { Operation, Schema } from '../contract/contract.ts'
import type { SortHints } from '../contract/hints.ts'
import { listedValues, plainName, propertiesOf, typesIn } from '../contract/schema.ts'
import { type QueryParameter, queryParametersOf } from './paging.ts'

const BY =
  /^(sort|sorts|sorting|sortby|sortfield|sortcolumn|sortkey|order|orderby|orderfield|ordering)$/
const DIRECTION =
  /^(order|direction|dir|sort|sortorder|sortdirection|sortdir|sorttype|orderdirection|orderdir|ordertype)$/
const DIRECTIONS: ReadonlySet<string> = new Set(['asc', 'desc', 'ascending', 'descending'])

/** How the documented query parameters sort a list; `undefined` when none does, or when no value of it names a property. */
export function inferSort(operation: Operation, recordSchema: Schema): SortHints | undefined {
  const parameters = queryParametersOf(operation).filter(({ parameter }) =>
    isText(parameter.schema),
  )
  const direction = parameters.find((one) => DIRECTION.test(one.plain) && hasDirections(one))
  const properties = new Set([...propertiesOf(recordSchema).keys()].map(plainName))
  const by = parameters.find(
    (one) => one !== direction && BY.test(one.plain) && namesProperties(one, properties),
  )
  // Only a direction: the records are sorted by their ids.
  if (!by) return direction && { by: direction.parameter.name }

  return { by: by.parameter.name, ...(direction && { direction: direction.parameter.name }) }
}

function isText(schema: Schema): boolean {
  const types = typesIn(schema)
  return types.size === 0 || types.has('string') || types.has('array')
}

function valuesOf({ parameter: { schema } }: QueryParameter): readonly string[] {
  return listedValues(schema.items ?? schema).map((value) => String(value).toLowerCase())
}

function hasDirections(parameter: QueryParameter): boolean {
  const values = valuesOf(parameter)
  if (values.length > 0) return values.every((value) => DIRECTIONS.has(value))
  const { default: usual, example } = parameter.parameter.schema

  return DIRECTIONS.has(String(usual ?? example ?? '').toLowerCase())
}

/** Whether a value of the parameter may name a property, such as `-name`, `name:desc` or `name_asc`. */
function namesProperties(parameter: QueryParameter, properties: ReadonlySet<string>): boolean {
  const values = valuesOf(parameter)
  return values.length === 0 || values.some((value) => properties.has(plainName(sortedName(value))))
}

/** The property that a value of a sorting parameter names, without its direction. */
function sortedName(value: string): string {
  return value.replace(/[\s:.,_]+(asc|desc)(ending)?$/i, '')
}
