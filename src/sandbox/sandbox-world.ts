import type { Plan } from '../access/callers.ts'
import type { KeyInfo } from '../access/keys.ts'
import type { Contract } from '../contract/contract.ts'
import { answer } from '../engine/answer.ts'
import type { Service } from '../engine/service.ts'
import {
  createWorldState,
  type WorldHandle,
  type WorldState,
  withJournalOf,
} from '../engine/world-state.ts'
import { checkEventPattern, namedEvents } from '../events/known-events.ts'
import { toForceRule } from '../forcing/force-rule.ts'
import { selectHandlers } from '../handlers/select-handlers.ts'
import type { JournalListener } from '../journal/journal.ts'
import { collectionNamed, type RecordCollection } from '../resources/behaviour/record-collection.ts'
import { resourceLabel } from '../resources/collection-name.ts'
import type { ChangeListener } from '../resources/store/record-change.ts'
import type { SandboxSignIn } from '../sign-in/steer.ts'
import { eventsOf, type SandboxEvents } from './events.ts'
import { answerRequest } from './fetch.ts'
import { checkKeyUser } from './options.ts'
import { restoreWorld } from './restore.ts'
import { answeringIn, createWorldRouter, setRouter, type WorldRouter } from './router.ts'
import { signInOf } from './sign-in.ts'
import { takeSnapshot } from './snapshot.ts'
import { type World, WorldClock, WorldJournal } from './world.ts'

/**
 * A world as its users see it. It reads its state at each call, so that it outlives a reset. Its methods need no `this`, so
 * that they can be destructured.
 */
export class SandboxWorld implements World {
  readonly name: string
  readonly clock: WorldClock
  readonly journal: WorldJournal
  readonly events: SandboxEvents
  readonly signIn: SandboxSignIn
  readonly #serviceOf: () => Service
  readonly #router: WorldRouter
  readonly #handleOf: () => WorldHandle

  /** The router leads to this world alone, unless another one is given. */
  constructor(
    name: string,
    serviceOf: () => Service,
    handleOf: () => WorldHandle,
    router: WorldRouter = createWorldRouter(
      serviceOf,
      answeringIn(() => handleOf().state),
    ),
  ) {
    const stateOf = (): WorldState => handleOf().state
    this.name = name
    this.clock = new WorldClock(stateOf)
    this.events = eventsOf(stateOf)
    this.journal = new WorldJournal(
      () => stateOf().journal,
      () => this.events.deliveries,
    )
    this.signIn = signInOf(stateOf)
    setRouter(this, router)
    this.#router = router
    this.#serviceOf = serviceOf
    this.#handleOf = handleOf
  }

  /** The handle of a world, to undo changes of it. Throws for an object that pet-sandbox did not create. */
  static handleOf(world: World): () => WorldHandle {
    if (#handleOf in world) return world.#handleOf
    throw new TypeError('The world was not created by pet-sandbox')
  }

  /** A collection of a world, whose changes are noted. */
  static collectionOf(world: World, name: string, note?: Note): RecordCollection {
    return #handleOf in world ? world.#collection(name, note) : world.collection(name)
  }

  get contract(): Contract {
    return this.#service.settings.contract
  }

  get ready(): Promise<void> {
    return this.#state.openStore().then(() => undefined)
  }

  readonly fetch: World['fetch'] = (request) => answerRequest(request, this.#router)

  readonly answer: World['answer'] = (request) => answer(request, this.#state)

  get plans(): readonly Plan[] {
    return this.#state.keys.plans
  }

  readonly setPlan: World['setPlan'] = (name, windows) => this.#state.keys.setPlan(name, windows)

  get keys(): readonly KeyInfo[] {
    return this.#state.keys.list()
  }

  readonly setKey: World['setKey'] = (key, given) => {
    const { keys, service } = this.#state
    checkKeyUser(given, service.settings.contract)
    keys.setKey(key, given)
  }

  readonly removeKey: World['removeKey'] = (key) => {
    const { keys, limits, bans } = this.#state
    keys.removeKey(key)
    limits.clear(key)
    bans.put(key, undefined)
  }

  readonly force: World['force'] = (answer, rule) => {
    const { rules, keys } = this.#state
    const given = toForceRule(answer, rule)
    const { event, delivery } = Object(given)
    if (typeof event === 'string' && delivery !== undefined)
      checkEventPattern(event, namedEvents(this.#state), 'force a fault of deliveries')
    return rules.add(given, this.contract, keys)
  }

  readonly forced: World['forced'] = () => this.#state.rules.list(this.contract)

  readonly use: World['use'] = (handlers) => {
    const { used } = this.#state
    const selected = selectHandlers(handlers, this.contract)
    used.push(selected)
    return () => {
      const at = used.indexOf(selected)
      if (at >= 0) used.splice(at, 1)
    }
  }

  readonly unforce: World['unforce'] = (id) => this.#state.rules.remove(id)

  get scenarios(): World['scenarios'] {
    const { scenarios } = this.#service
    return [...scenarios].map(([name, { description }]) => ({
      name,
      description,
      rehearses: description,
    }))
  }

  readonly play: World['play'] = async (name) => {
    const handle = this.#handleOf()
    const before = handle.state
    const state = createWorldState(this.#service, handle.listeners, this.#service.scenario(name))
    const replace = handle.startReplacement()
    replace(state)
    await state.openStore().catch((error: unknown) => {
      replace(before)
      throw error
    })
  }

  readonly collection: World['collection'] = (name: string) => this.#collection(name)

  #collection(name: string, note?: Note): RecordCollection {
    const serviceOf = this.#serviceOf
    const tellOf = (): ChangeListener | undefined => this.#state.events.tell
    const owner = {
      get service() {
        return serviceOf()
      },
      openStore: () => this.#state.openStore(),
      now: () => this.clock.now(),
      onChange: note,
      get tell() {
        return tellOf()
      },
    }
    return collectionNamed(owner, name)
  }

  get collections(): readonly string[] {
    return this.#service.resources.map(resourceLabel)
  }

  readonly onExchange: World['onExchange'] = (listener) => {
    const { listeners } = this.#handleOf()
    const listen: JournalListener = (read, isPast) => {
      if (!isPast) listener(read())
    }
    listeners.add(listen)
    return () => listeners.delete(listen)
  }

  readonly report: World['report'] = async (options) => {
    const { reportOnWorld } = await import('../report/report.ts')
    return reportOnWorld(this, this.#service.settings.ban, options)
  }

  readonly snapshot: World['snapshot'] = async () => {
    return takeSnapshot(this.#state)
  }

  readonly restore: World['restore'] = async (snapshot) => {
    const handle = this.#handleOf()
    const replace = handle.startReplacement()
    const restored = await restoreWorld(this.#service, handle.listeners, snapshot)
    replace(withJournalOf(handle.state, restored))
  }

  readonly reset: World['reset'] = () => {
    const handle = this.#handleOf()
    handle.startReplacement()(createWorldState(this.#service, handle.listeners))
  }

  /** The present service: a new document replaces it. */
  get #service(): Service {
    return this.#serviceOf()
  }

  get #state(): WorldState {
    return this.#handleOf().state
  }
}

/** Called with a function that undoes each change of a collection. */
type Note = (undo: () => Promise<void>) => void
