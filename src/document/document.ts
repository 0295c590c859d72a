import { isObject } from '../validation/objects.ts'
import {
  asObject,
  asString,
  childOf,
  type JsonObject,
  type Pointer,
  parseFragment,
  type ResolvedValue,
  refOf,
} from './json-value.ts'
import type { Mistake, PartMistake, Place } from './mistake.ts'
import type { Part, Source } from './source.ts'

/** A bundled OpenAPI document: every `$ref` starts with `#`. */
export interface Document {
  readonly root: JsonObject
  /** The document's own file, then the files that it refers to. Those are in `root`, under `FILES`, by their index. */
  readonly sources: readonly Source[]
}

/** The key under which a bundled document holds its other files. It is an extension, so the document stays valid. */
export const FILES = 'x-referenced-files'

/** The part of a document that resolving a `$ref` needs. */
type Root = Pick<Document, 'root'>

/** Ends a cycle of `$ref`s. */
const MAX_REF_CHAIN = 50

/** The value at a pointer. Follows every `$ref` before the last key; `undefined` when there is no such value. */
export function findValue({ root }: Root, pointer: Pointer, hops = 0): ResolvedValue | undefined {
  let found: ResolvedValue | undefined = { value: root, pointer: [] }

  for (const key of pointer) {
    if (childOf(found.value, key) === undefined) found = followRefs({ root }, found, hops)
    const value = childOf(found?.value, key)
    if (!found || value === undefined) return undefined
    found = { value, pointer: [...found.pointer, key] }
  }

  return found
}

/** The targets of the `$ref`s of each document. Many places refer to the same value. */
const targets = new WeakMap<JsonObject, Map<string, ResolvedValue | undefined>>()

/** The value that the `$ref` of an object points to; `undefined` when it has no `$ref` or the target does not exist. */
export function refTarget(document: Root, value: unknown, hops = 0): ResolvedValue | undefined {
  const ref = refOf(value)
  if (ref === undefined) return undefined
  const known = targets.get(document.root) ?? new Map<string, ResolvedValue | undefined>()
  targets.set(document.root, known)
  if (known.has(ref)) return known.get(ref)
  const target = isPointer(ref)
    ? findValue(document, parseFragment(ref), hops)
    : findNamed(document.root, ref)
  // Within a chain of references, that there is no target may only say that the chain is long.
  if (target || hops === 0) known.set(ref, target)

  return target
}

/** Whether a `$ref` of a bundled document is a JSON Pointer. Else it is the name of an anchor, or a schema's `$id`. */
function isPointer(ref: string): boolean {
  return ref === '#' || ref.startsWith('#/')
}

/** Follows a chain of `$ref`s to its end; `undefined` when a target does not exist or the chain is a cycle. */
export function followRefs(
  document: Root,
  from: ResolvedValue,
  hops = 0,
): ResolvedValue | undefined {
  if (refOf(from.value) === undefined) return from
  if (hops > MAX_REF_CHAIN) return undefined
  const next = refTarget(document, from.value, hops + 1)

  return next && followRefs(document, next, hops + 1)
}

/** An object with its `$ref` replaced by the target. Keys next to the `$ref` override those of the target. */
export function resolveRef(document: Document, value: unknown): JsonObject {
  const target = followRefs(document, { value, pointer: [] })?.value
  if (target === value || !isObject(value)) return isObject(target) ? target : {}
  const { $ref: _, ...siblings } = value

  return { ...(isObject(target) && target), ...siblings }
}

/** The place of the value at a pointer, or of its nearest existing ancestor. */
export function locationOf(document: Document, pointer: Pointer, part?: Part): Place {
  for (let length = pointer.length; length > 0; length -= 1) {
    const found = findValue(document, pointer.slice(0, length))
    if (found) {
      return locateInSource(document, found.pointer, length === pointer.length ? part : 'value')
    }
  }

  return locateInSource(document, [])
}

/** A mistake in a part of a document, with the place of the part. */
export function atPart(document: Document, { pointer, part, ...mistake }: PartMistake): Mistake {
  return { ...mistake, location: locationOf(document, pointer, part) }
}

function locateInSource({ sources }: Document, pointer: Pointer, part?: Part): Place {
  const [top, index, ...rest] = pointer
  const other = top === FILES ? sources[Number(index)] : undefined
  const [own] = sources
  if (!own) throw new TypeError('A document has a source')

  return other ? { source: other, pointer: rest, part } : { source: own, pointer, part }
}

/** The schemas of each document by their `$anchor` (with `#`) and `$id`. */
const names = new WeakMap<JsonObject, ReadonlyMap<string, ResolvedValue>>()

/**
 * The schema that a `$ref` names by its `$anchor` (`#address`), or by its `$id` (`https://example.com/address`, also followed by
 * a JSON Pointer); `undefined` when there is none (JSON Schema 2020-12, section 8.2).
 */
function findNamed(root: JsonObject, ref: string): ResolvedValue | undefined {
  const known = names.get(root) ?? collectNames(root)
  names.set(root, known)
  const direct = known.get(ref.replace(/#$/, ''))
  if (direct || ref.startsWith('#')) return direct
  const [id = '', fragment = ''] = ref.split('#')
  const schema = known.get(id)
  if (!schema) return undefined
  let found: ResolvedValue = schema
  for (const key of parseFragment(fragment)) {
    const value = childOf(found.value, key)
    if (value === undefined) return undefined
    found = { value, pointer: [...found.pointer, key] }
  }
  return found
}

/** Whether a `$ref` names a schema of the document by its `$id`, so that no file has to be read. */
export function isNamed(root: JsonObject, ref: string): boolean {
  return !ref.startsWith('#') && findNamed(root, ref) !== undefined
}

function collectNames(root: JsonObject): ReadonlyMap<string, ResolvedValue> {
  const found = new Map<string, ResolvedValue>()
  walkRefs(root, (object, pointer) => {
    const id = asString(object.$id)?.replace(/#$/, '')
    const anchor = asString(object.$anchor) ?? asString(object.$dynamicAnchor)
    if (id !== undefined && id !== '' && !found.has(id))
      found.set(id, { value: object, pointer: pointer() })
    if (anchor !== undefined && !found.has(`#${anchor}`)) {
      found.set(`#${anchor}`, { value: object, pointer: pointer() })
    }
  })
  return found
}

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
