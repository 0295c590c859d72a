import type { Service } from '../engine/service.ts'
import { type Exchange, notify } from '../journal/exchange.ts'
import type { Awaitable } from '../records/awaitable.ts'
import { MissingCollectionError, StoreUnavailableError } from '../records/stored-records.ts'
import type { UsedWorld, WorldHost } from '../sandbox/world-host.ts'
import { Turns, untilKept } from './contention.ts'
import { type HostedWorld, SharedWorlds } from './hosted-worlds.ts'
import { OutdatedWorldError, openStoredJournal } from './opened-world.ts'
import type { SharedSandbox } from './shared-sandbox.ts'
import { unkeptWorld } from './shared-world.ts'
import { toExchange } from './stored-exchange.ts'
import type { StoredExchange } from './world-store.ts'

/** The worlds of a sandbox whose state is in a shared store, for the control interface. */
export function createSharedHost(sandbox: SharedSandbox): WorldHost {
  const worlds = new SharedWorlds(sandbox)
  const turns = new Turns()
  const { service, store } = worlds

  return {
    contract: sandbox.contract,
    run: service.startedAt.toString(36),
    secret: sandbox.secret,
    isShared: true,
    use: async (name, options, task) => {
      const run = async (isAgain: boolean) => {
        const world = await worlds.open(name, { ...options, isAgain })
        if (world) return runOn(world, task)
        return { result: await task(unkeptWorld(store.world(name), service)) }
      }
      const kept = await run(false)
      if (kept) return kept.result
      // Each of those that run again changes what the others were decided on.
      const endTurn = await turns.take(name)
      try {
        return (await untilKept(name, () => run(true))).result
      } finally {
        endTurn()
      }
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
