import type { Schema, SchemaValidator } from '../../contract/contract.ts'
import { propertiesOf, withBranches } from '../../contract/schema.ts'
import { isObject, setOwn } from '../../validation/objects.ts'
import type { ErrorFacts } from './error-facts.ts'
import { type ErrorProperty, OMITTED } from './error-property.ts'
import { fieldOf } from './field-values.ts'
import { isErrorList, isField, isSentence, normalizedName } from './known-names.ts'
import { knownValues } from './known-values.ts'
import { bodySlot, propertySlot, type Slot } from './slot.ts'

/**
 * The value of an error body with what is known about the error, wherever its properties stand. A value is only replaced if the
 * body stays valid. The value that is passed is changed.
 */
export function fillError(
  value: unknown,
  schema: Schema | undefined,
  validate: SchemaValidator | undefined,
  facts: ErrorFacts,
): unknown {
  const body = { value }
  const isChecked = validate?.(value) === true
  const isValid = (): boolean => !isChecked || validate(body.value)
  new ErrorFiller(facts, isValid).fill(bodySlot(body, schema, isValid))

  return body.value
}

/** What is around a place. */
type Around = Pick<ErrorProperty, 'parentName' | 'isItem' | 'item'> & { readonly depth: number }

/** Error bodies are not deeper. */
const MAX_DEPTH = 8

class ErrorFiller {
  readonly #facts: ErrorFacts
  readonly #isValid: () => boolean

  constructor(facts: ErrorFacts, isValid: () => boolean) {
    this.#facts = facts
    this.#isValid = isValid
  }

  /** Fills the whole body. */
  fill(root: Slot): void {
    const { items, message } = this.#facts
    const item = items.length === 1 ? items[0] : undefined
    if (typeof root.get() === 'string') root.set(message)
    else this.#fill(root, { parentName: '', isItem: false, item, depth: 0 })
  }

  #fill(slot: Slot, around: Around): void {
    const value = slot.get()
    if (around.depth > MAX_DEPTH) return
    if (Array.isArray(value)) this.#fillList(slot, value, around)
    else if (isObject(value) && isMap(slot, value)) this.#fillMap(slot, value)
    else if (isObject(value)) {
      for (const name of Object.keys(value)) this.#fillProperty(slot, value, name, around)
    }
  }

  #fillProperty(
    { schema: parentSchema }: Slot,
    parent: Readonly<Record<string, unknown>>,
    name: string,
    around: Around,
  ): void {
    const schema = parentSchema && propertiesOf(parentSchema).get(name)
    const slot = propertySlot(parent, name, schema, this.#isValid)
    const value = slot.get()
    const plain = normalizedName(name)
    const [first = value] = Array.isArray(value) ? value : []
    const isPlace = isField(plain, around.isItem) && !isObject(first)
    if (typeof value === 'object' && value !== null && !isPlace) {
      this.#fill(slot, { ...around, parentName: plain, depth: around.depth + 1 })
      return
    }
    const branches = schema ? withBranches(schema) : []
    const types = branches.flatMap(({ type = [] }) => type)
    const property = { ...around, name, value, parent, ...hintsOf(branches) }
    const candidates = knownValues(property, this.#facts)
    candidates.find((one) => hasType(one, types, value) && slot.set(one))
  }

  /** Makes one entry for each error, as the first entry is. */
  #fillList(slot: Slot, [first]: readonly unknown[], { depth }: Around): void {
    const { items, message } = this.#facts
    const name = normalizedName(slot.name)
    if (!(isErrorList(name) || isSentence(name))) return
    const entries = items.length > 0 ? items : [undefined]
    if (typeof first === 'string') {
      slot.set(entries.map((item) => item?.message ?? message)) || slot.set([message])
      return
    }
    if (!isObject(first)) return
    slot.set(entries.map(() => structuredClone(first))) || slot.set([first])
    const value = slot.get()
    const schema = slot.schema && withBranches(slot.schema).find((one) => one.items)?.items
    if (!Array.isArray(value)) return
    for (const [at, entry] of value.entries()) {
      const entrySlot = { name: 'entry', schema, get: () => entry, set: () => false }
      const around = { parentName: name, isItem: true, item: entries[at], depth: depth + 1 }
      this.#fill(entrySlot, around)
    }
  }

  /** Makes a property for each field, or none. */
  #fillMap(slot: Slot, value: Readonly<Record<string, unknown>>): void {
    const [first] = Object.values(value)
    const map: Record<string, unknown> = {}
    for (const item of this.#facts.items) {
      setOwn(map, fieldOf(item), typeof first === 'string' ? item.message : [item.message])
    }
    slot.set(map)
  }
}

/** Whether an object has the names of fields as keys, as in `errors: { title: ['is required'] }`. */
function isMap({ name, schema }: Slot, value: Readonly<Record<string, unknown>>): boolean {
  if (!schema || !isErrorList(normalizedName(name)) || propertiesOf(schema).size > 0) return false
  return Object.values(value).every((one) => typeof one === 'string' || Array.isArray(one))
}

/** What the schema of a property says about its value. */
function hintsOf(
  branches: readonly Schema[],
): Pick<ErrorProperty, 'members' | 'format' | 'maxLength'> {
  return {
    members: branches.flatMap(({ enum: members = [], const: only }) =>
      only === undefined ? members : [only],
    ),
    format: branches.find(({ format }) => format !== undefined)?.format,
    maxLength: branches.find(({ maxLength }) => maxLength !== undefined)?.maxLength,
  }
}

/** Whether a value has a type that the schema allows; without one, the type of the value that it replaces. */
function hasType(value: unknown, types: readonly string[], before: unknown): boolean {
  if (value === OMITTED) return true
  if (value === null) return types.includes('null')
  if (Array.isArray(value)) return Array.isArray(before)
  if (types.length === 0) return before === null || typeof value === typeof before
  if (typeof value === 'number') return types.includes('integer') || types.includes('number')

  return types.includes(typeof value)
}
