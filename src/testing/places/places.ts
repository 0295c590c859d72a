import { createControl } from '../../control.ts'
import { createSandbox, type Sandbox } from '../../index.ts'
import { connectByMsw } from '../connect-by-msw.ts'
import { NOON } from '../control.ts'
import { openInstances } from '../redis/instances.ts'
import { findRunStore } from '../redis/run-store.ts'
import { type Fetch, sendTraceRequest, type TraceRequest, type TraceResponse } from '../replay.ts'
import { loadStory, type StoryDocument } from './documents.ts'

/** The origin of all requests, so that links and locations are equal in all places. */
export const ORIGIN = 'http://sandbox.test'

/** The control interface accepts only host names of this machine. */
const CONTROL_ORIGIN = 'http://localhost'

/** A place where the state of a sandbox is, and a way to its API and its control interface. */
export interface Place {
  readonly name: string
  /** Whether it runs on this machine. */
  readonly isAvailable: boolean
  /** Opens a sandbox of a document, whose clock stands at noon. */
  readonly open: (document: StoryDocument) => Promise<OpenedPlace>
}

/** An opened place. */
export interface OpenedPlace {
  readonly send: (request: TraceRequest) => Promise<TraceResponse>
  readonly close: () => Promise<void>
}

/** What answers one request. */
export interface Answering {
  readonly api: Fetch
  readonly control: Fetch
}

export const IN_MEMORY: Place = {
  name: 'in memory',
  isAvailable: true,
  open: async (document) => {
    const answering = answeringOf(await openSandbox(document))
    return opened(async () => answering)
  },
}

const BY_MSW: Place = {
  name: 'by MSW',
  isAvailable: true,
  open: async (document) => {
    const sandbox = await openSandbox(document)
    const { stop } = connectByMsw(sandbox, ORIGIN + sandbox.contract.basePath)
    const { control } = answeringOf(sandbox)
    // MSW replaces the global fetch, so it is looked up for each request.
    return opened(async () => ({ control, api: (request) => fetch(request) }), stop)
  },
}

const IN_FORKS: Place = {
  name: 'in a new fork before each request',
  isAvailable: true,
  open: async (document) => {
    const sandbox = await openSandbox(document)
    const { control } = answeringOf(sandbox)
    let from = sandbox.name
    let count = 0

    return opened(async () => {
      count += 1
      const name = `fork-${count}`
      const world = sandbox.world(name, { from })
      from = name
      return { api: world.fetch, control: (request) => control(inWorld(request, name)) }
    })
  },
}

/** Nothing of the sandbox before it is left, not even its contract: what a process remembers does not matter. */
const IN_RESTORED_SANDBOXES: Place = {
  name: 'in a new sandbox, restored from a snapshot, before each request',
  isAvailable: true,
  open: async (document) => {
    let sandbox = await openSandbox(document)

    return opened(async () => {
      const snapshot = JSON.parse(JSON.stringify(await sandbox.snapshot()))
      sandbox = await openSandbox(document)
      await sandbox.restore(snapshot)
      return answeringOf(sandbox)
    })
  },
}

const ON_ONE_SERVER = onStore('on one server with a store', ([first]) => [first])

const ON_TWO_SERVERS = onStore('on two servers with one store, in turn', (both) => both)

/** The places that one process has. */
export const PLACES: readonly Place[] = [
  BY_MSW,
  IN_FORKS,
  IN_RESTORED_SANDBOXES,
  ON_ONE_SERVER,
  ON_TWO_SERVERS,
]

type Instances = Awaited<ReturnType<typeof openInstances>>

/** Servers on the store of the run, each with a contract of its own. */
function onStore(
  name: string,
  choose: (instances: Instances) => readonly Instances[number][],
): Place {
  return {
    name,
    isAvailable: findRunStore() !== undefined,
    open: async (document) => {
      const { address, prefix } = findRunStore() ?? { address: '', prefix: '' }
      const both = await openInstances(
        address,
        { contract: await loadStory(document) },
        { prefix: `${prefix}.${crypto.randomUUID()}` },
      )
      const used = choose(both)
      let turn = 0
      const place = opened(
        async () => {
          turn += 1
          const { fetch, control } = used[turn % used.length] ?? both[0]
          return { api: fetch, control: (request) => control.fetch(request, LOCAL) }
        },
        async () => {
          for (const { close } of both) await close()
        },
      )
      await place.send(STOP_CLOCK)
      return place
    },
  }
}

const LOCAL = { address: '127.0.0.1' }

/** Stops the clock of a sandbox at noon. */
export const STOP_CLOCK: TraceRequest = {
  method: 'POST',
  path: '/__sandbox/clock',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ set: NOON }),
}

async function openSandbox(document: StoryDocument): Promise<Sandbox> {
  const sandbox = createSandbox({ contract: await loadStory(document) })
  sandbox.clock.set(NOON)
  return sandbox
}

function answeringOf(sandbox: Sandbox): Answering {
  const control = createControl(sandbox)
  return { api: sandbox.fetch, control: (request) => control.fetch(request, LOCAL) }
}

/** A place whose requests are answered by what `answering` resolves with before each. */
export function opened(
  answering: () => Promise<Answering>,
  close: () => void | Promise<void> = () => undefined,
): OpenedPlace {
  return {
    send: async (request) => {
      const { api, control } = await answering()
      if (!isControl(request)) return sendTraceRequest(request, api, ORIGIN)
      // Its headers contain the address of the world.
      return { ...(await sendTraceRequest(request, control, CONTROL_ORIGIN)), headers: [] }
    },
    close: async () => close(),
  }
}

function isControl({ path }: TraceRequest): boolean {
  return path.startsWith('/__sandbox/')
}

/** The same request to the control interface of a world. */
function inWorld(request: Request, world: string): Request {
  return new Request(request.url.replace('/__sandbox/', `/__sandbox/worlds/${world}/`), request)
}
