import type { Operation, Schema } from '../contract/contract.ts'
import {
  isObjectSchema,
  itemsOf,
  listedValues,
  plainName,
  propertiesOf,
  typesIn,
} from '../contract/schema.ts'
import { isFreeText } from './comparisons.ts'
import { queryParametersOf } from './paging.ts'

const FIELDS = /^(fields?|optfields|select|properties|attributes|onlyfields|columns)$/

/** Descriptions of what is shown besides, or searched. */
const OTHER = /addition|extra|expand|embed|search|sort|filter/i

/** The query parameter that names the properties which a response shows; `undefined` when there is none. */
export function inferFields(
  operation: Operation,
  recordSchema: Schema,
  describe: (parameter?: string) => string,
): string | undefined {
  const names = [...propertiesOf(recordSchema).keys()].map(plainName)
  const found = queryParametersOf(operation).find(({ parameter, plain }) => {
    const { name, required, schema } = parameter
    if (required || !FIELDS.test(plain) || names.includes(plain)) return false
    const values = itemsOf(schema) ?? schema
    const listed = listedValues(values).map((value) => plainName(String(value)))
    const isNamed = isFreeText(values) || listed.some((value) => names.includes(value))
    return isNamed && !typesIn(values).has('object') && !OTHER.test(describe(name))
  })
  return found?.parameter.name
}

const EXPAND = /^(expand|expands|expansions?|includes?|embed|populate|with)$/

/**
 * The query parameter that names references to show as records; `undefined` when there is none, or no property may be both an id and
 * an object.
 */
export function inferExpand(operation: Operation, recordSchema: Schema): string | undefined {
  const hasReference = [...propertiesOf(recordSchema).values()].some((property) =>
    isExpandable(itemsOf(property) ?? property),
  )
  const found = queryParametersOf(operation).find(({ parameter, plain }) => {
    const values = itemsOf(parameter.schema) ?? parameter.schema
    return EXPAND.test(plain) && typesIn(values).has('string')
  })
  return hasReference ? found?.parameter.name : undefined
}

/** Whether a value is an id or the object with that id. */
function isExpandable(schema: Schema): boolean {
  const types = typesIn(schema)
  return (types.has('string') || types.has('integer')) && isObjectSchema(schema)
}
