import type { SandboxWorld } from '../sandbox-world.ts'
import type { NamedWorld } from '../worlds.ts'
import { type PreparedEpoch, prepareEpoch } from './host-epoch.ts'
import { takeStoredSnapshot } from './host-snapshot.ts'
import { HostedWorld } from './host-world.ts'

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
    if (!this.#restored) return super.keep()
    const { store } = this.worlds
    const prepared: (PreparedEpoch & { readonly name: string })[] = []
    for (const [name, { state }] of this.#restored) {
      prepared.push({ name, ...(await prepareEpoch(store.world(name), state)) })
    }
    if (!(await super.keep())) return false
    await this.worlds.replace(prepared)

    return true
  }
}
