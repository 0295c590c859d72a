import { isObject } from '../../validation/objects.ts'

/** A schema that is being built. */
type Draft = Record<string, unknown>

/** The keywords whose subschemas apply to the same value as the schema itself ("in-place applicators"). */
const LISTS = ['allOf', 'anyOf', 'oneOf']
const SINGLES = ['not', 'if', 'then', 'else']

/** The number of schemas that one schema may apply to the same value. A few lines can ask for billions. */
const MAX_APPLIED = 10_000

/** Schemas may refer to each other in a chain of at most this length. */
const MAX_CHAIN = 300

/** Called with a schema, and why a subschema of it was replaced: it closes a loop, or it applies too many schemas. */
type OnCut = (draft: Draft, cause: 'loop' | 'size') => void

/**
 * Replaces the subschema that closes a loop by one that accepts anything, so that validating a value ends (JSON Schema 2020-12,
 * section 9.4.1). A schema that contains itself below `properties` or `items` is not a loop: each step leads to a smaller value.
 */
export class LoopBreaker {
  /** How many schemas each schema applies; `undefined` while it is open. */
  readonly #sizes = new WeakMap<Draft, number | undefined>()
  readonly #open = new Set<Draft>()
  readonly #onCut: OnCut

  /** `onCut` gets each schema of which a subschema was replaced. */
  constructor(onCut: OnCut) {
    this.#onCut = onCut
  }

  break(drafts: readonly Draft[]): void {
    for (const draft of drafts) if (!this.#sizes.has(draft)) this.#visit(draft)
  }

  #visit(draft: Draft): number {
    this.#open.add(draft)
    let size = 1
    const replace = (inner: Draft): Draft => {
      const added = this.#sizeOf(inner)
      if (added !== undefined && size + added <= MAX_APPLIED) {
        size += added
        return inner
      }
      this.#onCut(draft, this.#open.has(inner) ? 'loop' : 'size')
      return {}
    }
    for (const keyword of LISTS) {
      const list = draft[keyword]
      if (Array.isArray(list)) for (const [index, one] of list.entries()) list[index] = replace(one)
    }
    for (const keyword of SINGLES) {
      if (isObject(draft[keyword])) draft[keyword] = replace(draft[keyword])
    }
    if (isObject(draft.dependentSchemas)) {
      const dependent = Object.entries(draft.dependentSchemas)
      draft.dependentSchemas = Object.fromEntries(
        dependent.map(([name, one]) => [name, replace(one as Draft)]),
      )
    }
    this.#open.delete(draft)
    this.#sizes.set(draft, size)

    return size
  }

  /** How many schemas a schema applies; `undefined` when it closes a loop, or ends a chain that is too long. */
  #sizeOf(draft: Draft): number | undefined {
    if (this.#open.has(draft) || this.#open.size > MAX_CHAIN) return undefined
    return this.#sizes.get(draft) ?? this.#visit(draft)
  }
}
