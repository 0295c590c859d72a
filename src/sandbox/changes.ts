import type { BanHistory } from '../access/ban.ts'
import type { KeySettings, Plan } from '../access/callers.ts'
import type { Replaceable } from '../access/keys.ts'
import type { Usage } from '../access/quota.ts'
import type { WorldHandle, WorldState } from '../engine/world-state.ts'
import type { RuleState } from '../forcing/rules.ts'
import type { ClockSnapshot } from '../time/clock.ts'
import type { Sandbox } from './sandbox.ts'
import { SandboxWorld } from './sandbox-world.ts'
import type { World } from './world.ts'
import { Worlds } from './worlds.ts'

/** Undoes changes. What was changed again since then stays. */
export type Undo = () => unknown

/** Returns what undoes the changes since it was made. */
type Watch = () => Undo

/** What one control request changes in a world and in the worlds of its sandbox, to be undone when it cannot be saved. */
export class Changes {
  readonly #handleOf: () => WorldHandle
  readonly #worlds: Worlds
  readonly #undos: Undo[] = []
  readonly #begun: readonly Watch[]

  constructor({ worlds }: Pick<Sandbox, 'worlds'>, world: World) {
    if (!(worlds instanceof Worlds))
      throw new TypeError('The worlds were not created by pet-sandbox')
    this.#handleOf = SandboxWorld.handleOf(world)
    this.#worlds = worlds
    this.#begun = [...this.#watchWorlds(), ...watchState(this.#handleOf().state)]
  }

  /** Adds what undoes the change of a record, which is not watched. */
  readonly note = (undo: Undo): void => {
    this.#undos.push(undo)
  }

  /**
   * Waits for the response to the request, which was begun just now. All that has changed by now is the request's; what changes
   * during the wait is changed by others, unless the world is replaced.
   */
  async until<Response>(response: Response | Promise<Response>): Promise<Response> {
    this.#end(this.#begun)
    const { state } = this.#handleOf()
    const waiting = this.#watchWorlds()
    const answered = await response
    if (this.#handleOf().state !== state) this.#end(waiting)
    return answered
  }

  /** Undoes the changes, the last one first. */
  readonly undo = async (): Promise<void> => {
    for (const undo of this.#undos.splice(0).reverse()) await undo()
  }

  #end(watches: readonly Watch[]): void {
    this.#undos.push(...watches.map((end) => end()))
  }

  #watchWorlds(): readonly Watch[] {
    const handle = this.#handleOf()
    const state = oneValue(
      () => handle.state,
      (before) => handle.startReplacement()(before),
    )
    return [trackers.worlds.watch(this.#worlds), trackers.states.watch(state)]
  }
}

function watchState({ clock, keys, limits, bans, rules }: WorldState): readonly Watch[] {
  const time = oneValue(
    () => clock.state,
    (before) => clock.restore(before),
  )
  return [
    trackers.clocks.watch(time),
    trackers.plans.watch(keys.replaceablePlans),
    trackers.keys.watch(keys.replaceableKeys),
    trackers.usage.watch(limits),
    trackers.bans.watch(bans),
    trackers.rules.watch(rules),
  ]
}

/** A single value that is never removed. */
function oneValue<Value extends object>(
  read: () => Value,
  replace: (value: Value) => void,
): Replaceable<'', Value> {
  return {
    read: () => new Map([['', read()]]),
    put: (_, value) => value && replace(value),
  }
}

/** Finds out which values are replaced, and puts back those that were there before. */
class ReplacementTracker<Value extends object> {
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

const trackers = {
  worlds: new ReplacementTracker<WorldHandle>(),
  states: new ReplacementTracker<WorldState>(),
  clocks: new ReplacementTracker<ClockSnapshot>(),
  plans: new ReplacementTracker<Plan>(),
  keys: new ReplacementTracker<KeySettings>(),
  usage: new ReplacementTracker<Usage>(),
  bans: new ReplacementTracker<BanHistory>(),
  // A rule that counted a request is the same rule.
  rules: new ReplacementTracker<RuleState>(({ given }) => given),
}
