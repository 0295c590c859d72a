import type { Pointer } from './json-pointer.ts'
import type { JsonObject } from './json-value.ts'

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
  const visited = new Set<unknown>()
  const steps: Step[] = [{ value: root, parent: undefined, key: '', isMap: false }]
  for (let step = steps.pop(); step; step = steps.pop()) {
    const { value, isMap } = step
    if (typeof value !== 'object' || value === null || visited.has(value)) continue
    visited.add(value)
    const isList = Array.isArray(value)
    if (!isMap && !isList) {
      const at = step
      visit(value as JsonObject, () => pointerOf(at))
    }
    const inner: Step[] = []
    for (const [key, child] of Object.entries(value)) {
      if (typeof child !== 'object' || child === null) continue
      if (!(isMap || isList) && isData(key, child)) continue
      inner.push({
        value: child,
        parent: step,
        key,
        isMap: !(isMap || isList) && isMapAt(key, child),
      })
    }
    // The last one is visited first.
    for (let index = inner.length - 1; index >= 0; index -= 1) steps.push(inner[index] as Step)
  }
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
