import {
  type Control,
  type ControlOptions,
  createControlOf,
  UNKNOWN_DOCUMENT,
} from '../../control/control.ts'
import { openRedisStore } from '../../redis/open-redis-store.ts'
import { startSending } from '../../redis/send-deliveries.ts'
import { createSharedHost } from '../../redis/shared-host.ts'
import { createSharedSandbox, type SharedOptions } from '../../redis/shared-sandbox.ts'
import type { SharedSandbox } from '../../redis/world-choice.ts'
import { answerRequest } from '../../sandbox/fetch.ts'
import { routerOf } from '../../sandbox/router.ts'
import type { WorldHost } from '../../sandbox/world-host.ts'
import { type CallControl, readControlResponse, toControlRequest } from '../control.ts'

/** One of several servers on one store, in this process. */
export interface Instance {
  readonly sandbox: SharedSandbox
  readonly host: WorldHost
  readonly control: Control
  /** Sends a request to the API. */
  readonly fetch: (request: Request) => Promise<Response>
  readonly callControl: CallControl
  readonly close: () => Promise<void>
}

/** How instances are started. */
export interface InstanceOptions {
  /** What the keys of the store start with. Default: what no other test uses. */
  readonly prefix?: string
  readonly control?: ControlOptions
}

const open = new Set<Instance>()
let prefixes = 0

/** Ends all instances. */
export async function closeInstances(): Promise<void> {
  await Promise.all([...open].map(({ close }) => close()))
}

/** Starts two instances on one store. */
export async function openInstances(
  address: string,
  settings: Omit<SharedOptions, 'store'> = {},
  options: InstanceOptions = {},
): Promise<readonly [Instance, Instance]> {
  prefixes += 1
  const { prefix = `test-${process.pid}-${prefixes}`, control = {} } = options
  const first = await openInstance(address, settings, prefix, control)

  return [first, await openInstance(address, settings, prefix, control)]
}

async function openInstance(
  address: string,
  settings: Omit<SharedOptions, 'store'>,
  prefix: string,
  options: ControlOptions,
): Promise<Instance> {
  const store = await openRedisStore(address, { prefix })
  const sandbox = await createSharedSandbox({ ...settings, store })
  startSending(sandbox)
  const host = createSharedHost(sandbox)
  const control = createControlOf(host, options, UNKNOWN_DOCUMENT)
  const instance: Instance = {
    sandbox,
    host,
    control,
    fetch: (request) => answerRequest(request, routerOf(sandbox)),
    callControl: async (method, path, { address: peer = '127.0.0.1', ...rest } = {}) => {
      const request = toControlRequest(method, `http://localhost/__sandbox${path}`, rest)
      const response = await control.fetch(request, peer === null ? {} : { address: peer })
      return readControlResponse(method, path, response)
    },
    close: async () => {
      open.delete(instance)
      control.close()
      sandbox.close()
      await store.close()
    },
  }
  open.add(instance)

  return instance
}
