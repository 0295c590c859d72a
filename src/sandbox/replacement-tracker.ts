import type { Replaceable } from '../access/replaceable.ts'

/** Undoes changes. What was changed again since then stays. */
export type Undo = () => unknown

/** Finds out which values are replaced, and puts back those that were there before. */
export class ReplacementTracker<Value extends object> {
  readonly #identityOf: (value: Value) => object
  /** Values whose replacement is undone as soon as the later one is, with the values before them. */
  readonly #undone = new WeakMap<object, Value | undefined>()

  /** `identityOf` returns what stays the same for values that are the same to a user. */
  constructor(identityOf: (value: Value) => object = (value) => value) {
    this.#identityOf = identityOf
  }

  /** Watches values from now on. The function returned ends this, and returns what undoes the replacements until then. */
  watch<Name>(values: Replaceable<Name, Value>): () => Undo {
    const before = values.read()
    return () => {
      const after = values.read()
      const names = [...new Set([...before.keys(), ...after.keys()])]
      const replaced = names.filter((name) => !this.#areSame(before.get(name), after.get(name)))
      return () => {
        for (const name of replaced) {
          this.#putBack(values, name, before.get(name), after.get(name))
        }
      }
    }
  }

  /** Undoes a replacement, unless the value was replaced again. When the later replacement is undone, this one is undone, too. */
  #putBack<Name>(
    values: Replaceable<Name, Value>,
    name: Name,
    before: Value | undefined,
    after: Value | undefined,
  ): void {
    if (!this.#areSame(values.read().get(name), after)) {
      if (after) this.#undone.set(this.#identityOf(after), before)
      return
    }
    let value = before
    while (value && this.#undone.has(this.#identityOf(value))) {
      value = this.#undone.get(this.#identityOf(value))
    }
    values.put(name, value)
  }

  #areSame(one: Value | undefined, other: Value | undefined): boolean {
    return (one && this.#identityOf(one)) === (other && this.#identityOf(other))
  }
}
