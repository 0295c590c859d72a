import { contract } from '../generated/control.ts'
import { json } from '../http/message.ts'
import { worldPath } from '../http/paths.ts'
import { whenKnown } from '../records/awaitable.ts'
import type { WorldInfo } from '../sandbox/worlds.ts'
import { NO_CONTENT, type WorldsHandlers } from './call.ts'
import { refuseUnknownName } from './field-errors.ts'

/** Handlers for the worlds of a sandbox. */
export const worlds: WorldsHandlers = {
  listWorlds: async (worlds) => json(200, (await worlds.list()).map(toInfo)),

  listDroppedWorlds: async (worlds) => json(200, await worlds.dropped()),

  createWorld: async (worlds, { body: { name, ...from } }) => {
    const { info, isNew } = await worlds.create(name, from)

    return json(isNew ? 201 : 200, toInfo(info), { Location: controlPathOf(name) })
  },

  // Not `async`: in memory, a request changes what it changes at once.
  removeWorld: (worlds, { path }) =>
    whenKnown(worlds.list(), (listed) => {
      const known = listed.map(({ name }) => name)
      refuseUnknownName('world', path.world, known)
      return whenKnown(worlds.delete(path.world), () => NO_CONTENT)
    }),
}

function toInfo(info: WorldInfo): object {
  return { ...info, control: controlPathOf(info.name) }
}

function controlPathOf(name: string): string {
  return contract.basePath + worldPath(name)
}

/** Whether the path of an operation is for the worlds of a sandbox. A single world does not have these operations. */
export function isWorldsPath(path: string): boolean {
  return /^\/(dropped-)?worlds/.test(path)
}
