import { nestedSchema } from '../contract/bracket-names.ts'
import type { Operation, Schema, SchemaValidator, ValidationTime } from '../contract/contract.ts'
import { chooseResponse, mainContentOf } from '../contract/documented-response.ts'
import type { ContractResource, FilterHints, ResourceHints } from '../contract/hints.ts'
import { mainView, operationsOn } from '../contract/operation-cases.ts'
import {
  isValidIn,
  itemsOf,
  propertiesOf,
  recordSchemaAt,
  schemaAt,
  valuesById,
} from '../contract/schema.ts'
import { shapeOf } from './path-shape.ts'

/**
 * A resource with the schemas that its hints lead to. `operations` are those on its path and on the paths of its records, and `withId`
 * those whose paths contain the id of a record. `described` is the schema that hints name.
 */
export function resolveResource(
  hints: ResourceHints,
  operations: readonly Operation[],
  withId: readonly Operation[] = [],
  described?: Schema,
): ContractResource {
  const { path, item = '', id } = hints
  const own = operationsOn(hints.name, operations)
  const view = described ? { schema: described } : viewOf(hints, operations)
  const { parameter: idParameter } = shapeOf(item)
  const ids = [...own, ...withId].flatMap(({ parameters }) => parameters)
  const inPath = ids.find((one) => one.in === 'path' && one.name === idParameter)
  const parents = [...path.matchAll(/\{([^{}/]+)\}/g)].flatMap(([, parent]) => parent ?? [])
  const creation = own.find(({ hints: one, body }) => one?.action === 'create' && body)
  const { body, part } = creation?.hints ?? {}
  const isList = creation?.body && itemsOf(creation.body.schema) !== undefined
  const isPart = body !== undefined || part !== undefined || isList
  const created = creation && isPart ? sentSchemaOf(creation) : undefined
  const sent: readonly Schema[] = own.flatMap((one) => {
    const schema = sentSchemaOf(one)
    return schema ? [schema] : []
  })
  const filters = own.flatMap((one) => Object.values(one.hints?.filters ?? {}).flatMap(equalName))
  const hidden = writeOnlyNames(sent, view.schema)
  const idOperations = withId.flatMap((one) => (own.includes(one) ? [] : one.id))

  return {
    ...hints,
    ...view,
    idSchema: propertiesOf(view.schema).get(id) ?? inPath?.schema ?? { type: 'string' },
    ...(idParameter !== undefined && { idParameter }),
    ...(parents.length > 0 && { parents }),
    filters: [...new Set(filters)],
    operations: [...new Set(own.map((one) => one.id))],
    ...(idOperations.length > 0 && { idOperations }),
    ...(created && { created }),
    sent,
    ...(hidden.length > 0 && { hidden }),
  }
}

/** The property that a filter compares for equality, of which there is an index. */
function equalName(filter: string | FilterHints): string | readonly string[] {
  const {
    property,
    is = 'equal',
    values,
  }: FilterHints = typeof filter === 'string' ? { property: filter } : filter
  const isEqual = (is === 'equal' || is === 'in') && values === undefined
  return isEqual && typeof property === 'string' && !property.startsWith('/') ? property : []
}

/** The schema of the record in a request, as far as the request contains it. */
function sentSchemaOf({ body, hints }: Operation): Schema | undefined {
  const { part, body: place = '' } = hints ?? {}
  const nested = body && nestedSchema(body.schema)
  // A part of the body that nothing describes may be anything, but not the body.
  const whole = nested && (schemaAt(nested, place) ?? (place === '' ? nested : {}))
  const sent = nested && (recordSchemaAt(nested, hints?.body) ?? whole)

  return sent && part !== undefined ? { type: 'object', properties: { [part]: sent } } : sent
}

/** The properties that no response shows, unless the one that shows most of a record has them. */
function writeOnlyNames(sent: readonly Schema[], shown: Schema): readonly string[] {
  const isShown = (name: string): boolean => {
    const property = propertiesOf(shown).get(name)
    return property !== undefined && !property.writeOnly
  }
  const properties = sent.flatMap((schema) => [...propertiesOf(schema)])

  return properties.flatMap(([name, { writeOnly }]) => (writeOnly && !isShown(name) ? name : []))
}

/** The schema of a record: of the response that shows most of it. */
function viewOf(
  { view, name, item: itemPath = '' }: ResourceHints,
  operations: readonly Operation[],
): Pick<ContractResource, 'schema' | 'validate'> {
  const shown = view === undefined ? undefined : mainView(name, operations, view)
  const { documented } = shown ? chooseResponse(shown) : {}
  const { schema: body, validate } = (documented && mainContentOf(documented)) ?? {}
  if (!(shown?.hints && body)) return { schema: {} }
  const { record = '', item = '', action } = shown.hints
  const found = schemaAt(body, record) ?? {}
  const items = itemsOf(found)
  const byId =
    items || action !== 'list' ? undefined : valuesById(found, shapeOf(itemPath).parameter)
  const schema = schemaAt(items ?? byId ?? found, item) ?? {}
  if (record !== '' || item !== '' || byId || !validate) return { schema }

  return { schema, validate: items ? itemValidator(validate) : validate }
}

/** A check of one item, made of the check of a list. */
function itemValidator(list: SchemaValidator): SchemaValidator {
  const within = (value: unknown, time: ValidationTime): boolean => {
    const isValid = isValidIn(time, list, [value])
    validate.errors = (list.errors ?? []).map((error) => ({
      ...error,
      instancePath: error.instancePath.replace(/^\/0/, ''),
    }))
    return isValid
  }
  const validate: SchemaValidator = (value) => within(value, { used: 0 })
  validate.within = within

  return validate
}
