import type { Contract, Operation, Schema, SchemaValidator } from '../contract/contract.ts'

/** The parts of an operation that have a schema, in the order of the printed module. */
function partsOf({
  parameters,
  body,
  responses,
  otherResponses = [],
}: Operation): readonly Partial<Validated>[] {
  return [
    ...parameters,
    ...(body ? [body, ...(body.content ?? [])] : []),
    ...[...responses, ...otherResponses].flatMap((response) => [
      response,
      ...(response.content ?? []),
      ...(response.headers ?? []),
    ]),
  ]
}

interface Validated {
  readonly schema: Schema
  readonly validate: SchemaValidator
}

/** The schemas of a contract, in the order of the printed module. */
export function schemasIn({ operations, resources = {} }: Contract): readonly Schema[] {
  const own = Object.values(resources).flatMap((resource) =>
    resource ? [resource.schema, resource.idSchema, ...(resource.sent ?? [])] : [],
  )
  return [
    ...operations.flatMap((operation) =>
      partsOf(operation).flatMap(({ schema }) => (schema ? [schema] : [])),
    ),
    ...own,
  ]
}

/** The schema of each validator. */
export function validatedSchemas({ operations }: Contract): ReadonlyMap<unknown, Schema> {
  const entries = operations
    .flatMap(partsOf)
    .flatMap(({ schema, validate }) => (schema && validate ? [[validate, schema] as const] : []))
  return new Map(entries)
}
