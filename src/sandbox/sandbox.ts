import type { ServiceTypes } from '../contract/contract.ts'
import { answer } from '../engine/answer.ts'
import { createService, type Service } from '../engine/service.ts'
import { createWorldState, WorldHandle, withJournalOf } from '../engine/world-state.ts'
import { version } from '../generated/package.ts'
import type { Shipped } from '../generated/types.ts'
import type { JournalListener } from '../journal/journal.ts'
import { refuseUnknown, UsageError } from '../validation/usage-error.ts'
import { resolveOptions, type SandboxOptions } from './options.ts'
import { recordForExec } from './recording.ts'
import { restoreSandbox } from './restore.ts'
import { answeringIn, createSandboxRouter, createWorldRouter } from './router.ts'
import { SandboxWorld } from './sandbox-world.ts'
import { Session } from './session.ts'
import { snapshotNow, takeSnapshot } from './snapshot.ts'
import type { World } from './world.ts'
import { OWN_WORLD, Worlds } from './worlds.ts'

/**
 * A service that behaves as its contract says, in a world of its own and in any number of other worlds. The sandbox is its own
 * world, except that `snapshot` and `restore` include all worlds.
 */
export interface Sandbox<
  Types extends ServiceTypes = ServiceTypes,
  NewScenario extends string = never,
> extends World<Types, NewScenario> {
  /**
   * The world with this name, which has a state of its own. It is created on first use, with the first records or in the present
   * state of the world `from`. A name is any text of 1 to 200 characters, except `.` and `..`. Over HTTP, the world is at
   * `/worlds/{name}` before the base path, with the name percent-encoded, or is chosen by the header `X-Sandbox-World`.
   * Throws a UsageError for an invalid name, for an unknown `from`, and when `from` is given for an existing world.
   */
  world(name: string, options?: { readonly from?: string }): World<Types, NewScenario>
  /** Lists, deletes and observes the worlds. */
  readonly worlds: Pick<Worlds, 'list' | 'delete' | 'dropped' | 'onDrop' | 'onExchange'>
}

/** A sandbox of the shipped contract. */
export type ShippedSandbox = Sandbox<Shipped>

/**
 * Creates a sandbox of the shipped contract, or of `options.contract`. Throws a UsageError for invalid options.
 *
 * @example
 * const sandbox = createSandbox({ seed: 1, plans: { free: { minute: 5, day: 100 } } })
 * const response = await sandbox.fetch(new Request('http://localhost/v1/books'))
 */
export function createSandbox<
  Types extends ServiceTypes = Shipped,
  NewPlan extends string = never,
  NewScenario extends string = never,
>(options?: SandboxOptions<Types, NewPlan, NewScenario>): Sandbox<Types, NewScenario>
export function createSandbox(options?: SandboxOptions): Sandbox {
  const service = createService(resolveOptions(options))
  const { contract, persist } = service.settings
  const listeners = new Set<JournalListener>()
  const own = new WorldHandle(createWorldState(service, listeners), listeners)
  const sandbox = new SandboxWithWorlds(own)
  if (persist === 'session') sandbox.keep(new Session(contract))
  recordForExec(contract, sandbox.worlds)

  return markAsOwn(sandbox)
}

/** The handles of a sandbox's worlds, its own first. Throws for an object that `createSandbox` did not return. */
export function handlesOf(sandbox: Sandbox): readonly [own: WorldHandle, ...WorldHandle[]] {
  if (sandbox instanceof SandboxWithWorlds) return sandbox.handles()
  throw new TypeError('The sandbox is a copy')
}

/** A world to be read. One that does not exist is as a new one, and is not kept. */
export function worldToRead(sandbox: Sandbox, name: string): World {
  return sandbox instanceof SandboxWithWorlds ? sandbox.reading(name) : sandbox.world(name)
}

class SandboxWithWorlds extends SandboxWorld implements Sandbox {
  readonly worlds: Worlds
  readonly #own: WorldHandle
  readonly #serviceOf: () => Service

  constructor(own: WorldHandle) {
    const serviceOf = (): Service => own.state.service
    const worlds = new Worlds(own)
    const router = createWorldRouter(
      serviceOf,
      answeringIn(() => own.state),
    )
    const toWorlds = createSandboxRouter(serviceOf, router, async (name, request) =>
      answer(request, worlds.stateFor(name, request)),
    )
    super(OWN_WORLD, serviceOf, () => own, toWorlds)
    this.worlds = worlds
    this.#own = own
    this.#serviceOf = serviceOf
  }

  readonly world: Sandbox['world'] = (name, options = {}) => {
    refuseUnknown('world', options, ['from'])
    const { from } = options
    if (name === OWN_WORLD && from === undefined) return this
    if (from === undefined) this.worlds.open(name)
    else this.worlds.fork(name, from)
    return markAsOwn(new SandboxWorld(name, this.#serviceOf, () => this.worlds.open(name)))
  }

  /** A world to be read. One that does not exist is as a new one, and is not kept. */
  reading(name: string): World {
    return name === OWN_WORLD
      ? this
      : markAsOwn(new SandboxWorld(name, this.#serviceOf, this.worlds.reading(name)))
  }

  override readonly snapshot: Sandbox['snapshot'] = async () => {
    return takeSnapshot(this.#own.state, this.worlds.states())
  }

  override readonly restore: Sandbox['restore'] = async (snapshot) => {
    const replace = this.#own.startReplacement()
    const { listeners } = this.#own
    // It generates ids, and the code that generates is large.
    const { own, others } = await restoreSandbox(
      this.#serviceOf(),
      listeners,
      this.worlds,
      snapshot,
    )
    if (replace(withJournalOf(this.#own.state, own))) this.worlds.replace(others)
  }

  handles(): readonly [own: WorldHandle, ...WorldHandle[]] {
    return [this.#own, ...this.worlds.read().values()]
  }

  /** Continues with the state that the session kept, and keeps the state in the session from now on. */
  keep(session: Session): void {
    const state = session.load(this.#serviceOf(), this.#own.listeners)
    if (state) this.#own.startReplacement()(state)
    session.keep(() => snapshotNow(this.#own.state))
    this.worlds.onExchange(session.save)
    this.#serviceOf().changed.add(session.save)
  }
}

/** The sandboxes and worlds that this copy of the package created. */
const ownSandboxes = new WeakSet<object>()

/** Every copy of the package adds its version to its sandboxes under this symbol. */
const MAKER = Symbol.for('pet-sandbox.maker')

function markAsOwn<T extends object>(world: T): T {
  Object.defineProperty(world, MAKER, { value: version })
  ownSandboxes.add(world)
  return world
}

/** Throws a UsageError for anything but a sandbox, and for one that another copy of the package created. */
export function requireOwnSandbox(task: string, sandbox: unknown): void {
  if (typeof sandbox === 'object' && sandbox !== null && ownSandboxes.has(sandbox)) return
  const maker: unknown = Reflect.get(Object(sandbox), MAKER)
  if (maker === undefined) {
    throw new UsageError({
      code: 'no_sandbox',
      task,
      reason: `${show(sandbox)} is not a sandbox`,
      help: 'Give what createSandbox() returns.',
    })
  }
  throw new UsageError({
    code: 'foreign_sandbox',
    task,
    reason: `another copy of pet-sandbox (${String(maker)}) created this sandbox, and this copy is ${version}`,
    help: 'Import both from one installation; "npm ls pet-sandbox" lists them.',
  })
}

function show(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  return typeof value === 'object' && value !== null ? 'this object' : String(value)
}
