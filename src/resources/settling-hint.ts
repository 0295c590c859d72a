import type { Contract, Operation, Schema } from '../contract/contract.ts'
import type { OperationHints } from '../contract/hints.ts'
import { propertiesOf } from '../contract/schema.ts'
import { responseSchemaOf } from '../inference/infer-resource.ts'
import { wordOf } from '../inference/path-shape.ts'
import { findListed } from '../inference/record-place.ts'
import { isObject } from '../validation/objects.ts'
import { bindingOf } from './bind.ts'
import type { Resource } from './resource.ts'

/**
 * The hints that make an operation a list of the records of a collection above its path, such as `GET /pets/findByStatus`: its response
 * lists records of the same schema. `undefined` when there is no such collection.
 */
export function listHints(operation: Operation, contract: Contract): OperationHints | undefined {
  const body = responseSchemaOf(operation)
  const resource = resourceAbove(operation, contract)
  if (!body || !resource || !/^(GET|POST)$/.test(operation.method)) return undefined
  const { name, path, idParameter: parameter, schema: known } = resource
  const list = findListed(body, { word: wordOf(path), path, parameter, known })
  if (!list || !isSameRecord(list.schema, known)) return undefined
  const { place: record, item } = list

  return { resource: name, action: 'list', record, ...(item !== undefined && { item }) }
}

/** The resource of the nearest collection above the path of an operation. */
function resourceAbove({ path }: Operation, contract: Contract): Resource | undefined {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    const above = path.slice(0, end)
    for (const operation of contract.operations) {
      if (operation.path !== above) continue
      const binding = bindingOf(contract, operation)
      if (binding.action !== 'stateless' && binding.resource.path === above) return binding.resource
    }
  }
  return undefined
}

/** Whether two schemas describe the same records: they are the same, or have the same properties. */
function isSameRecord(one: Schema, other: Schema): boolean {
  if (one === other) return true
  const names = [...propertiesOf(one).keys()]
  const others = propertiesOf(other)

  return names.length > 1 && names.length === others.size && names.every((name) => others.has(name))
}

/** Hints as they can be pasted into a document in YAML: `x-sandbox: { resource: pets, action: list }`. */
export function hintText(hints: object): string {
  return `x-sandbox: ${flowYaml(hints)}`
}

/** Texts that YAML reads as they are, in an object or a list as well. */
const PLAIN = /^[A-Za-z_/][\w/.-]*$/
const NO_TEXT = /^(true|false|null|yes|no|on|off|y|n)$/i

function flowYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flowYaml).join(', ')}]`
  if (isObject(value)) {
    const members = Object.entries(value).map(([key, one]) => `${flowYaml(key)}: ${flowYaml(one)}`)
    return `{ ${members.join(', ')} }`
  }
  const isPlain = typeof value === 'string' && PLAIN.test(value) && !NO_TEXT.test(value)

  return isPlain ? value : JSON.stringify(value)
}
