import type { BanHistory } from '../access/bans.ts'
import type { KeySettings } from '../access/keys.ts'
import type { Account } from '../access/limits.ts'
import type { Plan } from '../access/plan.ts'
import type { WorldHandle, WorldState } from '../engine/world-state.ts'
import type { Rule } from '../forcing/rules.ts'
import type { ClockSnapshot } from '../time/clock.ts'
import { SandboxWorld } from './held-world.ts'
import type { Sandbox } from './sandbox.ts'
import type { World } from './world.ts'
import { Worlds } from './worlds.ts'

/** Undoes a change. What was changed again since then stays. */
export type Undo = () => unknown

/** Called before a change; what it returns is called after it, and returns what undoes it. */
type Watch = () => () => Undo

/**
 * Values by key. A value is never changed in place, or it is the same for all its changes: its identity tells whether it was
 * replaced.
 */
interface Values<Key, Value extends object> {
  readonly read: () => ReadonlyMap<Key, Value | undefined>
  readonly put: (key: Key, value: Value | undefined) => void
  /** Of changes that were undone while a later one stood: what was there before, by what they put there. */
  readonly undone: WeakMap<Value, Value | undefined>
}

const undone = {
  parts: new WeakMap<WorldState, WorldState | undefined>(),
  worlds: new WeakMap<WorldHandle, WorldHandle | undefined>(),
  clocks: new WeakMap<ClockSnapshot, ClockSnapshot | undefined>(),
  plans: new WeakMap<Plan, Plan | undefined>(),
  keys: new WeakMap<KeySettings, KeySettings | undefined>(),
  accounts: new WeakMap<Account, Account | undefined>(),
  conducts: new WeakMap<BanHistory, BanHistory | undefined>(),
  rules: new WeakMap<Rule, Rule | undefined>(),
}

/** What one request changes in a world and in the worlds of its sandbox, to be undone when it cannot be saved. */
export class Changes {
  readonly #held: () => WorldHandle
  readonly #watch: Watch
  readonly #undos: Undo[] = []
  readonly #begun: () => Undo

  constructor({ worlds }: Pick<Sandbox, 'worlds'>, world: World) {
    if (!(worlds instanceof Worlds)) throw new TypeError('These are no worlds of this package')
    this.#held = SandboxWorld.heldOf(world)
    this.#watch = () => watchAll(this.#held(), worlds)
    this.#begun = this.#watch()
  }

  /** Notes what undoes the change of a record, which is not watched. */
  readonly note = (undo: Undo): void => {
    this.#undos.push(undo)
  }

  /**
   * Waits for the answer to the request, which was begun just now. All that has changed by now is the request's; what changes
   * while it is awaited is that of others, unless the world is replaced.
   */
  async until<Answer>(answer: Answer | Promise<Answer>): Promise<Answer> {
    this.note(this.#begun())
    const { parts: state } = this.#held()
    const awaited = this.#watch()
    const answered = await answer
    if (this.#held().parts !== state) this.note(awaited())
    return answered
  }

  /** Undoes the changes, the last one first. */
  readonly undo = async (): Promise<void> => {
    for (const undo of this.#undos.splice(0).reverse()) await undo()
  }
}

function watchAll(handle: WorldHandle, worlds: Worlds): () => Undo {
  const { parts: state } = handle
  const watches = [
    watch({
      read: () => new Map([['', handle.parts]]),
      put: (_, before) => before && handle.turn()(before),
      undone: undone.parts,
    }),
    watch({
      read: () => worlds.mark(),
      put: (name, before) => worlds.put(name, before),
      undone: undone.worlds,
    }),
    watch({
      read: () => new Map([['', state.clock.state]]),
      put: (_, before) => before && state.clock.restore(before),
      undone: undone.clocks,
    }),
    watch({
      read: () => state.rules.mark(),
      put: (id, rule) => {
        const others = [...state.rules.mark()].filter(([other]) => other !== id)
        state.rules.put(new Map(rule ? [...others, [id, rule]] : others))
      },
      undone: undone.rules,
    }),
    ...watchAccess(state),
  ]
  return () => {
    const undos = watches.map((changed) => changed())
    return () => {
      for (const undo of undos) undo()
    }
  }
}

/** Plans and keys, and what was counted and banned of those: a key that is removed loses it. */
function watchAccess({ keys, limits, gate: { bans } }: WorldState): readonly (() => Undo)[] {
  const names = [...keys.mark().keys.keys()]
  return [
    watch({
      read: () => keys.mark().plans,
      put: (name, plan) => keys.putPlan(name, plan),
      undone: undone.plans,
    }),
    watch({
      read: () => keys.mark().keys,
      put: (key, settings) => keys.putKey(key, settings),
      undone: undone.keys,
    }),
    watch({
      read: () => new Map(names.map((key) => [key, limits.account(key)])),
      put: (key, account) => limits.putAccount(key, account),
      undone: undone.accounts,
    }),
    watch({
      read: () => new Map(names.map((key) => [key, bans.conduct(key)])),
      put: (key, conduct) => bans.putConduct(key, conduct),
      undone: undone.conducts,
    }),
  ]
}

/** Finds which values are replaced from now on until it is called again, and how that is undone. */
function watch<Key, Value extends object>(values: Values<Key, Value>): () => Undo {
  const before = values.read()
  return () => {
    const after = values.read()
    const keys = [...new Set([...before.keys(), ...after.keys()])]
    const changed = keys.filter((key) => before.get(key) !== after.get(key))
    return () => {
      for (const key of changed) putBack(values, key, before.get(key), after.get(key))
    }
  }
}

/** Puts back what was there before a change, unless a later one stands. If that is undone, too, both are. */
function putBack<Key, Value extends object>(
  { read, put, undone }: Values<Key, Value>,
  key: Key,
  before: Value | undefined,
  after: Value | undefined,
): void {
  if (read().get(key) !== after) {
    if (after) undone.set(after, before)
    return
  }
  let value = before
  while (value && undone.has(value)) value = undone.get(value)
  put(key, value)
}
