import { contract } from '../generated/control.ts'
import { type CoreResponse, json } from '../http/message.ts'
import { type Handlers, NO_CONTENT } from './call.ts'
import { isWorldsPath } from './worlds.ts'

/** Handlers for a world as a whole: its index, its health, its operations and its state. */
export const lifecycle: Handlers<
  'getIndex' | 'getDocument' | 'getHealth' | 'reset' | 'takeSnapshot' | 'restoreSnapshot'
> = {
  getIndex: ({ world, base }) => {
    const { title, operations } = contract
    const available = operations.filter(
      ({ path }) => world.name === 'default' || !isWorldsPath(path),
    )

    return json(200, {
      title,
      world: world.name,
      basePath: world.contract.basePath,
      document: `${base}/openapi.json`,
      operations: available.map(
        ({ method, path, summary }) => `${method} ${base}${path}: ${summary}`,
      ),
    })
  },

  getDocument: async (): Promise<CoreResponse> => {
    const { document } = await import('../generated/control-document.ts')
    return { status: 200, headers: { 'Content-Type': 'application/json' }, body: document }
  },

  getHealth: async ({ host, world }) => {
    await world.ready
    const { title, version, basePath } = world.contract

    return json(200, {
      status: 'ready',
      title,
      version,
      basePath,
      world: world.name,
      run: host.run,
      ...(host.isShared && { store: 'ready' }),
    })
  },

  reset: ({ world }) => {
    world.reset()
    return NO_CONTENT
  },

  takeSnapshot: async ({ world }) => json(200, await world.snapshot()),

  restoreSnapshot: async ({ world, input: { body } }) => {
    await world.restore(body)
    return NO_CONTENT
  },
}
