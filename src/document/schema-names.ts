import { childOf, parseFragment, type ResolvedValue } from './json-pointer.ts'
import { asString, type JsonObject } from './json-value.ts'
import { walkRefs } from './walk-refs.ts'

/** The schemas of each document by their `$anchor` (with `#`) and `$id`. */
const names = new WeakMap<JsonObject, ReadonlyMap<string, ResolvedValue>>()

/**
 * The schema that a `$ref` names by its `$anchor` (`#address`), or by its `$id` (`https://example.com/address`, also followed by
 * a JSON Pointer); `undefined` when there is none (JSON Schema 2020-12, section 8.2).
 */
export function findNamed(root: JsonObject, ref: string): ResolvedValue | undefined {
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
