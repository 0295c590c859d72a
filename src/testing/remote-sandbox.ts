import { createSandbox, type Sandbox, type SandboxOptions } from '../index.ts'
import type { Exchange } from '../journal/exchange.ts'
import { Journal } from '../journal/journal.ts'
import type { RecordCollection } from '../resources/behaviour/record-collection.ts'
import { WorldJournal } from '../sandbox/world.ts'

/** A change of a sandbox as plain data. */
export type SandboxChange =
  | { readonly force: Parameters<Sandbox['force']> }
  | { readonly reset: true }
  /** The time of the clock, in epoch milliseconds. */
  | { readonly time: number }

/** A call of a method of a collection. */
export interface CollectionCall {
  readonly collection: string
  readonly method: keyof RecordCollection
  readonly args: readonly unknown[]
}

/** A sandbox that is elsewhere, with the interface of a sandbox in this process. */
export interface RemoteSandbox {
  readonly sandbox: Sandbox
  /** The changes since the last call, in their order. The last one is the time of the clock. */
  readonly takeChanges: () => SandboxChange[]
  /** Adds an exchange to the journal, which has those since the last reset. */
  readonly addExchange: (exchange: Exchange) => void
}

/** What the local copy answers for the sandbox that is elsewhere. */
const LOCAL = ['contract', 'clock']

/**
 * Creates the interface of a sandbox that can only be called asynchronously: synchronous changes apply to a local copy, which
 * validates them, and are queued. The local copy also has the clock. It answers no requests.
 */
export function createRemoteSandbox(
  options: SandboxOptions | undefined,
  call: (collectionCall: CollectionCall) => Promise<unknown>,
): RemoteSandbox {
  const local = createSandbox(options)
  let journal = createJournal()
  let queue: SandboxChange[] = []
  const overrides: Partial<Sandbox> = {
    journal: new WorldJournal(
      () => journal,
      () => [],
    ),
    force: (...rule) => {
      queue.push({ force: rule })
      return local.force(...rule)
    },
    reset: () => {
      local.reset()
      journal = createJournal()
      queue.push({ reset: true })
    },
    collection: (name: string) => remoteCollection(local, name, call),
  }

  return {
    sandbox: withOverrides(local, overrides),
    takeChanges: () => {
      const changes = [...queue, { time: local.clock.now() }]
      queue = []
      return changes
    },
    addExchange: (exchange) => journal.add({ numbers: [], facts: exchange }),
  }
}

function createJournal(): Journal<Exchange> {
  return new Journal(1000, new Set(), ({ facts }) => facts, { name: 'remote', version: '' })
}

/** The sandbox with some members replaced. What neither these nor the local copy can answer throws an error. */
function withOverrides(sandbox: Sandbox, overrides: Partial<Sandbox>): Sandbox {
  return new Proxy(sandbox, {
    get: (target, name) => {
      if (name in overrides) return Reflect.get(overrides, name)
      if (typeof name === 'symbol' || LOCAL.includes(name)) return Reflect.get(target, name)
      throw new TypeError(`A sandbox that is elsewhere has no "${name}" in tests.`)
    },
  })
}

type Result<Name extends keyof RecordCollection> = Awaited<ReturnType<RecordCollection[Name]>>

function remoteCollection(
  local: Sandbox,
  collection: string,
  call: (collectionCall: CollectionCall) => Promise<unknown>,
): RecordCollection {
  // Throws the UsageError for an unknown collection.
  local.collection(collection)
  const method =
    <Name extends keyof RecordCollection>(name: Name) =>
    async (...args: Parameters<RecordCollection[Name]>): Promise<Result<Name>> =>
      (await call({ collection, method: name, args })) as Awaited<
        ReturnType<RecordCollection[Name]>
      >

  return {
    count: method('count'),
    list: method('list'),
    get: method('get'),
    create: method('create'),
    update: method('update'),
    remove: method('remove'),
  }
}
