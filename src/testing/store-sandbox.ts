import { createClient, type SandboxClient } from '../client.ts'
import type { ServiceTypes } from '../contract/contract.ts'
import type { SandboxOptions } from '../index.ts'
import type { SharedOptions } from '../redis/shared-sandbox.ts'
import { type Connection, listen } from './connections.ts'
import { type Instance, openInstances } from './redis/instances.ts'
import { findRunStore } from './redis/run-store.ts'
import { createRemoteSandbox, type RemoteSandbox, type SandboxChange } from './remote-sandbox.ts'
import type { Fetch } from './replay.ts'

/** Two servers on the store of this run, as a load balancer shows them: requests alternate between them. */
export interface BalancedServers {
  readonly instances: readonly [Instance, Instance]
  /** The port of the server whose turn it is. */
  readonly nextPort: () => number
  /** Sends a request to the server whose turn it is. The origin of its URL does not matter. */
  readonly fetch: Fetch
  /** Steers the sandbox of the servers. */
  readonly client: SandboxClient<ServiceTypes>
  readonly close: () => Promise<void>
}

/** How two servers are opened. */
export interface BalancedOptions {
  readonly sandbox?: Omit<SharedOptions, 'store'> | undefined
  /** The origin that links in responses start with. */
  readonly publicUrl?: string
}

/** Starts two servers on the store of this run, with a prefix of their own. */
export async function openBalancedServers({
  sandbox,
  publicUrl,
}: BalancedOptions): Promise<BalancedServers> {
  const { address, prefix } = requireRunStore()
  const [one, other] = await openInstances(address, sandbox, {
    prefix: `${prefix}.${crypto.randomUUID()}`,
  })
  const serve = ({ sandbox: served, control }: Instance): ReturnType<typeof listen> =>
    listen(served, { control, publicUrl })
  const servers = [await serve(one), await serve(other)] as const
  const nextServer = alternate(servers)
  const nextPort = (): number => nextServer().port
  const nextControl = alternate([one.control, other.control])

  return {
    instances: [one, other],
    nextPort,
    fetch: (request) => sendTo(`http://127.0.0.1:${nextPort()}`, request),
    client: createClient<ServiceTypes>('http://127.0.0.1', {
      fetch: (url, init) => nextControl().fetch(new Request(url, init), { address: '127.0.0.1' }),
    }),
    close: async () => {
      for (const { close } of [...servers, one, other]) await close()
    },
  }
}

function requireRunStore(): NonNullable<ReturnType<typeof findRunStore>> {
  const store = findRunStore()
  if (!store) throw new Error('This run has no store.')
  return store
}

/** Returns a function that returns one after the other, again and again. */
function alternate<Item>(items: readonly [Item, Item]): () => Item {
  let [next, other] = items
  return () => {
    ;[next, other] = [other, next]
    return other
  }
}

async function sendTo(origin: string, request: Request): Promise<Response> {
  const { method, headers, signal } = request
  const { pathname, search } = new URL(request.url)
  // As bytes, because a stream would be sent without a Content-Length.
  const body = request.body && new Uint8Array(await request.arrayBuffer())

  return fetch(origin + pathname + search, { method, headers, body, signal, redirect: 'manual' })
}

let count = 0

function nextOrigin(): string {
  count += 1
  return `http://store-${count}.test`
}

/** Opens a sandbox of two servers on the store of this run, with the interface of a sandbox in this process. */
export async function connectByStore(
  options?: SandboxOptions,
  origin: string = nextOrigin(),
): Promise<Connection> {
  const servers = await openBalancedServers({ sandbox: options, publicUrl: origin })
  const steered = steer(servers.client, options)
  const { sandbox } = steered

  return {
    sandbox,
    base: origin + sandbox.contract.basePath,
    fetch: async (request) => {
      await steered.applyChanges()
      try {
        return await servers.fetch(request)
      } finally {
        await steered.readJournal()
      }
    },
    close: servers.close,
  }
}

/** A remote sandbox whose changes are made by a client. */
function steer(
  client: SandboxClient<ServiceTypes>,
  options: SandboxOptions | undefined,
): {
  readonly sandbox: RemoteSandbox['sandbox']
  readonly applyChanges: () => Promise<void>
  readonly readJournal: () => Promise<void>
} {
  const remote = createRemoteSandbox(options, async ({ collection, method, args }) => {
    await applyChanges()
    const records = client.collection(collection)
    return Reflect.apply(records[method], records, args)
  })
  let time: number | undefined
  let last = 0
  const apply = async (change: SandboxChange): Promise<void> => {
    if ('force' in change) await client.force(...change.force)
    else if ('time' in change) {
      if (time !== change.time) await client.clock.set(change.time)
      time = change.time
    } else {
      await client.reset()
      time = undefined
      last = 0
    }
  }
  // One after another, so that a request waits for the changes before it, also for those that another request makes.
  const applyChanges = inTurn(async () => {
    for (const change of remote.takeChanges()) await apply(change)
  })
  const readJournal = inTurn(async () => {
    for (const exchange of await client.journal.find({ after: last })) {
      last = exchange.id
      remote.addExchange(exchange)
    }
  })

  return { sandbox: remote.sandbox, applyChanges, readJournal }
}

/** Runs a task at each call, after the runs before it. */
function inTurn(task: () => Promise<void>): () => Promise<void> {
  let latest = Promise.resolve()
  return () => {
    latest = latest.then(task)
    return latest
  }
}
