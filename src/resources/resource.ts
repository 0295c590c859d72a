import type {
  Operation,
  Parameter,
  RequestBody,
  Schema,
  SchemaValidator,
} from '../contract/contract.ts'
import { encodeLiteral } from '../contract/path-pattern.ts'
import { propertiesOf } from '../contract/schema-properties.ts'
import { type CollectionOperations, ITEM_PATH } from './collection-operations.ts'
import { acceptsIds, createIdGenerator, withParameter } from './id-generator.ts'

/** A collection of records, with the paths of the collection and of one record. */
export interface Resource {
  /** The last segment of the path, such as `books`; the whole path when another path ends with it, such as `shop/books`. */
  readonly name: string
  /** The path, such as `/books`, percent-encoded. */
  readonly path: string
  /** The property that contains the id. */
  readonly id: string
  /** What ids are generated from: the schema of the property, with that of the path parameter where that needs other ids. */
  readonly idSchema: Schema
  /** The path parameter that contains the id; absent when no path leads to one record. */
  readonly idParameter?: string
  readonly schema: Schema
  readonly validate: SchemaValidator
  /** The body of a request that creates a record; absent when no operation creates one. */
  readonly creation?: RequestBody
  /** Properties by which the list can be filtered. */
  readonly filters: readonly string[]
  /** Write-only properties: they are stored, and are in no response. */
  readonly hidden: ReadonlySet<string>
}

const COLLECTION_PATH = /^[^{}]*\/[^{}/]+$/

/** Query parameters for paging. Every other one filters by the property with its name. */
const PAGING: ReadonlySet<string> = new Set(['limit', 'cursor'])

/** Why there is no resource at a path: `describeBinding` has the words. */
export type NoResource = 'nested' | 'no-record' | 'no-id' | 'no-id-generator'

/** The resource at a path, or why there is none. */
export function findResource(
  path: string,
  name: string,
  { collection, item }: CollectionOperations,
): Resource | NoResource {
  if (!COLLECTION_PATH.test(path)) return 'nested'
  const record = findRecordSchema(collection, item)
  if (!record) return 'no-record'

  const properties = propertiesOf(record.schema)
  const [, , idParameter] = ITEM_PATH.exec(item[0]?.path ?? '') ?? []
  const id = [idParameter, 'id'].find((name) => name !== undefined && properties.has(name))
  if (id === undefined) return 'no-id'
  const idSchema = idSchemaOf(properties.get(id) ?? {}, idParameterOf(item[0], idParameter))
  if (!createIdGenerator(idSchema, 0)) return 'no-id-generator'
  const creation = collection.find(({ method, body }) => method === 'POST' && body)?.body
  const queried = collection.flatMap(({ method, parameters }) =>
    method === 'GET' ? parameters : [],
  )
  const filters = queried.filter(
    (parameter) => parameter.in === 'query' && !PAGING.has(parameter.name),
  )

  return {
    name,
    path: encodeLiteral(path),
    id,
    idSchema,
    ...(idParameter !== undefined && { idParameter }),
    ...record,
    ...(creation && { creation }),
    filters: filters.map(({ name }) => name).filter((name) => properties.has(name)),
    hidden: writeOnlyNames([...collection, ...item]),
  }
}

/** The path parameter of an operation that contains the id. */
export function idParameterOf(
  operation: Operation | undefined,
  idParameter: string | undefined,
): Parameter | undefined {
  return operation?.parameters.find(
    ({ in: place, name }) => place === 'path' && name === idParameter,
  )
}

function idSchemaOf(own: Schema, parameter: Parameter | undefined): Schema {
  if (!parameter || acceptsIds(parameter, own)) return own
  const both = withParameter(own, parameter)

  return acceptsIds(parameter, both) ? both : own
}

function writeOnlyNames(operations: readonly Operation[]): ReadonlySet<string> {
  const sent = operations.flatMap(({ body }) => (body ? [...propertiesOf(body.schema)] : []))
  return new Set(sent.filter(([, { writeOnly }]) => writeOnly).map(([name]) => name))
}

/** The schema of a record: of the response that reads, creates, replaces or updates one, else of the items of the list. */
function findRecordSchema(
  collection: readonly Operation[],
  item: readonly Operation[],
): Pick<Resource, 'schema' | 'validate'> | undefined {
  const byMethod = (method: string, from: readonly Operation[]): readonly Operation[] =>
    from.filter((operation) => operation.method === method)
  const candidates = [
    ...byMethod('GET', item),
    ...byMethod('POST', collection),
    ...byMethod('PUT', item),
    ...byMethod('PATCH', item),
  ]
  for (const { responses } of candidates) {
    const { schema, validate } = successResponse(responses) ?? {}
    if (schema && validate && propertiesOf(schema).size > 0) return { schema, validate }
  }
  const { schema, validate } =
    successResponse(byMethod('GET', collection)[0]?.responses ?? []) ?? {}
  if (!schema?.items || !validate || propertiesOf(schema.items).size === 0) return undefined

  return { schema: schema.items, validate: itemValidator(validate) }
}

/** A check of one item, made of the check of a list. */
function itemValidator(list: SchemaValidator): SchemaValidator {
  const validate: SchemaValidator = (value) => {
    const isValid = list([value])
    validate.errors = (list.errors ?? []).map((error) => ({
      ...error,
      instancePath: error.instancePath.replace(/^\/0/, ''),
    }))
    return isValid
  }
  return validate
}

/** The first 2xx response; `undefined` when the operation has none. */
export function successResponse(
  responses: Operation['responses'],
): Operation['responses'][number] | undefined {
  return responses.find(({ status }) => status >= 200 && status < 300)
}

export function successSchema(responses: Operation['responses']): Schema | undefined {
  return successResponse(responses)?.schema
}
