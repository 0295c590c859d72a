import type { Service } from '../engine/service.ts'
import { type Exchange, notify } from '../journal/exchange.ts'
import type { Awaitable } from '../records/awaitable.ts'
import { MissingCollectionError, StoreUnavailableError } from '../records/stored-records.ts'
import type { UsedWorld, WorldHost } from '../sandbox/world-host.ts'
import { type HostedWorld, SharedWorlds } from './hosted-worlds.ts'
import { OutdatedWorldError, openStoredJournal } from './opened-world.ts'
import type { SharedSandbox } from './shared-sandbox.ts'
import { unkeptWorld } from './shared-world.ts'
import { toExchange } from './stored-exchange.ts'
import { type StoredExchange, tooManyChanges } from './world-store.ts'

/** How often a task runs again because others change the same. */
const MAX_ATTEMPTS = 50

/** The longest pause before a task runs again, in milliseconds, for each attempt before. */
const PAUSE_MS = 2

/** The original timer. Fake timers of a test must not stop a response. */
const { setTimeout: startTimer } = globalThis

/** The worlds of a sandbox whose state is in a shared store, for the control interface. */
export function createSharedHost(sandbox: SharedSandbox): WorldHost {
  const worlds = new SharedWorlds(sandbox)
  const turns = new WorldTurns()
  const { service, store } = worlds

  return {
    contract: sandbox.contract,
    run: service.startedAt.toString(36),
    secret: sandbox.secret,
    isShared: true,
    use: async (name, options, task) => {
      const run = async (isAgain: boolean) => {
        const world = await worlds.open(name, options)
        if (!world) return { result: await task(unkeptWorld(store.world(name), service)) }
        if (isAgain) world.forget()
        return runOn(world, task)
      }
      const kept =
        (await run(false)) ?? (await turns.take(name, () => again(name, () => run(true))))

      return kept.result
    },
    useWorlds: async (_options, task) => task(worlds),
    subscribe: (name, listener) =>
      store.world(name).journal.follow((stored) => {
        const exchange = readableExchange(stored, service)
        if (exchange) notify(listener, exchange)
      }),
  }
}

/** An exchange; `undefined` for a text that no server wrote, which must not end the process. Reading the journal tells of it. */
function readableExchange(stored: StoredExchange, service: Service): Exchange | undefined {
  try {
    return toExchange(stored, service)
  } catch (error) {
    if (error instanceof StoreUnavailableError) return undefined
    throw error
  }
}

/** Tries until nobody else has changed the same meanwhile. */
async function again<Result>(
  world: string,
  attempt: () => Promise<Result | undefined>,
): Promise<Result> {
  for (let count = 2; count <= MAX_ATTEMPTS; count += 1) {
    await new Promise((resolve) => startTimer(resolve, Math.random() * PAUSE_MS * count))
    const result = await attempt()
    if (result !== undefined) return result
  }
  throw tooManyChanges(world)
}

/** What a task has resolved with, when its changes are kept. */
interface Kept<Result> {
  readonly result: Result
}

/** Runs a task on a world, and keeps what it changed. Resolves with `undefined` when it has to run again. */
async function runOn<Result>(
  world: HostedWorld,
  task: (used: UsedWorld) => Awaitable<Result>,
): Promise<Kept<Result> | undefined> {
  const { stored, loaded, state } = world.opened
  try {
    const result = await task({
      world,
      openJournal: (range) => openStoredJournal(stored.journal, loaded, state.service, range),
      // What is not committed needs no undo.
      registerUndo: () => undefined,
    })
    return (await world.keep()) ? { result } : undefined
  } catch (error) {
    if (error instanceof OutdatedWorldError || error instanceof MissingCollectionError)
      return undefined
    throw error
  }
}

/**
 * Lets the tasks of this instance on a world take turns when they run again, because each of them changes what the others were decided
 * on. Nothing depends on it but speed.
 */
export class WorldTurns {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Runs a task after those that came before it. */
  async take<Result>(world: string, task: () => Promise<Result>): Promise<Result> {
    const run = (this.#last.get(world) ?? Promise.resolve()).then(task)
    const ended = run.catch(() => undefined)
    this.#last.set(world, ended)
    try {
      return await run
    } finally {
      if (this.#last.get(world) === ended) this.#last.delete(world)
    }
  }
}
