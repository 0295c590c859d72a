import type { LoadedDocument } from '../document/load-document.ts'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { refuseBasePath } from '../transports/client-url.ts'
import { forceOutcomes } from './force-setting.ts'
import { readSandboxOptions } from './sandbox-options.ts'
import { inMemory, type ServedWorlds } from './served-worlds.ts'
import type { ServeSettings } from './settings.ts'
import { openState } from './state/open-state.ts'
import { openSharedWorlds, type StoreCallListener } from './store/open-shared-worlds.ts'

/** What the settings describe. */
export interface OpenedSandbox {
  /** A sandbox in memory. With a shared store, it only tells what a new world is like. */
  readonly sandbox: Sandbox
  readonly worlds: ServedWorlds
  readonly document: LoadedDocument
  readonly state: Awaited<ReturnType<typeof openState>> | undefined
  /** The files of the document. */
  readonly files: ReadonlySet<string>
}

/** Creates a sandbox from the settings, with its saved state, or with the state in a shared store. */
export async function openSandbox(
  settings: ServeSettings,
  onStoreCall: StoreCallListener,
): Promise<OpenedSandbox> {
  const { publicUrl, force, state: file, store } = settings
  const files = new Set<string>()
  const { options, document } = await readSandboxOptions(settings, (path) => files.add(path))
  const sandbox = createSandbox(options)
  refuseBasePath(publicUrl, sandbox.contract)
  await sandbox.ready
  const state = file === undefined ? undefined : await openState(file, sandbox, settings)
  forceOutcomes(sandbox, force)
  const worlds =
    store === undefined
      ? inMemory(sandbox)
      : await openSharedWorlds(store, settings, options, onStoreCall)

  return { sandbox, worlds, document, state, files }
}
