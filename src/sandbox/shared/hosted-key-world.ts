import type { StoredWorld } from '../../state/world-store.ts'
import { keyWorldKeysError } from '../world-errors.ts'
import { HostedWorld } from './hosted-world.ts'
import type { OpenedWorld, WorldsInStore } from './opened-world.ts'
import { areEqual } from './state-changes.ts'
import { tooManyChanges } from './too-many-changes.ts'

/** How often an account is removed, when requests are counted on it. */
const MAX_ATTEMPTS = 50

/** The world of an API key. Its plans and keys are those of the default world, and are changed there. */
export class HostedKeyWorld extends HostedWorld {
  readonly #keys: unknown

  constructor(opened: OpenedWorld, worlds: WorldsInStore) {
    super(opened, worlds)
    this.#keys = opened.state.keys.snapshot()
  }

  override async keep(): Promise<boolean> {
    const { stored, state } = this.opened
    if (!areEqual(this.#keys, state.keys.snapshot())) throw keyWorldKeysError(stored.name)
    return super.keep()
  }
}

/** Removes what was counted on an account of a world: a key that is added again starts unused. */
export async function removeAccount(world: StoredWorld, account: string): Promise<void> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const loaded = await world.load()
    const before = loaded?.accounts.get(account)
    if (!loaded || !before) return
    const accounts = [{ key: account, before, after: undefined }]
    const { kind } = await world.commit({ epoch: loaded.epoch, accounts })
    if (kind === 'done') return
  }
  throw tooManyChanges(world.name)
}
