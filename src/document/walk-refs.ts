import type { Pointer } from './json-pointer.ts'
import { asObject, type JsonObject } from './json-value.ts'

/** What {@link walkRefs} calls for each object of a document that is not the value of an example, default or extension. */
export type Visit = (object: JsonObject, pointer: () => Pointer) => void

/** The keywords of OpenAPI and JSON Schema that hold objects by name. Their keys are names, and no keywords. */
const MAPS: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'],
  ...['schemas', 'responses', 'parameters', 'examples', 'requestBodies', 'headers', 'links'],
  ...['securitySchemes', 'callbacks', 'pathItems', 'mediaTypes', 'paths', 'webhooks', 'content'],
  ...['encoding', 'additionalOperations'],
])

/** The keywords whose values are data. A `$ref` in them is data, too. */
const DATA: ReadonlySet<string> = new Set([
  ...['example', 'default', 'const', 'enum', 'value', 'dataValue', 'mapping', 'security', 'scopes'],
])

/** An item of the list of values to visit. The pointer is a linked list, so that a step costs nothing. */
interface Step {
  readonly value: unknown
  readonly parent: Step | undefined
  readonly key: string
  readonly isMap: boolean
}

/**
 * Visits the objects of a document in which a `$ref` is a reference: not those in extensions, examples and other data. A YAML
 * alias is the same object again, and is visited once.
 */
export function walkRefs(root: unknown, visit: Visit): void {
  visitRecords(root, visit)
  const visited = new Set<unknown>()
  const steps: Step[] = [{ value: root, parent: undefined, key: '', isMap: false }]
  for (let step = steps.pop(); step; step = steps.pop()) {
    const at = step
    if (visited.has(at.value)) continue
    visited.add(at.value)
    if (isKeyworded(at)) visit(at.value as JsonObject, () => pointerOf(at))
    // The last one is visited first.
    steps.push(...stepsBelow(at).reverse())
  }
}

/** The only reference of an extension: the file with the first records, which `x-sandbox` names. */
function visitRecords(root: unknown, visit: Visit): void {
  const { records } = asObject(asObject(root)['x-sandbox'])
  if (isText(asObject(records).$ref)) visit(asObject(records), () => ['x-sandbox', 'records'])
}

/** Whether the keys of an object are keywords, and no names. */
function isKeyworded({ value, isMap }: Step): boolean {
  return typeof value === 'object' && value !== null && !isMap && !Array.isArray(value)
}

function stepsBelow(parent: Step): Step[] {
  const { value } = parent
  const hasKeywords = isKeyworded(parent)

  return Object.entries(value as object).flatMap(([key, child]: [string, unknown]): Step[] => {
    if (typeof child !== 'object' || child === null) return []
    if (hasKeywords && isData(key, child)) return []
    return [{ value: child, parent, key, isMap: hasKeywords && isMapAt(key, child) }]
  })
}

function isData(key: string, value: object): boolean {
  if (key === 'examples') return Array.isArray(value)
  return key.startsWith('x-') || DATA.has(key)
}

function isMapAt(key: string, value: object): boolean {
  return MAPS.has(key) && !Array.isArray(value) && !('$ref' in value && isText(value.$ref))
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function pointerOf(step: Step): Pointer {
  const keys: string[] = []
  for (let at: Step | undefined = step; at?.parent; at = at.parent) keys.push(at.key)

  return keys.reverse()
}
