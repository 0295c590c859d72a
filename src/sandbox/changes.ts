import type { BanHistory } from '../access/ban.ts'
import type { KeySettings } from '../access/callers.ts'
import type { Plan } from '../access/plan.ts'
import type { Usage } from '../access/quota.ts'
import type { Replaceable } from '../access/replaceable.ts'
import type { WorldHandle, WorldState } from '../engine/world-state.ts'
import type { RuleState } from '../forcing/decide-forced.ts'
import type { ClockSnapshot } from '../time/clock.ts'
import { ReplacementTracker, type Undo } from './replacement-tracker.ts'
import type { Sandbox } from './sandbox.ts'
import { SandboxWorld } from './sandbox-world.ts'
import type { World } from './world.ts'
import { Worlds } from './worlds.ts'

/** Returns what undoes the changes since it was made. */
type Watch = () => Undo

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
