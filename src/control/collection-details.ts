import type { Schema } from '../contract/contract.ts'
import { plainSchema } from '../contract/plain-schema.ts'
import { propertiesOf } from '../contract/schema-properties.ts'
import type { Resource } from '../resources/resource.ts'

/** A collection, and what its records consist of. */
export interface CollectionDetails {
  /** The name; of a collection below records its path, such as `orgs/acme/repos`. */
  readonly name: string
  readonly count: number
  /** The property that contains the id. */
  readonly id: string
  /** The properties of a record, in the order of the document. */
  readonly properties: readonly RecordProperty[]
  /** The JSON Schema of a stored record. A part that contains itself, and parts of a very large schema, are `{}`. */
  readonly schema: Schema
}

/** A property of the records of a collection. */
export interface RecordProperty {
  readonly name: string
  /** The JSON Schema of the value. */
  readonly schema: Schema
  /** Whether a new record needs it. */
  readonly required: boolean
  /** Whether the service sets it. The control interface may set it, too. */
  readonly readOnly: boolean
}

/** What the records of a resource consist of. */
export function describeRecords(
  resource: Resource,
): Pick<CollectionDetails, 'id' | 'properties' | 'schema'> {
  const { id, schema, creation } = resource
  const creatable = creation && propertiesOf(creation.schema)
  const required = new Set(requiredOf(creation?.schema ?? schema))
  const properties = [...propertiesOf(schema)].map(([name, property]): RecordProperty => {
    const isOfService = name === id || property.readOnly === true
    const readOnly = creatable ? !creatable.has(name) : isOfService
    const isFilled = readOnly || property.default !== undefined

    return {
      name,
      schema: plainSchema(property),
      required: required.has(name) && !isFilled,
      readOnly,
    }
  })

  return { id, properties, schema: plainSchema(schema) }
}

/** The names of the required properties of a schema and of the schemas in its `allOf`. */
function requiredOf({ required = [], allOf = [] }: Schema): readonly string[] {
  return [...required, ...allOf.flatMap(requiredOf)]
}
