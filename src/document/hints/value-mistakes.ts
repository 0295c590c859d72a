import type { Contract, Operation, Schema } from '../../contract/contract.ts'
import { chooseResponse } from '../../contract/documented-response.ts'
import { SERVICE_VALUES } from '../../contract/hints.ts'
import { casesOf } from '../../contract/operation-cases.ts'
import { itemsOf, listedValues, propertiesOf, typesIn } from '../../contract/schema.ts'
import { placeholdersIn } from '../../contract/templates.ts'
import { withoutNames } from '../../inference/path-shape.ts'
import { isObject } from '../../validation/objects.ts'
import { spell, type ValuePath } from '../../validation/value-check.ts'
import { atPart, type Document } from '../document.ts'
import { asObject, type JsonObject } from '../json-value.ts'
import type { Mistake } from '../mistake.ts'
import { operationsOf, parsePathKey } from '../operations.ts'
import { createAjv } from '../schemas/ajv.ts'
import { recordSchemas, resourceAt } from './resource-mistakes.ts'

/** A value that no schema of its property allows. */
interface WrongValue {
  /** The names that lead to it from the hints of the operation. */
  readonly at: ValuePath
  /** Such as `must be integer`. */
  readonly reason: string
  readonly assumed: string
}

const GENERATED = 'responses have a generated value'

/** The values in the hints of operations that their properties cannot have: those that are set now and later, here and in other records. */
export function setMistakes(document: Document, contract: Contract): readonly Mistake[] {
  return operationsOf(document).flatMap(({ operation, pointer, method, template }) => {
    const hints = asObject(operation['x-sandbox'])
    if (Object.keys(hints).length === 0) return []
    const { template: path } = parsePathKey(template)
    const own = contract.operations.find((one) => one.path === path && one.method === method)
    if (!own) return []
    const cases = Array.isArray(hints.cases) ? hints.cases : []
    const wrong = [
      ...wrongIn(hints, [], own, contract),
      ...cases.flatMap((one, index) =>
        wrongIn(asObject(one), ['cases', index], casesOf(own)[index] ?? own, contract),
      ),
    ]
    return wrong.map(({ at, reason, assumed }) =>
      atPart(document, {
        reason: `x-sandbox: ${spell(at)} ${reason}`,
        pointer: [...pointer, 'x-sandbox', ...at.map(String)],
        part: 'value',
        assumed,
      }),
    )
  })
}

function wrongIn(
  { set, after, also, answer }: JsonObject,
  at: ValuePath,
  operation: Operation,
  contract: Contract,
): readonly WrongValue[] {
  const resource = contract.resources?.[operation.hints?.resource ?? '']
  const records = resource ? recordSchemas(resource, contract) : []
  const shown = chooseResponse(operation).documented?.schema
  const all = [
    { value: set, at: [...at, 'set'], schemas: records, assumed: GENERATED },
    ...[after].flat().map((one, index) => {
      const place = [...at, 'after', index, 'set']
      return { value: asObject(one).set, at: place, schemas: records, assumed: GENERATED }
    }),
    ...[also].flat().map((one, index) => {
      const { in: path, set: value } = asObject(one)
      const other = resourceLike(String(path), contract)
      const schemas = other ? recordSchemas(other, contract) : []
      const place = [...at, 'also', index, 'set']
      return { value, at: place, schemas, assumed: 'the operation fails' }
    }),
    {
      value: answer,
      at: [...at, 'answer'],
      schemas: shown ? [shown] : [],
      assumed: 'the response is not as documented',
    },
  ]
  return all.flatMap(({ value, assumed, ...place }) =>
    wrongValues(asObject(value), place.at, place.schemas, operation).map((wrong) => ({
      ...wrong,
      assumed,
    })),
  )
}

/** The resource whose path has the same names. */
function resourceLike(path: string, contract: Contract): ReturnType<typeof resourceAt> {
  const like = withoutNames(path)
  const own = Object.values(contract.resourcePaths ?? {}).find((one) => withoutNames(one) === like)
  return own === undefined ? undefined : resourceAt(own, contract)
}

