import { createWorldState, WorldHandle, type WorldState } from '../../engine/world-state.ts'
import { StoreUnavailableError } from '../../state/store-unavailable-error.ts'
import type { Commit } from '../../state/stored-commit.ts'
import { SandboxWorld } from '../sandbox-world.ts'
import { leadOf } from './load-state.ts'
import { epochStart } from './new-epoch.ts'
import type { OpenedWorld, WorldsInStore } from './opened-world.ts'
import { type EpochOptions, prepareEpoch } from './prepared-epoch.ts'
import { changesOf } from './state-changes.ts'
import { takeStoredSnapshot } from './stored-snapshot.ts'

/** A world while a task of the control interface runs on it. What the task changed is kept at its end, if nobody else did. */
export class HostedWorld extends SandboxWorld {
  readonly opened: OpenedWorld
  protected readonly handle: WorldHandle
  protected readonly worlds: WorldsInStore
  /** How a state that replaces the loaded one is written: it is restored, unless a scenario begins. */
  #options: EpochOptions = { keepsJournal: true }

  constructor(opened: OpenedWorld, worlds: WorldsInStore) {
    const { service } = worlds
    const handle = new WorldHandle(opened.state, new Set())
    super(
      opened.stored.name,
      () => service,
      () => handle,
    )
    this.opened = opened
    this.handle = handle
    this.worlds = worlds
  }

  override readonly snapshot: SandboxWorld['snapshot'] = async () => takeStoredSnapshot(this.opened)

  override readonly reset: SandboxWorld['reset'] = () => {
    this.#begin(this.worlds.service.settings.scenario)
  }

  override readonly play: SandboxWorld['play'] = async (name) => {
    await this.#begin(name).store
  }

  /** Replaces the state by the start of a scenario. */
  #begin(name: string | undefined): WorldState {
    const { service } = this.worlds
    const scenario = name === undefined ? undefined : service.scenario(name)
    const state = createWorldState(service, new Set(), scenario)
    const start = epochStart(service, leadOf(this.opened.loaded), name)
    this.#options = { ...start, hasRecords: false }
    this.handle.startReplacement()(state)

    return state
  }

  /** Asks the store for everything: an earlier attempt was decided on what it did not have. */
  forget(): void {
    this.opened.transaction.forget()
  }

  /**
   * Writes what the task changed. Resolves with `false`, and writes nothing, when that was decided on something that has changed
   * since: then the task has to run again.
   */
  async keep(): Promise<boolean> {
    const { stored, loaded, state, transaction, isRead } = this.opened
    if (isRead) return !transaction.hasRead || this.#isPresent()
    if (this.handle.state === state) return this.#commit()
    const prepared = await prepareEpoch(stored, this.handle.state, this.#options)

    return prepared.begin(loaded.epoch)
  }

  async #commit(): Promise<boolean> {
    const { stored, loaded, transaction } = this.opened
    const commit = { ...this.#changes(), ...transaction.writes() }
    if (Object.values(commit).every(isEmpty)) return !transaction.hasRead || this.#isPresent()
    const { kind } = await stored.commit({ epoch: loaded.epoch, ...commit })
    if (kind === 'expired') throw new StoreUnavailableError('The store took too long to answer.')

    return kind === 'done'
  }

  /** Whether the epoch that was read is the present one: the records of another one may be removed in part. */
  async #isPresent(): Promise<boolean> {
    const { stored, loaded } = this.opened
    return (await stored.load())?.epoch === loaded.epoch
  }

  /** The changes. A move of the clock counts as one of the configuration, so that two moves at the same time add up. */
  #changes(): Omit<Commit, 'epoch'> {
    const { loaded, state, unusedKeys: keys = state.keys } = this.opened
    const changes = changesOf(loaded, { ...state, keys })
    const { text = changes.clock && loaded.text } = changes

    return { ...changes, ...(text !== undefined && { version: loaded.version, text }) }
  }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0)
}
