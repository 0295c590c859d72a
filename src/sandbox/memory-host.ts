import { commitOrUndo } from '../engine/served.ts'
import type { Awaitable } from '../records/awaitable.ts'
import { Changes } from './changes.ts'
import { type Sandbox, worldToRead } from './sandbox.ts'
import type { World } from './world.ts'
import {
  type CreatedWorld,
  type HostedWorlds,
  type UseOptions,
  unknownWorld,
  type WorldHost,
} from './world-host.ts'
import type { WorldInfo } from './worlds.ts'

/** The worlds of a sandbox in memory, for the control interface. A task starts at once, without a turn of the event loop. */
export function createMemoryHost(sandbox: Sandbox): WorldHost {
  const { worlds } = sandbox
  const hosted = hostedWorlds(sandbox)
  const ids = idsOf(sandbox)

  return {
    get contract() {
      return sandbox.contract
    },
    run: ids.run,
    secret: ids.secret,
    isShared: false,
    use: async (name, { mustExist = false, isRead = false, saveChanges }, task) => {
      if (mustExist) refuseUnknownWorld(sandbox, name)
      const world = isRead ? worldToRead(sandbox, name) : sandbox.world(name)
      return saved(sandbox, world, saveChanges, (registerUndo) =>
        task({
          world,
          openJournal: () => world.journal,
          openEvents: () => world.events,
          registerUndo,
        }),
      )
    },
    useWorlds: async ({ saveChanges }, task) =>
      saved(sandbox, sandbox, saveChanges, () => task(hosted)),
    subscribe: (name, listener) =>
      worlds.onExchange((exchange, world) => {
        if (world === name) listener(exchange)
      }),
  }
}

/** Runs a task, and saves what it changed, or undoes that. */
async function saved<Result>(
  sandbox: Sandbox,
  world: World,
  saveChanges: UseOptions['saveChanges'],
  task: (registerUndo: Changes['note']) => Awaitable<Result>,
): Promise<Result> {
  if (!saveChanges) return task(() => undefined)
  const changes = new Changes(sandbox, world)
  const result = await changes.until(task(changes.note))
  await commitOrUndo(saveChanges, changes.undo)

  return result
}

function refuseUnknownWorld({ worlds }: Sandbox, name: string): void {
  const known = worlds.list().map((world) => world.name)
  if (!known.includes(name)) throw unknownWorld(name, known)
}

function hostedWorlds(sandbox: Sandbox): HostedWorlds {
  const { worlds } = sandbox
  const find = (name: string): WorldInfo | undefined =>
    worlds.list().find((one) => one.name === name)

  return {
    list: () => worlds.list(),
    dropped: () => worlds.dropped,
    create: (name, options): CreatedWorld => {
      const isNew = find(name) === undefined
      sandbox.world(name, options)
      return { info: find(name) ?? { name, requests: 0 }, isNew }
    },
    delete: (name) => worlds.delete(name),
  }
}

type RunIds = Pick<WorldHost, 'run' | 'secret'>

const runIds = new WeakMap<Sandbox, RunIds>()

/** Identifies a sandbox from its start to its end. After a restart it has other ids. */
function idsOf(sandbox: Sandbox): RunIds {
  const ids = runIds.get(sandbox) ?? { run: randomText(3), secret: randomText(5) }
  runIds.set(sandbox, ids)

  return ids
}

function randomText(words: number): string {
  return crypto.getRandomValues(new Uint32Array(words)).join('-')
}