/** The values that no schema of their properties allows. A property that no schema has may have any. */
function wrongValues(
  values: JsonObject,
  at: ValuePath,
  schemas: readonly Schema[],
  operation: Operation,
): readonly Omit<WrongValue, 'assumed'>[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const own = schemas.flatMap((one): readonly Schema[] => {
      const property = propertiesOf(one).get(name)
      return property ? [property] : []
    })
    const place = [...at, name]
    if (own.length === 0) return []
    if (isObject(value) && own.some((one) => allows(one, 'object')))
      return wrongValues(value, place, own, operation)
    const [first, ...others] = own.map((one) => wrongnessOf(value, one, operation))
    const isWrong = first !== undefined && others.every((one) => one !== undefined)

    return isWrong ? [{ at: place, reason: first }] : []
  })
}

function allows(schema: Schema, ...types: readonly string[]): boolean {
  const known = typesIn(schema)
  return known.size === 0 || types.some((type) => known.has(type))
}

/** Why a schema does not allow a value, such as `must be integer`; `undefined` when it does, or when only a request tells. */
function wrongnessOf(value: unknown, schema: Schema, operation: Operation): string | undefined {
  const expected = `must be ${[...typesIn(schema)].join(' or ')}`
  const types = typesOfText(value, operation)
  if (types) return types.length === 0 || allows(schema, ...types) ? undefined : expected
  if (Array.isArray(value)) return listWrongness(value, schema, operation, expected)
  if (isObject(value)) return allows(schema, 'object') ? undefined : expected
  const listed = listedValues(schema)
  const [error] = errorsOf(value, schema)
  const values = listed.map((one) => JSON.stringify(one)).join(', ')

  return error !== undefined && listed.length > 0 ? `must be one of ${values}` : error
}

/** The types of what a text stands for; empty when they are not known, `undefined` when it stands for itself. */
function typesOfText(value: unknown, operation: Operation): readonly string[] | undefined {
  if (value === SERVICE_VALUES.absent) return []
  if (value === SERVICE_VALUES.now || value === SERVICE_VALUES.revision)
    return ['string', 'number', 'integer']
  const [placeholder] = typeof value === 'string' ? placeholdersIn(value) : []
  if (!placeholder) return undefined

  return value === `{${placeholder.join('.')}}` ? typesOf(placeholder, operation) : ['string']
}

function listWrongness(
  list: readonly unknown[],
  schema: Schema,
  operation: Operation,
  expected: string,
): string | undefined {
  if (!allows(schema, 'array')) return expected
  const items = itemsOf(schema)
  if (!items) return undefined
  const wrong = list.map((item) => wrongnessOf(item, items, operation)).find(Boolean)

  return wrong === undefined ? undefined : `has an item that ${wrong}`
}

/** The types that the value of a placeholder has by the document; empty when they are not known. A number fits where integers are. */
function typesOf([first = '', ...names]: readonly string[], operation: Operation): string[] {
  if (first === 'uuid') return ['string']
  const [name, ...rest] = names
  const parameter = operation.parameters.find((one) => one.in === first && one.name === name)
  let schema = first === 'body' ? operation.body?.schema : parameter?.schema
  for (const one of first === 'body' ? names : rest)
    schema = schema && propertiesOf(schema).get(one)
  const types = schema ? [...typesIn(schema)] : []

  return types.flatMap((type) =>
    type === 'number' || type === 'integer' ? ['number', 'integer'] : [type],
  )
}

function errorsOf(value: unknown, schema: Schema): readonly string[] {
  try {
    const ajv = createAjv()
    return ajv.validate(schema, value)
      ? []
      : (ajv.errors ?? []).map(({ message }) => message ?? 'is not valid')
  } catch {
    // The mistake is one of the schema.
    return []
  }
}
