import type { Service } from '../engine/service.ts'
import { type Delivery, inStrictOrder, settledOf } from '../events/delivery.ts'
import { nextChangeIn } from '../events/later-changes.ts'
import { isNamedEvent } from '../forcing/rules.ts'
import { type Exchange, notify } from '../journal/exchange.ts'
import type { Awaitable } from '../records/awaitable.ts'
import { MissingCollectionError, StoreUnavailableError } from '../records/stored-records.ts'
import { noEvent } from '../sandbox/events.ts'
import type { EventWaits, ForwardedAnswer, UsedWorld, WorldHost } from '../sandbox/world-host.ts'
import { realNow } from '../time/clock.ts'
import { delay } from '../time/duration.ts'
import { KeyedLock, untilKept } from './contention.ts'
import { type HostedWorld, SharedWorlds, type TaskOptions } from './hosted-worlds.ts'
import { OutdatedWorldError, openStoredJournal } from './opened-world.ts'
import { unkeptWorld } from './shared-world.ts'
import { loadEvents } from './stored-events.ts'
import { toExchange } from './stored-exchange.ts'
import type { SharedSandbox } from './world-choice.ts'
import type { StoredExchange } from './world-store.ts'

/** Runs tasks on the worlds of a sandbox whose state is in a shared store. */
export interface WorldTasks {
  readonly worlds: SharedWorlds
  /** Resolves with `undefined` for a world that does not exist and that the task does not create. */
  use<Result>(
    name: string,
    options: TaskOptions,
    task: (used: UsedWorld & { readonly world: HostedWorld }) => Awaitable<Result>,
  ): Promise<{ readonly result: Result } | undefined>
}

export function createWorldTasks(sandbox: SharedSandbox): WorldTasks {
  const worlds = new SharedWorlds(sandbox)
  const locks = new KeyedLock()

  return {
    worlds,
    use: (name, options, task) => useWorld({ worlds, locks }, name, options, task),
  }
}

async function useWorld<Result>(
  { worlds, locks }: { readonly worlds: SharedWorlds; readonly locks: KeyedLock },
  name: string,
  options: TaskOptions,
  task: (used: UsedWorld & { readonly world: HostedWorld }) => Awaitable<Result>,
): Promise<Kept<Result> | undefined> {
  const run = async (isAgain: boolean): Promise<Kept<Result> | 'missing' | undefined> => {
    const world = await worlds.open(name, { ...options, isAgain })
    return world ? runOn(world, task) : 'missing'
  }
  const ran = await run(false)
  if (ran) return ran === 'missing' ? undefined : ran
  // Each of those that run again changes what the others were decided on.
  const release = await locks.acquire(name)
  try {
    const again = await untilKept(name, () => run(true))
    return again === 'missing' ? undefined : again
  } finally {
    release()
  }
}

/** The worlds of a sandbox whose state is in a shared store, for the control interface. */
export function createSharedHost(sandbox: SharedSandbox): WorldHost {
  const tasks = createWorldTasks(sandbox)
  const { worlds } = tasks
  const { service, store } = worlds

  return {
    contract: sandbox.contract,
    run: service.startedAt.toString(36),
    secret: sandbox.secret,
    isShared: true,
    use: async (name, options, task) => {
      const kept = await tasks.use(name, options, task)
      if (!kept) return task(unkeptWorld(store.world(name), service))
      // It may have added deliveries, or moved the clock.
      if (!options.isRead) sandbox.events.of(name).wake()
      return kept.result
    },
    useWorlds: async (_options, task) => task(worlds),
    subscribe: (name, listener) =>
      store.world(name).journal.follow((stored) => {
        const exchange = readableExchange(stored, service)
        if (exchange) notify(listener, exchange)
      }),
    sending: eventWaits(tasks, sandbox),
  }
}

/** Milliseconds between two looks at what the servers have sent. */
const PAUSE = 50

/** Waits for what any server of the store sends, by looking at it again and again. */
function eventWaits(tasks: WorldTasks, { store, events }: SharedSandbox): EventWaits {
  const seen = async (world: string): Promise<SeenEvents | undefined> => {
    const found = await tasks.use(world, { isRead: true, isUpkeep: true }, async (used) => {
      const { state } = used.world.opened
      const now = state.clock.now()
      // Before the deliveries: a change that is made meanwhile is among these.
      const change = await nextChangeIn(await state.openStore(), state.service.settings.contract)
      const { deliveries } = await used.openEvents()
      const isStrict = state.service.settings.events.ordered === 'strict'
      const sendable = isStrict ? inStrictOrder(deliveries) : deliveries
      const isDue = (time: number | undefined): boolean => time !== undefined && time <= now
      return { deliveries, isOver: ![change, ...sendable.map(({ next }) => next)].some(isDue) }
    })
    return found?.result
  }

  return {
    settled: async (world, wait) => {
      const end = realNow() + wait
      for (;;) {
        const { deliveries = [], isOver = true } = (await seen(world)) ?? {}
        if (isOver || realNow() >= end) return settledOf(deliveries)
        await delay(PAUSE, undefined)
      }
    },
    next: async (world, type, timeout) => {
      const end = realNow() + timeout
      let last: number | undefined
      for (;;) {
        const { deliveries = [] } = (await seen(world)) ?? {}
        const after = last ?? deliveries.at(-1)?.id ?? 0
        last = after
        const next = deliveries.find(
          ({ id, event }) => id > after && isNamedEvent(event.type, type),
        )
        if (next) return next.event
        if (realNow() >= end) throw noEvent(type, timeout, deliveries)
        await delay(PAUSE, undefined)
      }
    },
    receive: async (world, url, forward, end) => {
      if (!events.sender) throw new TypeError('This server sends no events')
      return events.sender.receive(world, url, forward, end)
    },
    expectAnswer: async (ticket, take) => {
      await store.answers.expect(ticket)
      let isOver = false
      const wait = async (): Promise<void> => {
        while (!isOver) {
          await delay(PAUSE, undefined)
          const text = isOver ? undefined : await store.answers.take(ticket).catch(() => undefined)
          if (text === undefined || isOver) continue
          isOver = true
          take(readAnswer(text))
        }
      }
      void wait()
      return () => {
        isOver = true
      }
    },
    giveAnswer: (ticket, answer) => store.answers.give(ticket, JSON.stringify(answer)),
  }
}

/** An answer that another server has left. */
function readAnswer(text: string): ForwardedAnswer {
  try {
    const { status, body, error } = JSON.parse(text)
    return {
      ...(Number.isInteger(status) && { status }),
      ...(typeof body === 'string' && { body }),
      ...(typeof error === 'string' && { error }),
    }
  } catch {
    return { error: 'the answer in the store cannot be read' }
  }
}

/** What is known of the deliveries of a world. */
interface SeenEvents {
  readonly deliveries: readonly Delivery[]
  /** Whether nothing is due. */
  readonly isOver: boolean
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
  task: (used: UsedWorld & { readonly world: HostedWorld }) => Awaitable<Result>,
): Promise<Kept<Result> | undefined> {
  const { stored, loaded, state } = world.opened
  try {
    const result = await task({
      world,
      openJournal: (range) => openStoredJournal(stored.journal, loaded, state.service, range),
      openEvents: async () => {
        await loadEvents(state.events)
        return world.events
      },
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
