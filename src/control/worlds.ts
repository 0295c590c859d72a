import { contract } from '../generated/control.ts'
import { json } from '../http/message.ts'
import { worldPath } from '../http/world-path.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { type Handlers, NO_CONTENT } from './call.ts'
import { refuseUnknownName } from './field-errors.ts'

/** Handlers for the worlds of a sandbox. */
export const worlds: Handlers<'listWorlds' | 'listDroppedWorlds' | 'createWorld' | 'removeWorld'> =
  {
    listWorlds: ({ sandbox }) => json(200, sandbox.worlds.list().map(toInfo)),

    listDroppedWorlds: ({ sandbox }) => json(200, sandbox.worlds.dropped),

    createWorld: ({ sandbox, input: { body } }) => {
      const { name, ...from } = body
      const find = (): Info | undefined => sandbox.worlds.list().find((one) => one.name === name)
      const exists = find() !== undefined
      sandbox.world(name, from)
      const info = find()

      return json(exists ? 200 : 201, info && toInfo(info), { Location: controlPathOf(name) })
    },

    removeWorld: ({ sandbox, input: { path } }) => {
      const known = sandbox.worlds.list().map(({ name }) => name)
      refuseUnknownName('world', path.world, known)
      sandbox.worlds.delete(path.world)
      return NO_CONTENT
    },
  }

type Info = ReturnType<Sandbox['worlds']['list']>[number]

function toInfo(info: Info): object {
  return { ...info, control: controlPathOf(info.name) }
}

function controlPathOf(name: string): string {
  return contract.basePath + worldPath(name)
}

/** Whether the path of an operation is for the worlds of a sandbox. A single world does not have these operations. */
export function isWorldsPath(path: string): boolean {
  return /^\/(dropped-)?worlds/.test(path)
}
