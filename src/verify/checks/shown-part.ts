import type { Schema } from '../../contract/contract.ts'
import { contentOf, documentedResponse } from '../../contract/documented-response.ts'
import { propertiesOf } from '../../contract/schema-properties.ts'
import { typesIn } from '../../contract/schema-types.ts'
import { hasType } from '../../document/schemas/contradicted-type.ts'
import { isObject } from '../../validation/objects.ts'
import type { ProbeResponse } from '../requests/probe-messages.ts'
import { typeOf } from '../test-data/schema-keywords.ts'

/** Whether the document lets a response be an object. Another one cannot be compared with a record. */
export function describesRecord(response: ProbeResponse): boolean {
  const type = typeOf(schemaOf(response) ?? {})
  return type === undefined || type === 'object'
}

/**
 * The part of a record that the document has in a response, or in the items of a list: the properties that the schema names, if it
 * names any.
 */
export function shownPart(response: ProbeResponse, record: unknown): unknown {
  const properties = propertiesOf(recordSchemaOf(response))
  if (!isObject(record) || properties.size === 0) return record
  return Object.fromEntries(
    Object.entries(record).filter(([name, value]) => canShow(properties.get(name), value)),
  )
}

/** Whether a property can have a value. Other responses may show the same property with another type. */
function canShow(property: Schema | undefined, value: unknown): boolean {
  if (!property) return false
  const types = [...typesIn(property)]
  return types.length === 0 || types.some((type) => hasType(value, type))
}

/** The part of a sent record that a response shows as it was sent: what only the service sets is read-only in the response. */
export function sentPart(response: ProbeResponse, sent: unknown): unknown {
  const properties = propertiesOf(recordSchemaOf(response))
  const shown = shownPart(response, sent)
  if (!isObject(shown)) return shown
  return Object.fromEntries(
    Object.entries(shown).filter(([name]) => !properties.get(name)?.readOnly),
  )
}

/** Whether the document names a property of the records in a response. */
export function hasProperty(response: ProbeResponse, name: string): boolean {
  return propertiesOf(recordSchemaOf(response)).has(name)
}

/** The schema of the record in a response, or of the items of a list. */
function recordSchemaOf(response: ProbeResponse): Schema {
  const schema = schemaOf(response) ?? {}
  return schema.items ?? schema
}

/** The schema of a response, that of JSON first. */
function schemaOf({ status, request: { operation } }: ProbeResponse): Schema | undefined {
  const documented = operation && documentedResponse(operation, status)
  return documented && contentOf(documented)[0]?.schema
}
