import type { SandboxWorld } from '../sandbox-world.ts'
import type { NamedWorld } from '../worlds.ts'
import { removeAccount } from './hosted-key-world.ts'
import { HostedWorld } from './hosted-world.ts'
import { keyWorldOf } from './key-worlds.ts'
import { type PreparedEpoch, prepareEpoch } from './prepared-epoch.ts'
import { takeStoredSnapshot } from './stored-snapshot.ts'

/** The default world, whose snapshots have all worlds. */
export class HostedOwnWorld extends HostedWorld {
  /** The worlds of a snapshot that is restored. */
  #restored: readonly NamedWorld[] | undefined

  override readonly snapshot: SandboxWorld['snapshot'] = async () =>
    takeStoredSnapshot(this.opened, await this.worlds.others())

  override readonly restore: SandboxWorld['restore'] = async (snapshot) => {
    const { restoreSandbox } = await import('../restore.ts')
    const listeners = { listenersOf: () => new Set<never>() }
    const { service } = this.worlds
    const { own, others } = await restoreSandbox(service, new Set(), listeners, snapshot)
    this.handle.startReplacement()(own)
    this.#restored = others
  }

  override async keep(): Promise<boolean> {
    if (this.worlds.isByKey) await this.#clearAddedKeys()
    if (!this.#restored) return super.keep()
    const { store } = this.worlds
    const prepared: (PreparedEpoch & { readonly name: string })[] = []
    for (const [name, { state }] of this.#restored) {
      prepared.push({
        name,
        ...(await prepareEpoch(store.world(name), state, { keepsJournal: true })),
      })
    }
    if (!(await super.keep())) return false
    await this.worlds.replace(prepared)

    return true
  }

  /** Clears what the keys that were added have used in their worlds, before requests with them are served. */
  async #clearAddedKeys(): Promise<void> {
    const before = new Set(this.opened.configuration.keys.keys.map(([key]) => key))
    const added = this.handle.state.keys.list().filter(({ key }) => !before.has(key))
    for (const { key } of added) {
      await removeAccount(this.worlds.store.world(await keyWorldOf(key)), key)
    }
  }
}
