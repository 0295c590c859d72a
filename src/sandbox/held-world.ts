import type { KeyInfo } from '../access/keys.ts'
import type { Plan } from '../access/plan.ts'
import type { Contract } from '../contract/contract.ts'
import { answer, rejectUnparsed } from '../engine/answer.ts'
import { notFoundOutsideApi } from '../engine/not-found-outside-api.ts'
import type { Service } from '../engine/service.ts'
import { createWorldState, type WorldHandle, type WorldState } from '../engine/world-state.ts'
import { pathBelow } from '../http/message.ts'
import type { ReadHeader } from '../http/world-path.ts'
import type { JournalListener } from '../journal/journal.ts'
import type { RecordCollection } from '../resources/collection.ts'
import type { Records } from '../resources/records.ts'
import { openCollection } from '../resources/steered-collection.ts'
import { suggest, UsageError } from '../validation/usage-error.ts'
import { answerRequest } from './fetch.ts'
import { restoreWorld } from './restore.ts'
import { takeSnapshot } from './snapshot.ts'
import type { Mount, World } from './world.ts'
import { WorldClock } from './world-clock.ts'
import { WorldJournal } from './world-journal.ts'

/**
 * A world as its users see it. It asks for its parts each time, so that it outlives a reset; its methods need no `this`, so
 * that they can be taken off it.
 */
export class SandboxWorld implements World {
  readonly name: string
  readonly contract: Contract
  readonly clock: WorldClock
  readonly journal: WorldJournal
  readonly #service: Service
  readonly #held: () => WorldHandle

  constructor(name: string, service: Service, handle: () => WorldHandle) {
    this.name = name
    this.contract = service.settings.contract
    this.clock = new WorldClock(() => handle().parts)
    this.journal = new WorldJournal(() => handle().parts.journal)
    this.#service = service
    this.#held = handle
  }

  /** What is held of a world, for those who undo changes of it. Throws for what is no world of this package. */
  static heldOf(world: World): () => WorldHandle {
    if (#held in world) return world.#held
    throw new TypeError('This is no world of this package')
  }

  /** A collection of a world whose changes are noted with what undoes them. */
  static collectionOf(
    world: World,
    name: string,
    note?: (undo: () => Promise<void>) => void,
  ): RecordCollection {
    return #held in world ? world.#collection(name, note) : world.collection(name)
  }

  get ready(): Promise<void> {
    return this.#parts.store.then(() => undefined)
  }

  readonly fetch: World['fetch'] = (request) => answerRequest(request, this)

  readonly answer: World['answer'] = (request) => answer(request, this.#parts)

  resolveMount(
    pathname: string,
    _header: ReadHeader,
    basePath: string = this.contract.basePath,
  ): Mount | undefined {
    const path = pathBelow(basePath, pathname)
    if (path === undefined) return undefined
    const { routes } = this.#service
    return { basePath, path, exists: () => routes.hasPath(path), answer: this.answer }
  }

  readonly notFoundOutsideApi: World['notFoundOutsideApi'] = (origin, pathname, pageOrigin) =>
    notFoundOutsideApi(
      this.contract,
      origin,
      pathname,
      this.#service.crossOrigin.headers(pageOrigin),
    )

  readonly rejectUnparsed: World['rejectUnparsed'] = (problem, pageOrigin) =>
    rejectUnparsed(problem, this.#parts, pageOrigin)

  get plans(): readonly Plan[] {
    return this.#parts.keys.plans
  }

  readonly setPlan: World['setPlan'] = (name, windows) => this.#parts.keys.setPlan(name, windows)

  get keys(): readonly KeyInfo[] {
    return this.#parts.keys.list()
  }

  readonly setKey: World['setKey'] = (key, plan) => this.#parts.keys.setKey(key, plan)

  readonly removeKey: World['removeKey'] = (key) => {
    const { keys, limits, gate } = this.#parts
    keys.removeKey(key)
    limits.restore([[key, { minute: { window: 0, used: 0 }, day: { window: 0, used: 0 } }]])
    gate.bans.forget(key)
  }

  readonly force: World['force'] = (outcome, rule = {}) => {
    const { rules, keys } = this.#parts
    return rules.add(outcome, rule, this.contract, keys)
  }

  readonly forced: World['forced'] = () => this.#parts.rules.list()

  readonly unforce: World['unforce'] = (id) => this.#parts.rules.remove(id)

  get scenarios(): World['scenarios'] {
    const { scenarios } = this.#service.settings
    return [...scenarios].map(([name, { rehearses }]) => ({ name, rehearses }))
  }

  readonly play: World['play'] = async (name) => {
    const handle = this.#held()
    const before = handle.parts
    const state = createWorldState(this.#service, handle.listeners, this.#service.scenario(name))
    const begin = handle.turn()
    begin(state)
    await state.store.catch((error: unknown) => {
      begin(before)
      throw error
    })
  }

  readonly collection: World['collection'] = (name) => this.#collection(name)

  #collection(name: string, note?: (undo: () => Promise<void>) => void): RecordCollection {
    checkCollection(name, this.collections)
    return openCollection(
      this.contract,
      () => recordsOf(this.#parts, name),
      () => this.#parts.clock.now(),
      note,
    )
  }

  get collections(): readonly string[] {
    return this.#service.resources.map((resource) => resource.name)
  }

  readonly onExchange: World['onExchange'] = (listener) => {
    const { listeners } = this.#held()
    const listen: JournalListener = (exchange, isPast) => {
      if (!isPast) listener(exchange)
    }
    listeners.add(listen)
    return () => listeners.delete(listen)
  }

  readonly report: World['report'] = async (options) => {
    const { reportOnWorld: reportOn } = await import('../report/report-on-world.ts')
    return reportOn(this, this.#service.settings.ban, options)
  }

  readonly snapshot: World['snapshot'] = () => takeSnapshot(this.#parts)

  readonly restore: World['restore'] = async (snapshot) => {
    const handle = this.#held()
    const begin = handle.turn()
    begin(await restoreWorld(this.#service, handle.listeners, snapshot))
  }

  readonly reset: World['reset'] = () => {
    const handle = this.#held()
    handle.turn()(createWorldState(this.#service, handle.listeners))
  }

  get #parts(): WorldState {
    return this.#held().parts
  }
}

function checkCollection(name: string, known: readonly string[]): void {
  if (known.includes(name)) return
  throw new UsageError(
    'unknown_collection',
    `Cannot open the collection "${name}": there is none of that name. ${suggest(name, known)}`,
  )
}

async function recordsOf({ store }: WorldState, name: string): Promise<Records> {
  const records = (await store).get(name)
  if (records) return records
  throw new TypeError(`The store has no records of ${name}`)
}
