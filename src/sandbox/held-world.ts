import type { KeyInfo } from '../access/keys.ts'
import type { Plan } from '../access/plan.ts'
import type { Contract } from '../contract/contract.ts'
import type { JournalListener } from '../journal.ts'
import { pathBelow } from '../message.ts'
import { type RecordCollection, toCollection } from '../resources/collection.ts'
import type { Records } from '../resources/store.ts'
import { suggest, UsageError } from '../usage-error.ts'
import type { ReadHeader } from '../world-name.ts'
import { answer, refuseUnread } from './answer.ts'
import { elsewhere } from './elsewhere.ts'
import { answerRequest } from './fetch.ts'
import { createParts, type Held, type Parts } from './parts.ts'
import type { Service } from './service.ts'
import { takeSnapshot } from './snapshot.ts'
import type { Place, World } from './world.ts'
import { WorldClock } from './world-clock.ts'
import { WorldJournal } from './world-journal.ts'

/**
 * A world as its users see it. It asks for its parts each time, so that it outlives a reset; its methods need no `this`, so
 * that they can be taken off it.
 */
export class HeldWorld implements World {
  readonly name: string
  readonly contract: Contract
  readonly clock: WorldClock
  readonly journal: WorldJournal
  readonly #service: Service
  readonly #held: () => Held

  constructor(name: string, service: Service, held: () => Held) {
    this.name = name
    this.contract = service.settings.contract
    this.clock = new WorldClock(() => held().parts)
    this.journal = new WorldJournal(() => held().parts.journal)
    this.#service = service
    this.#held = held
  }

  /** What is held of a world, for those who undo changes of it. Throws for what is no world of this package. */
  static heldOf(world: World): () => Held {
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

  readonly answer: World['answer'] = (ask) => answer(ask, this.#parts)

  at(
    pathname: string,
    _header: ReadHeader,
    basePath: string = this.contract.basePath,
  ): Place | undefined {
    const path = pathBelow(basePath, pathname)
    if (path === undefined) return undefined
    const { routes } = this.#service
    return { basePath, path, exists: () => routes.has(path), answer: this.answer }
  }

  readonly elsewhere: World['elsewhere'] = (origin, pathname, pageOrigin) =>
    elsewhere(this.contract, origin, pathname, this.#service.crossOrigin.headers(pageOrigin))

  readonly refuseUnread: World['refuseUnread'] = (problem, pageOrigin) =>
    refuseUnread(problem, this.#parts, pageOrigin)

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
    const held = this.#held()
    const before = held.parts
    const parts = createParts(this.#service, held.listeners, this.#service.scenario(name))
    const begin = held.turn()
    begin(parts)
    await parts.store.catch((error: unknown) => {
      begin(before)
      throw error
    })
  }

  readonly collection: World['collection'] = (name) => this.#collection(name)

  #collection(name: string, note?: (undo: () => Promise<void>) => void): RecordCollection {
    checkCollection(name, this.collections)
    return toCollection(async () => {
      const { openCollection } = await import('../resources/steered-collection.ts')
      return openCollection(
        this.contract,
        () => recordsOf(this.#parts, name),
        () => this.#parts.clock.now(),
        note,
      )
    })
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
    const { reportOn } = await import('../report/in-process.ts')
    return reportOn(this, this.#service.settings.ban, options)
  }

  readonly snapshot: World['snapshot'] = () => takeSnapshot(this.#parts)

  readonly restore: World['restore'] = async (snapshot) => {
    const held = this.#held()
    const begin = held.turn()
    const { restoreWorld } = await import('./restore.ts')
    begin(await restoreWorld(this.#service, held.listeners, snapshot))
  }

  readonly reset: World['reset'] = () => {
    const held = this.#held()
    held.turn()(createParts(this.#service, held.listeners))
  }

  get #parts(): Parts {
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

async function recordsOf({ store }: Parts, name: string): Promise<Records> {
  const records = (await store).get(name)
  if (records) return records
  throw new TypeError(`The store has no records of ${name}`)
}
