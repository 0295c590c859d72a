import type { Contract } from '../contract/contract.ts'
import type { Forward, SentEvent, Settled } from '../events/delivery.ts'
import { type Problem, problems } from '../http/problem.ts'
import type { Exchange } from '../journal/exchange.ts'
import type { Awaitable } from '../records/awaitable.ts'
import { UsageError, unknownName } from '../validation/usage-error.ts'
import type { Undo } from './changes.ts'
import type { SandboxEvents } from './events.ts'
import type { World, WorldJournal } from './world.ts'
import type { WorldInfo } from './worlds.ts'

// The port through which the control interface speaks to worlds, wherever their state is.

/** The worlds of a sandbox, in the memory of this process or in a store that several servers share. */
export interface WorldHost {
  readonly contract: Contract
  /** Identifies the state. It has another id after the state was lost, as a sandbox in memory is at a restart. */
  readonly run: string
  /** A random text that only the servers of this state know. The dashboard of each of them proves with it what it is. */
  readonly secret: string
  /** Whether several servers share the state. */
  readonly isShared: boolean
  /**
   * Runs a task on a world, which is created unless it exists or is only read. Resolves when what the task changed is kept, and rejects when
   * that fails: then nothing is changed. With a shared store, the task runs again when another server changed the same.
   */
  use<Result>(
    world: string,
    options: UseOptions,
    task: (used: UsedWorld) => Awaitable<Result>,
  ): Promise<Result>
  /** Runs a task that changes which worlds there are. */
  useWorlds<Result>(
    options: Pick<UseOptions, 'saveChanges'>,
    task: (worlds: HostedWorlds) => Awaitable<Result>,
  ): Promise<Result>
  /**
   * Calls `listener` with each exchange of the world of this name from now on, also after it was reset, dropped or restored.
   * Returns a function that ends this.
   */
  subscribe(world: string, listener: (exchange: Exchange) => void): Awaitable<() => void>
  /** Waits for events that any of several servers sends. Absent where the world of a task sends them itself. */
  readonly sending?: EventWaits
}

/** What a client tells of the answer to a delivery that it has sent to its receiver. */
export interface ForwardedAnswer {
  /** Absent when there was no response. */
  readonly status?: number
  /** The start of the response's body. */
  readonly body?: string
  /** Why there was no response. */
  readonly error?: string
}

/** What several servers send: how long it is waited for, after a task and its changes, and who receives it at this server. */
export interface EventWaits {
  /** Resolves when everything was sent that is due on the clock of a world, at the latest after so many milliseconds. */
  settled(world: string, wait: number): Promise<Settled>
  /** The next event that is sent to somebody. Rejects with a UsageError when there is none within so many milliseconds. */
  next(world: string, type: string | undefined, timeout: number): Promise<SentEvent>
  /**
   * Adds a receiver of every event of a world, to which this server alone sends what is due. Resolves with a function that removes it. `end` is called
   * when the world ends before.
   */
  receive(world: string, url: string, forward: Forward, end?: () => void): Promise<() => void>
  /** Waits for the answer with a ticket that another server gets. Resolves, when it can be given, with a function that ends the wait. */
  expectAnswer(ticket: string, take: (answer: ForwardedAnswer) => void): Promise<() => void>
  /** Gives an answer to the server that waits for it. Resolves with whether there is one. */
  giveAnswer(ticket: string, answer: ForwardedAnswer): Promise<boolean>
}

/** How a world is used. */
export interface UseOptions {
  /** Whether a world that does not exist is refused with a 412, instead of being created. */
  readonly mustExist?: boolean
  /** Whether the task only reads: a world that does not exist is as a new one then, and is not created. */
  readonly isRead?: boolean
  /** Saves what changed. When it rejects, the changes are undone. */
  readonly saveChanges?: (() => Promise<void>) | undefined
}

/** A world while a task runs on it. */
export interface UsedWorld {
  readonly world: World
  /** The exchanges of the journal with an id after `after`, at most `limit`, the oldest ones; by default, all. */
  readonly openJournal: (range?: JournalRange) => Awaitable<OpenedJournal>
  /** The events of the world, with the deliveries loaded. */
  readonly openEvents: () => Awaitable<SandboxEvents>
  /** Registers a function that undoes the change of a record. */
  readonly registerUndo: (undo: Undo) => void
}

/** The part of a journal that is read. */
export interface JournalRange {
  readonly after?: number | undefined
  readonly limit?: number | undefined
}

/** A journal that can be read at once. */
export type OpenedJournal = Pick<WorldJournal, 'exchanges' | 'last' | 'dropped' | 'find'>

/** Which worlds there are. */
export interface HostedWorlds {
  /** The default world first, then from the least recently used one to the latest. */
  list(): Awaitable<readonly WorldInfo[]>
  dropped(): Awaitable<readonly string[]>
  /** Creates a world, unless it exists, with the first records or in the state of the world `from`. */
  create(name: string, options: { readonly from?: string }): Awaitable<CreatedWorld>
  /** Deletes a world, and returns whether it existed. Throws a UsageError for the default world. */
  delete(name: string): Awaitable<boolean>
}

/** A world that was asked for. */
export interface CreatedWorld {
  readonly info: WorldInfo
  /** Whether it did not exist before. */
  readonly isNew: boolean
}

/** The 412 for a world that does not exist: with `If-Match: *`, a request creates none (RFC 9110, section 13.1.1). */
export function unknownWorld(name: string, known: readonly string[]): Problem {
  const error = new UsageError({
    code: 'unknown_world',
    task: 'use the world',
    ...unknownName('world', name, known),
  })
  return problems.preconditionFailed(error)
}
