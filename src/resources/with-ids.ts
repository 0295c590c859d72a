import type { Operation, Parameter, Schema } from '../contract/contract.ts'
import { HIDDEN_ID } from '../contract/hints.ts'
import { listedValues, propertiesOf, schemaAt } from '../contract/schema.ts'
import type { Awaitable } from '../records/awaitable.ts'
import { collectExamples } from './collect-examples.ts'
import { findIds } from './find-ids.ts'
import { typedId } from './id-generator.ts'
import type { Resource } from './resource.ts'

const known = new WeakMap<Resource, Awaitable<Resource>>()

/** A resource that knows how its ids are generated. It is found once, because that reads the examples of the document. */
export function withIds(resource: Resource): Awaitable<Resource> {
  const found = resource.ids ? resource : known.get(resource)
  if (found) return found
  const finding = find(resource)
  known.set(resource, finding)
  finding.then((one) => known.set(resource, one)).catch(() => undefined)

  return finding
}

async function find(resource: Resource): Promise<Resource> {
  const { name, id, idParameter, operations = [], idOperations = [], path } = resource
  const at = path.split('/').length
  const property = idPropertyOf(resource)
  const places = { id, ...(idParameter !== undefined && { idParameter }) }
  const ids = await findIds({
    isText: typeof typedId('1', resource) === 'string',
    name:
      id === 'id' || id === HIDDEN_ID ? (idParameter ?? name) : id.slice(id.lastIndexOf('/') + 1),
    ...(property && { property }),
    parameters: operations.flatMap(({ operation }) => idParameterOf(operation, idParameter) ?? []),
    further: idOperations
      .flatMap((operation) => parameterAt(operation, at) ?? [])
      .filter((parameter) => !isOtherList(parameter, idParameter)),
    examples: [
      ...collectExamples(operations, places).map((example) => example.id),
      ...(resource.idExample === undefined ? [] : [resource.idExample]),
    ],
  })
  return { ...resource, ids }
}

/** The path parameter of an operation that contains the id. */
function idParameterOf(
  { parameters }: Operation,
  idParameter: string | undefined,
): Parameter | undefined {
  return parameters.find(({ in: place, name }) => place === 'path' && name === idParameter)
}

/** The path parameter of an operation in a segment of its path. */
function parameterAt({ path, parameters }: Operation, at: number): Parameter | undefined {
  const segment = path.split('/')[at] ?? ''
  return parameters.find(
    ({ in: place, name }) => place === 'path' && segment.startsWith(`{${name}}`),
  )
}

/** Whether a parameter with another name lists its values, such as `{scope}`: then it is no id of these records. */
function isOtherList({ name, schema }: Parameter, idParameter: string | undefined): boolean {
  return name !== idParameter && listedValues(schema).length > 0
}

/** The schema of the property with the id, which may be in an object of the record. */
function idPropertyOf({ schema, id, viewHints }: Resource): Schema | undefined {
  const { id: shown = id } = viewHints ?? {}
  return shown.startsWith('/') ? schemaAt(schema, shown) : propertiesOf(schema).get(id)
}
