import type { LoadedDocument } from '../document/load-document.ts'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { refuseBasePath } from '../transports/public-url.ts'
import { forceOutcomes } from './force-setting.ts'
import { readSandboxOptions } from './sandbox-options.ts'
import { inMemory, type ServedWorlds } from './served-worlds.ts'
import type { ServeSettings } from './settings.ts'
import { openState } from './state/open-state.ts'

/** What the settings describe. */
export interface OpenedSandbox {
  readonly sandbox: Sandbox
  readonly worlds: ServedWorlds
  readonly document: LoadedDocument
  readonly state: Awaited<ReturnType<typeof openState>> | undefined
  /** The files of the document. */
  readonly files: ReadonlySet<string>
}

/** Creates a sandbox from the settings, with its saved state. */
export async function openSandbox(settings: ServeSettings): Promise<OpenedSandbox> {
  const { publicUrl, force, state: file } = settings
  const files = new Set<string>()
  const { options, document } = await readSandboxOptions(settings, (path) => files.add(path))
  const sandbox = createSandbox(options)
  refuseBasePath(publicUrl, sandbox.contract)
  await sandbox.ready
  const state = file === undefined ? undefined : await openState(file, sandbox, settings)
  forceOutcomes(sandbox, force)

  return { sandbox, worlds: inMemory(sandbox), document, state, files }
}
